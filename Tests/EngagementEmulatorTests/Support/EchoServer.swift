import EngagementAdapterAPI
import EngagementEmulator
import EngagementHTTP
import EngagementModel
import EngagementVendors
import Foundation

/// A vendor that repeats what it hears on a web socket and tells of everything that happens to it.
struct EchoServer: VendorServer {
  static let paths = ["GET /live", "GET /private", "POST /say"]

  private var sockets: Set<Int> = []
  private var outputs: [VendorSocketOutput] = []
  private var alarms: [Date] = []

  init(seed: UInt64?, at now: Date) {}

  mutating func answer(_ request: VendorRequest, at now: Date) -> VendorAnswer {
    guard request.path == "/say" else { return Self.unknown(request) }
    tell(String(decoding: request.body, as: UTF8.self))
    return VendorAnswer(reply: VendorReply(json: ["ok": true]))
  }

  mutating func openSocket(
    _ socket: Int, for request: VendorRequest, at now: Date
  ) -> VendorSocketAnswer? {
    switch request.path {
    case "/live":
      sockets.insert(socket)
      return .accepted(
        VendorSocketOpening(
          subprotocols: ["echo"], effects: [VendorEffect("opened", by: "ada")],
          summary: "an echo"))
    case "/private":
      return .refused(VendorAnswer(reply: VendorReply(403, json: ["error": "private"])))
    default: return nil
    }
  }

  /// Repeats a text; `in N` is answered after so many seconds.
  mutating func hear(_ text: String, on socket: Int, at now: Date) -> VendorHearing {
    if text.hasPrefix("in "), let seconds = Double(text.dropFirst(3)) {
      alarms.append(now.addingTimeInterval(seconds))
    } else {
      outputs.append(VendorSocketOutput(.say(text), on: socket))
    }
    return VendorHearing(
      effects: [VendorEffect("heard", of: text, by: "ada")], summary: "a text")
  }

  mutating func socketClosed(_ socket: Int, at now: Date) {
    sockets.remove(socket)
    tell("\(socket) is gone")
  }

  mutating func takeSocketOutput(at now: Date) -> [VendorSocketOutput] {
    for alarm in alarms where alarm <= now { tell("\(alarm.timeIntervalSince1970)") }
    alarms.removeAll { $0 <= now }
    defer { outputs = [] }
    return outputs
  }

  var nextMoment: Date? { alarms.min() }

  mutating func put(_ item: JSON, at now: Date) throws(EngagementError) -> JSON {
    tell("put")
    return item
  }

  mutating func remove(_ id: String, at now: Date) -> Bool {
    tell("remove \(id)")
    return true
  }

  mutating func push(_ message: JSON, at now: Date) throws(EngagementError) -> JSON {
    tell("push")
    return message
  }

  /// `{"close": 1011}` closes every socket.
  mutating func configure(_ settings: JSON, at now: Date) throws(EngagementError) {
    guard let code = try SettingFields(settings, allowed: ["close"]).count("close") else { return }
    let close = try SocketClose(SocketCloseCode(rawValue: UInt16(clamping: code)), "configured")
    for socket in sockets.sorted() {
      outputs.append(VendorSocketOutput(.close(close), on: socket))
    }
  }

  mutating func put(_ items: [[UInt8]], in feed: Feed, for user: User, at now: Date) {}
  mutating func clear(_ feed: Feed, of user: User, at now: Date) {}
  mutating func expireCredentials(at now: Date) { tell("expired") }
  func user(of request: VendorRequest) -> User? { nil }

  /// Says a text on all sockets.
  private mutating func tell(_ text: String) {
    for socket in sockets.sorted() { outputs.append(VendorSocketOutput(.say(text), on: socket)) }
  }
}

extension VendorRegistration {
  static let echo = {
    var echo = VendorRegistration(planned: "echo", title: "Echo", port: 8405)
    echo.server = EchoServer.self
    echo.credentialHeaders = ["sec-websocket-key"]
    return echo
  }()
}

extension Stand {
  /// Runs a test with an emulator of the vendor `echo`.
  static func runEcho(
    faults: JSON? = nil, _ body: (Stand) async throws -> Void
  ) async throws {
    try await run(vendors: ["echo"], faults: faults, body)
  }

  var echo: String { emulator.endpoint(of: "echo") }
}
