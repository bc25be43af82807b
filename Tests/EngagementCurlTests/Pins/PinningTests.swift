import EngagementCurl
import EngagementHTTP
import EngagementModel
import Foundation
import TestServers
import Testing

/// A chain of three certificates: the server's, an intermediate one and the authority's.
private struct Chain {
  let root: TLSIdentity
  let between: TLSIdentity
  let leaf: TLSIdentity

  init() throws {
    root = try TLSIdentity("Root", isAuthority: true)
    between = try TLSIdentity("Between", isAuthority: true, issuer: root)
    leaf = try TLSIdentity("localhost", hosts: "DNS:localhost", issuer: between)
  }

  var pins: [Pin] { get throws { [try leaf.pin, try between.pin, try root.pin] } }
}

@Suite struct PinningTests {
  private static func answerAll(_ connection: ServerConnection) throws {
    while true {
      try connection.readHead()
      try connection.answer("200 OK", "ok")
    }
  }

  /// Sends requests in sequence to a server with the chain.
  private func send(
    _ count: Int = 1, to chain: Chain, pins: PinSet, reports: Pile<PinMismatch> = Pile(),
    script: @escaping TestServer.Script = answerAll
  ) async throws -> (results: [Result<HTTPResponse, any Error>], heads: Int, connections: Int) {
    try await chain.root.withFile { file in
      try await withServer(chain.leaf, script) { server in
        let transport = transport(trusting: file) {
          $0.policy = RequestPolicy([.init("localhost", .allowWithPins(pins))])
          $0.onPinMismatch = { reports.add($0) }
        }
        var results: [Result<HTTPResponse, any Error>] = []
        for _ in 0..<count {
          let request = HTTPRequest(.get, server.url(scheme: "https", host: "localhost"))
          do { results.append(.success(try await transport.send(request))) } catch {
            results.append(.failure(error))
          }
        }
        return (results, server.heads.count, server.connections)
      }
    }
  }

  @Test("a pin may match the key of any certificate in the chain", arguments: 0..<3)
  func anyOfTheChain(place: Int) async throws {
    let chain = try Chain()
    let pin = try chain.pins[place]
    let other = try Pin(sha256: [UInt8](repeating: 1, count: 32))
    let (results, _, _) = try await send(to: chain, pins: PinSet([other, pin]))
    #expect(try results.map { try $0.get().status } == [200])
  }

  @Test("G16: a pin mismatch refuses every request before a byte of it is sent")
  func mismatch() async throws {
    let chain = try Chain()
    let reports = Pile<PinMismatch>()
    let pins = try PinSet([Pin(sha256: [UInt8](repeating: 1, count: 32))])
    let (results, heads, _) = try await send(3, to: chain, pins: pins, reports: reports)
    #expect(heads == 0)
    for result in results {
      let error = try #require(throws: EngagementError.self) { try result.get() }
      #expect(error.code == .permissionDenied && error.message.contains("pinned key"))
    }
    let keys = try chain.pins.map(\.sha256)
    #expect(reports.all.map(\.keys) == [keys, keys, keys])
    #expect(reports.all.allSatisfy { $0.wasRefused && $0.host.text == "localhost" })
  }

  @Test("a pin for a certificate outside the verified chain does not match")
  func sentOnly() async throws {
    let chain = try Chain()
    let stranger = try TLSIdentity("Between", isAuthority: true, issuer: chain.root)
    let (results, heads, _) = try await send(
      to: chain, pins: PinSet([stranger.pin]))
    #expect(heads == 0)
    #expect(throws: EngagementError.self) { try results[0].get() }
  }

  @Test("report-only pins let each request through and report it, also on kept connections")
  func reportOnly() async throws {
    let chain = try Chain()
    let reports = Pile<PinMismatch>()
    let pins = try PinSet(
      [Pin(sha256: [UInt8](repeating: 1, count: 32))], enforcement: .reportOnly)
    let (results, _, connections) = try await send(3, to: chain, pins: pins, reports: reports)
    #expect(try results.map { try $0.get().status } == [200, 200, 200])
    #expect(connections == 1)
    #expect(reports.all.map(\.wasRefused) == [false, false, false])
  }

  @Test("a mismatch report may cancel its own request", .timeLimit(.minutes(20)))
  func cancelled() async throws {
    let chain = try Chain()
    let pins = try PinSet(
      [Pin(sha256: [UInt8](repeating: 1, count: 32))], enforcement: .reportOnly)
    let sending = Locked<Task<HTTPResponse, any Error>?>(nil)
    try await chain.root.withFile { file in
      try await withServer(chain.leaf) { connection in
        try connection.readHead()
        _ = try connection.read()
      } _: { server in
        let transport = transport(trusting: file) {
          $0.policy = RequestPolicy(otherwise: .allowWithPins(pins))
          $0.onPinMismatch = { _ in sending.withLock { $0 }?.cancel() }
        }
        let task = sending.withLock { sending in
          let task = Task {
            try await transport.send(
              HTTPRequest(.get, server.url(scheme: "https", host: "localhost")))
          }
          sending = task
          return task
        }
        await #expect { try await task.value } throws: {
          ($0 as? EngagementError)?.code == .cancelled
        }
      }
    }
  }

  @Test("expired pins are ignored")
  func expired() async throws {
    let pins = try PinSet(
      [Pin(sha256: [UInt8](repeating: 1, count: 32))], expires: Date(timeIntervalSince1970: 0))
    let reports = Pile<PinMismatch>()
    let (results, _, _) = try await send(to: Chain(), pins: pins, reports: reports)
    #expect(try results.map { try $0.get().status } == [200])
    #expect(reports.all.isEmpty)
  }

  @Test("each new connection to a pinned host is checked against its whole chain")
  func anew() async throws {
    let chain = try Chain()
    let (results, heads, connections) = try await send(
      4, to: chain, pins: PinSet([chain.root.pin])
    ) {
      try $0.readHead()
      try $0.answer("200 OK", headers: ["Connection: close"], "ok")
    }
    #expect(try results.map { try $0.get().status } == [200, 200, 200, 200])
    #expect(heads == 4 && connections == 4)
  }

  @Test("a matching pin does not replace certificate verification")
  func pinAlone() async throws {
    let chain = try Chain()
    let stranger = try TLSIdentity("Stranger", isAuthority: true)
    let pins = try PinSet([chain.leaf.pin])
    try await stranger.withFile { file in
      try await withServer(chain.leaf, Self.answerAll) { server in
        let error = try await failure(
          of: HTTPRequest(.get, server.url(scheme: "https", host: "localhost")),
          by: transport(trusting: file) {
            $0.policy = RequestPolicy(otherwise: .allowWithPins(pins))
          })
        #expect(error.code == .unavailable)
        #expect(server.heads.isEmpty)
      }
    }
  }
}
