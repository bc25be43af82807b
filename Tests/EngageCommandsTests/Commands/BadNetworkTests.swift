import EngagementBrazeTools
import EngagementCurl
import EngagementEmulator
import EngagementKit
import EngagementModel
import EngagementVendors
import TestServers
import Testing

@testable import EngageCommands

/// Untrusted and unreachable vendors, over real sockets.
@Suite(.timeLimit(.minutes(20))) struct BadNetworkTests {
  /// The fault of the vendor's server.
  enum Trouble: String, CaseIterable, Sendable {
    case expired, tooEarly, selfSigned, stranger, wrongHost, noTLS, closedPort, unknownName
    case slowLoris, captivePortal

    /// Parts of the command's message: the fault and the next step.
    var words: (what: String, next: String) {
      switch self {
      case .expired: ("The certificate has expired", "check this machine's clock")
      case .tooEarly: ("The certificate is not valid yet", "check this machine's clock")
      case .selfSigned: ("The certificate is self-signed", "in certificateAuthorities")
      case .stranger: ("an authority that is not trusted", "in certificateAuthorities")
      case .wrongHost: ("The certificate is for another host", "check the endpoint")
      case .noTLS: ("no agreement on TLS", "check that the port speaks TLS")
      case .closedPort: ("The connection was refused", "check the endpoint's port")
      case .unknownName: ("The host's name was not found", "check the")
      case .slowLoris: ("The answer came too slowly", "try again later")
      case .captivePortal: ("The answer is none of Braze's", "wants a login")
      }
    }

    /// Passes the endpoint and the file of trusted authorities to the body.
    func stand(_ body: (String, String) async throws -> Void) async throws {
      let authority = try TLSIdentity("Authority", isAuthority: true)
      try await authority.withFile { file in
        switch self {
        case .unknownName: try await body("https://nobody.invalid", file)
        case .closedPort:
          let port = try DeadPort()
          try await body("https://127.0.0.1:\(port.number)", file)
        default:
          try await withServer(try identity(of: authority), script) { server in
            try await body(server.url("", scheme: isPlain ? "http" : "https"), file)
          }
        }
      }
    }

    private var isPlain: Bool { [.slowLoris, .captivePortal].contains(self) }

    private func identity(of authority: TLSIdentity) throws -> TLSIdentity? {
      let hosts = self == .wrongHost ? "DNS:example.com,IP:127.0.0.2" : "IP:127.0.0.1"
      let validity: [Trouble: TLSIdentity.Validity] = [.expired: .past, .tooEarly: .future]
      guard !isPlain, self != .noTLS else { return nil }
      let issuer =
        self == .stranger ? try TLSIdentity("Stranger", isAuthority: true) : authority
      return try TLSIdentity(
        "server", hosts: hosts, validity: validity[self] ?? .now,
        issuer: self == .selfSigned ? nil : issuer)
    }

    private var script: TestServer.Script {
      switch self {
      case .captivePortal:
        {
          while true {
            try $0.readRequest()
            try $0.answer(headers: ["Content-Type: text/html"], "<html>Welcome! Log in</html>")
          }
        }
      case .slowLoris:
        {
          try $0.readHead()
          try $0.write("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\nx")
          // The connection stays open without further bytes, so the speed falls to zero.
          while true { _ = try $0.read() }
        }
      default:
        {
          _ = try $0.read()
          try $0.answer("400 Bad Request")
          _ = try $0.read()
        }
      }
    }
  }

  /// The program's settings with shorter waits for slow peers and deliveries, and without a proxy.
  private static let setting = CommandLineFixture.Setting(
    patience: .milliseconds(500),
    transport: { authorities in
      var configuration = CurlTransport.Configuration()
      configuration.certificateAuthorities = authorities
      configuration.proxy = .none
      configuration.lowSpeed = 1_000
      configuration.lowSpeedTime = .seconds(1)
      configuration.connectTimeout = .seconds(600)
      configuration.totalTimeout = .seconds(3_000)
      return CurlTransport(configuration)
    })

  @Test(
    "G16: an untrusted or unreachable vendor gives an error with the next step and loses no data",
    arguments: Trouble.allCases)
  func told(trouble: Trouble) async throws {
    let emulator = try await Emulator.start(.init([.braze]))
    let stage = try CommandLineFixture()
    try stage.configure(endpoint: emulator.endpoint(of: "braze"))
    #expect(await stage.engage("sync", by: CurlTransport()).status == .done)
    let cards = await stage.engage("cards", "--json").lines
    #expect(!cards.isEmpty)
    try await trouble.stand { endpoint, authorities in
      try stage.configure(
        endpoint: endpoint, ", \"certificateAuthorities\": \"\(authorities)\"")
      let sync = await stage.engage("sync", in: Self.setting)
      #expect(sync.status == .failed)
      #expect(sync.output.contains("stale"))
      let told = sync.errors.split(separator: "\n")
      #expect(told.count == 1, "\(sync.errors)")
      #expect(told.first?.hasPrefix("engage: braze: ") == true, "\(sync.errors)")
      #expect(told.first?.contains(trouble.words.what) == true, "\(sync.errors)")
      #expect(told.first?.contains(trouble.words.next) == true, "\(sync.errors)")
      let track = await stage.engage("track", "bought", in: Self.setting)
      #expect(track.output == "track bought: pending; the next sync tries again\n")
      #expect(await stage.engage("cards", "--json").lines == cards)
    }
    try stage.configure(endpoint: emulator.endpoint(of: "braze"))
    try await stage.sync { await emulator.times("ce", of: "bought") > 0 }
    #expect(await emulator.times("ce", of: "bought") == 1)
    await emulator.stop()
  }
}
