import EngagementHTTP
import EngagementModel
import Testing

@Suite("A26: request policy")
struct RequestPolicyTests {
  private static func pins() throws -> PinSet {
    try PinSet([
      Pin(sha256: [UInt8](repeating: 1, count: 32)), Pin(sha256: [UInt8](repeating: 2, count: 32)),
    ])
  }

  private static func policy() throws -> RequestPolicy {
    RequestPolicy(
      [
        .init("api.pinned.example", .allow, kind: .socket),
        .init("*.pinned.example", .allowWithPins(try pins())),
        .init("127.0.0.9", .allowWithPins(try pins())),
        .init("127.0.0.8", .deny),
        .init("sockets.example", .deny, kind: .http),
        .init("pages.example", .deny, kind: .socket),
        .init("open.example", .allow),
        .init("*.open.example", .allow),
        .init("closed.open.example", .deny),
        .init("127.0.0.1", .allow),
        .init("sockets.example", .allow),
        .init("pages.example", .allow),
      ], otherwise: .deny)
  }

  @Test(
    "A26: a URL allowed by the rules passes with the pins of its rule",
    arguments: [
      ("https://open.example/x", false), ("wss://open.example/x", false),
      ("https://OPEN.example:8443/x", false), ("https://a.b.open.example/", false),
      ("http://127.0.0.1:8400/x", false), ("ws://127.0.0.1:8403/socket", false),
      ("https://a.pinned.example/", true), ("https://api.pinned.example/", true),
      ("wss://api.pinned.example/", false), ("wss://sockets.example/", false),
      ("https://pages.example/", false), ("https://127.0.0.9/", true),
      // The first rule that matches decides, so the later denial never does.
      ("https://closed.open.example/", false),
    ])
  func allowed(_ url: String, _ isPinned: Bool) throws {
    let expected = RequestDecision.allowed(pins: isPinned ? try Self.pins() : nil)
    #expect(try Self.policy().decision(on: url) == expected)
    #expect(try Self.policy().decision(on: HTTPURL(url)) == expected)
    #expect(try Self.policy().decision(on: url).get() == (isPinned ? try Self.pins() : nil))
  }

  @Test(
    "A26: a denied URL carries the reason of its denial",
    arguments: [
      ("https:///x", RequestDecision.Reason.noHost), ("https://", .noHost),
      ("https://:443", .noHost),
      ("", .invalidURL), ("mailto:a@open.example", .invalidURL), ("open.example", .invalidURL),
      ("https:\\\\open.example", .invalidURL), ("https://open.example@evil.example", .invalidURL),
      ("file:///etc/passwd", .invalidURL), ("https://open.example:0", .invalidURL),
      ("http://open.example/", .plainText), ("ws://open.example/", .plainText),
      ("http://localhost/", .plainText), ("http://10.0.0.1/", .plainText),
      ("http://a.pinned.example/", .plainText), ("http://evil.example/", .plainText),
      ("https://evil.example/", .rule), ("wss://evil.example/", .rule),
      ("http://127.0.0.8/", .rule), ("https://127.0.0.8/", .rule),
      ("https://sockets.example/", .rule), ("wss://pages.example/", .rule),
      ("wss://a.pinned.example/", .pinsOnSocket), ("ws://127.0.0.9/", .pinsOnSocket),
      ("http://127.0.0.9/", .pinsWithoutTLS),
    ])
  func denied(_ url: String, _ reason: RequestDecision.Reason) throws {
    #expect(try Self.policy().decision(on: url) == .denied(reason))
    let error = #expect(throws: EngagementError.self) { try Self.policy().decision(on: url).get() }
    #expect(error?.code == .permissionDenied)
    #expect(error?.underlying == reason.rawValue)
  }

  @Test("A26: without rules every confidential URL is allowed, and plain text is denied")
  func byDefault() {
    #expect(RequestPolicy().decision(on: "https://any.example/") == .allowed(pins: nil))
    #expect(RequestPolicy().decision(on: "http://any.example/") == .denied(.plainText))
    #expect(RequestPolicy().decision(on: "https://") == .denied(.noHost))
  }

  @Test("A26: the default rule may require pins")
  func pinsByDefault() throws {
    let policy = RequestPolicy(otherwise: .allowWithPins(try Self.pins()))
    #expect(policy.decision(on: "https://any.example/") == .allowed(pins: try Self.pins()))
    #expect(policy.decision(on: "wss://any.example/") == .denied(.pinsOnSocket))
    #expect(policy.decision(on: "http://[::1]/") == .denied(.pinsWithoutTLS))
  }

  @Test("every denial reason has its own message", arguments: RequestDecision.Reason.allCases)
  func reasons(_ reason: RequestDecision.Reason) {
    #expect(reason.error.message.hasPrefix("The request policy denies it: "))
    #expect(Set(RequestDecision.Reason.allCases.map(\.error.message)).count == 6)
  }
}
