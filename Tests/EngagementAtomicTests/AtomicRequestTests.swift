import AtomicFixtures
import EngagementAdapterAPI
import EngagementAtomic
import EngagementHTTP
import EngagementModel
import EngagementTesting
import FoundationEssentials
import Testing

/// What Atomic is asked, operation by operation.
@Suite struct AtomicRequestTests {
  /// One operation with what it becomes.
  struct Row: Sendable, CustomTestStringConvertible {
    var operation: EngagementAdapterAPI.Operation
    var line: String
    var body: String?

    init(_ operation: EngagementAdapterAPI.Operation, _ line: String, _ body: String? = nil) {
      self.operation = operation
      self.line = line
      self.body = body
    }

    var testDescription: String { "\(operation.verb)" }
  }

  private static let card = ItemReference(
    ItemID("atomic", "1f0c"), on: .cards, in: "BqWL1sT", handle: ["status": "active"])

  static let rows: [Row] = [
    Row(.cards(in: "BqWL1sT", matching: []), "GET /feed/BqWL1sT"),
    Row(.cards(in: "a/b ?", matching: []), "GET /feed/a%2Fb%20%3F"),
    Row(
      .cards(in: "c", matching: [.priority(.between(2, 6)), .templateName(.equals("Bill"))]),
      "GET /feed/c?filters=%7B%22metadata.priority__between%22%3A%5B2%2C6%5D%2C"
        + "%22metadata.cardTemplateName__eq%22%3A%22Bill%22%7D"),
    Row(.metrics, "GET /user-metrics"),
    Row(
      .act(.dismiss, on: card), "POST /dismiss",
      #"{"streamContainerId":"BqWL1sT","cardInstanceId":"1f0c"}"#),
    Row(
      .act(.snooze(seconds: 3600), on: card), "POST /snooze",
      #"{"streamContainerId":"BqWL1sT","cardInstanceId":"1f0c","interval":"PT3600S"}"#),
    Row(
      .act(.submit(button: "pay", values: ["note": "hi", "amount": 2.5, "now": true]), on: card),
      "POST /response",
      #"{"streamContainerId":"BqWL1sT","cardInstanceId":"1f0c","#
        + #""values":{"note":"hi","amount":2.5,"now":true}}"#),
    Row(
      .registerPush(.production), "PUT /register",
      #"{"token":"62171b34","deviceId":"device-1","appId":"com.example.app","platform":"iOS"}"#),
    Row(
      .registerPush(.sandbox), "PUT /register",
      #"{"token":"fcm:1","deviceId":"device-1","appId":"com.example.app","platform":"Android"}"#),
    Row(
      .unregisterPush(.production), "DELETE /deregister-token",
      #"{"deviceId":"device-1","appId":"com.example.app"}"#),
    Row(
      .pushContainers(["BqWL1sT", "Xy12"], notifications: false),
      "PUT /register-containers",
      #"{"deviceId":"device-1","appId":"com.example.app","#
        + #""streamContainerIds":["BqWL1sT","Xy12"],"notificationsEnabled":false}"#),
    Row(
      .pushContainers([], notifications: nil), "PUT /register-containers",
      #"{"deviceId":"device-1","appId":"com.example.app","streamContainerIds":[]}"#),
    Row(
      .updatePerson(update), "PUT /update-user",
      #"{"preferences":{"notificationsEnabled":true,"notifications":{"#
        + #""default":[{"from":"08:00","to":"17:30"}],"sun":[]}},"#
        + #""profile":{"since":"2026-10-01T00:00:00.000Z","name":"Ada","email":"ada@example.com"}}"#
    ),
  ]

  private static let update: PersonUpdate = {
    var update = PersonUpdate()
    update.name = "Ada"
    update.email = "ada@example.com"
    update.custom = ["since": "2026-10-01T00:00:00.000Z"]
    update.notifications = true
    let frame = try? PersonUpdate.TimeFrame(fromHour: 8, minute: 0, toHour: 17, minute: 30)
    update.timeFrames = [.sunday: [], .everyDay: [frame].compactMap(\.self)]
    return update
  }()

  @Test(
    "A9 A10 A12 A17 A20 A22 A27: each operation becomes one request, the same every time",
    arguments: rows)
  func request(_ row: Row) throws {
    let request = try sent(row.operation)
    #expect(
      "\(request.method) \(request.url)"
        == row.line.replacing(
          " ", with: " https://999-1.client-api.atomic.io/env-1", maxReplacements: 1))
    #expect(request.body.map { String(decoding: $0, as: UTF8.self) } == row.body)
    #expect(try sent(row.operation) == request)
  }

  @Test(
    "A1 A2 A33: every request carries the credentials and the device, and prints no secret",
    arguments: rows)
  func headers(_ row: Row) throws {
    let request = try sent(row.operation)
    let token = AtomicSamples.token().revealed
    #expect(request.bearer == "Bearer \(token)")
    #expect(request.headers.secret("x-atomic-sdk-api-key") == Secret("key-1"))
    let plain = request.headers.fields.filter { $0.value.text != nil }.map(\.description)
    #expect(
      plain == [
        "Content-Type: application/json", "x-atomic-sdk-platform: Web",
        "x-atomic-sdk-version: 1.0.0", "x-atomic-sdk-timezone: Europe/Sofia",
        "x-atomic-sdk-device: Example One Linux 12",
        "x-atomic-sdk-instance-id: 7d0a1b66-0000-4000-8000-000000000001",
        "x-atomic-sdk-client-app-version: 2.0.0",
      ])
    #expect(!"\(request) \(request.headers) \(request.url)".contains(token))
    #expect(!"\(request) \(request.headers) \(request.url)".contains("key-1"))
  }

  @Test(
    "A33: an unset application version is sent as unknown, and a long one is cut to 128 characters",
    arguments: [
      (nil, "unknown"), (String(repeating: "v", count: 200), String(repeating: "v", count: 128)),
    ]
  )
  func version(_ version: String?, _ expected: String) throws {
    var context = context()
    context.device.appVersion = version
    let step = try AtomicSamples.adapter().step(for: .metrics, in: context)
    guard case .send(let request) = step else { throw AtomicSurprise("It is no request.") }
    #expect(request.headers.first("x-atomic-sdk-client-app-version") == expected)
  }

  @Test("A10: a pending snooze loses the time that it waited and never becomes negative")
  func snoozeThatWaited() throws {
    for (waited, interval) in [
      (0, "PT60S"), (59, "PT1S"), (60, "PT0S"), (9999, "PT0S"), (-5, "PT60S"),
    ] {
      var context = context()
      context.acceptedAt = context.now.addingTimeInterval(-Double(waited))
      let step = try AtomicSamples.adapter().step(
        for: .act(.snooze(seconds: 60), on: Self.card), in: context)
      guard case .send(let request) = step else { throw AtomicSurprise("It is no request.") }
      #expect(request.text.hasSuffix(#""interval":"\#(interval)"}"#))
    }
  }

  // MARK: Refused before any request

  struct Refusal: Sendable, CustomTestStringConvertible {
    var name: String
    var operation: EngagementAdapterAPI.Operation
    var code: EngagementError.Code

    init(
      _ name: String, _ operation: EngagementAdapterAPI.Operation, _ code: EngagementError.Code
    ) {
      self.name = name
      self.operation = operation
      self.code = code
    }

    var testDescription: String { name }
  }

  private static let message = ItemReference(ItemID("atomic", "m"), on: .inbox)
  private static let homeless = ItemReference(ItemID("atomic", "c"), on: .cards)

  static let refusals: [Refusal] = [
    Refusal("no container", .cards(in: nil, matching: []), .invalidArgument),
    Refusal("an empty container", .cards(in: "", matching: []), .invalidArgument),
    Refusal("a container that walks", .cards(in: "..", matching: []), .invalidArgument),
    Refusal("by card id", .cards(in: "c", matching: [.cardID("1")]), .unsupported),
    Refusal(
      "the same filter twice",
      .cards(in: "c", matching: [.priority(.atLeast(2)), .priority(.atLeast(3))]),
      .invalidArgument),
    Refusal(
      "a priority out of range", .cards(in: "c", matching: [.priority(.equals(11))]),
      .invalidArgument),
    Refusal("a negative snooze", .act(.snooze(seconds: -1), on: card), .invalidArgument),
    Refusal("a card of no container", .act(.dismiss, on: homeless), .invalidArgument),
    Refusal(
      "a value that is a list", .act(.submit(button: nil, values: ["a": [1]]), on: card),
      .invalidArgument),
    Refusal(
      "a value that is nothing", .act(.submit(button: nil, values: ["a": .null]), on: card),
      .invalidArgument),
    Refusal("a message", .act(.dismiss, on: message), .unsupported),
    Refusal("deleting a card", .act(.delete, on: card), .unsupported),
    Refusal("nothing to change", .updatePerson(PersonUpdate()), .invalidArgument),
    Refusal(
      "a container of no name", .pushContainers([""], notifications: nil), .invalidArgument),
    Refusal("an unknown operation", .vendor("other", .null), .unsupported),
    Refusal("no events that Atomic takes", .events([]), .unsupported),
    Refusal("an inbox", .inbox, .unsupported),
    Refusal("a device", .device(.register), .unsupported),
    Refusal("a configuration", .settings, .unsupported),
  ]

  @Test(
    "A1 A10 A12 A27: an operation that Atomic would refuse is refused before any request",
    arguments: refusals)
  func refused(_ refusal: Refusal) throws {
    let adapter = try AtomicSamples.adapter()
    #expect {
      try adapter.step(for: refusal.operation, in: context())
    } throws: { error in
      (error as? EngagementError)?.code == refusal.code
    }
  }

  @Test("A20: registering for push without a push token is refused")
  func registeringNothing() throws {
    var context = context()
    context.push = [:]
    let adapter = try AtomicSamples.adapter()
    #expect(throws: EngagementError.self) {
      try adapter.step(for: .registerPush(.production), in: context)
    }
  }

  @Test("A1: the anonymous user's operations are refused as signed out and no socket opens")
  func anonymous() throws {
    var context = context()
    context.user = .anonymous
    let adapter = try AtomicSamples.adapter()
    for row in Self.rows {
      #expect {
        try adapter.step(for: row.operation, in: context)
      } throws: { ($0 as? EngagementError)?.code == .signedOut }
    }
    #expect(adapter.conversation(in: context) == nil)
  }

  // MARK: Tokens

  struct Claims: Sendable, CustomTestStringConvertible {
    var name: String
    var token: Secret
    var isGood: Bool
    var claim: String?

    init(_ name: String, _ claims: JSONObject, _ isGood: Bool, claim: String? = nil) {
      self.name = name
      var claims = claims
      if claims["exp"] == nil { claims["exp"] = 1_790_848_800 }
      token = AtomicSamples.token(claims: claims)
      self.isGood = isGood
      self.claim = claim
    }

    init(_ name: String, text: String) {
      self.name = name
      token = Secret(text)
      isGood = false
    }

    var testDescription: String { name }
  }

  static let claims: [Claims] = [
    Claims("sub", ["sub": "u-1"], true),
    Claims("id", ["id": "u-1"], true),
    Claims("atomic_id before sub", ["sub": "u-2", "atomic_id": "u-1"], true),
    Claims(
      "atomic_sub before all", ["id": "a", "sub": "b", "atomic_id": "c", "atomic_sub": "u-1"], true),
    Claims("the first that is there decides", ["atomic_sub": "u-2", "sub": "u-1"], false),
    Claims("null is not there", ["atomic_sub": .null, "sub": "u-1"], true),
    Claims("bytes and not letters", ["sub": "u‑1"], false),
    Claims("the claim of the key", ["sub": "u-2", "email": "u-1"], true, claim: "email"),
    Claims("only the claim of the key", ["sub": "u-1"], false, claim: "email"),
    Claims("nobody", [:], false),
    Claims("an end that is no time", ["sub": "u-1", "exp": "tomorrow"], false),
    Claims("an end beyond all time", ["sub": "u-1", "exp": 1e300], false),
    Claims("ended", ["sub": "u-1", "exp": 1_790_845_000], false),
    Claims("ends within the margin", ["sub": "u-1", "exp": 1_790_845_259], false),
    Claims("ends behind the margin", ["sub": "u-1", "exp": 1_790_845_261], true),
    Claims("empty", text: ""),
    Claims("words", text: "not a token"),
    Claims("two parts", text: "e30.e30"),
    Claims("no object", text: "e30.W10.c2ln"),
    Claims("no JSON", text: "e30.e3.c2ln"),
    Claims("a line break", text: "e30.e30.c2ln\r\nX: y"),
  ]

  @Test("A2: the adapter sends only a well-formed, unexpired token of this user", arguments: claims)
  func token(_ claims: Claims) throws {
    var context = context()
    context.credential = claims.token
    let adapter = try AtomicSamples.adapter(userClaim: claims.claim)
    let step = Result { try adapter.step(for: .metrics, in: context) }
    switch step {
    case .success: #expect(claims.isGood)
    case .failure(let error):
      #expect(!claims.isGood)
      #expect((error as? EngagementError)?.code == .unauthenticated)
    }
  }

  @Test("A2: the application chooses the expiry margin")
  func margin() throws {
    var context = context()
    context.credential = AtomicSamples.token(ending: .seconds(61))
    let step = { (margin: Duration) in
      try AtomicSamples.adapter(margin: margin).step(for: .metrics, in: context)
    }
    _ = try step(.seconds(60))
    _ = try step(.zero)
    #expect(throws: EngagementError.self) { try step(.seconds(62)) }
  }

  // MARK: Parts

  private func context() -> AdapterContext {
    AdapterContext(
      user: "u-1", device: .test, credential: AtomicSamples.token(),
      push: [
        .production: PushRegistration(token: Secret("62171b34"), service: .apns),
        .sandbox: PushRegistration(token: Secret("fcm:1"), service: .fcm, environment: .sandbox),
      ], now: TestClock().now, key: OperationKey(1, 2))
  }

  private func sent(_ operation: EngagementAdapterAPI.Operation) throws -> HTTPRequest {
    guard case .send(let request) = try AtomicSamples.adapter().step(for: operation, in: context())
    else { throw AtomicSurprise("It is no request.") }
    return request
  }
}
