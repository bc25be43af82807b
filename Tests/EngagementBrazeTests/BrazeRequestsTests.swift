import BrazeFixtures
import EngagementAdapterAPI
import EngagementBraze
import EngagementHTTP
import EngagementJSON
import EngagementKit
import EngagementModel
import EngagementTesting
import FoundationEssentials
import Testing

/// The request of each operation, byte for byte.
@Suite struct BrazeRequestsTests {
  private static let opening = """
    {"api_key":"key-1","time":1790845200,"sdk_version":"1.0.0","device_id":"device-1",\
    "app_version":"2.0.0"
    """
  private static let device = """
    ,"device":{"os_version":"12","locale":"en_US","time_zone":"Europe/Sofia"}
    """
  private static let user = #","user_id":"u-1""#
  private static let closing = #","respond_with":{"user_id":"u-1","config":{"config_time":0}}}"#
  private static let enabled: [(Scope, String, String)] = [(.installation, "cards.enabled", "1")]

  private func request(
    _ operation: Operation, _ context: AdapterContext, signs: Bool = false
  ) throws -> HTTPRequest? {
    let adapter = try BrazeScene.adapter(signs: signs)
    guard case .send(let request) = try adapter.step(for: operation, in: context) else {
      return nil
    }
    return request
  }

  private func text(_ operation: Operation, _ context: AdapterContext) throws -> String? {
    try request(operation, context).map { String(decoding: $0.body ?? [], as: UTF8.self) }
  }

  // MARK: Bodies

  private static func event(
    _ kind: EngagementEvent.Kind, id: EventID = "e", name: String? = nil,
    _ properties: JSONObject = [:]
  ) -> EngagementEvent {
    EngagementEvent(
      id: id, kind: kind, time: Date(timeIntervalSince1970: 1_790_845_201.5),
      session: "session-2", name: name, properties: properties)
  }

  private static func told(_ name: String, _ data: String) -> String {
    """
    ,"events":[{"name":"\(name)","time":1790845201.5,"data":\(data),"session_id":"session-2",\
    "user_id":"u-1"}]
    """
  }

  private static var update: PersonUpdate {
    var update = PersonUpdate()
    (update.email, update.phone) = ("a@example.com", "+359888")
    (update.city, update.country) = ("Plovdiv", "BG")
    update.custom = ["tier": "gold", "old": .null]
    return update
  }

  private static var lists: PersonUpdate {
    var update = PersonUpdate()
    update.notifications = true
    update.custom = ["likes": ["tea", "soup"], "tier": "gold"]
    return update
  }

  static let bodies: [(Operation, String)] = [
    (.settings, ""),
    (
      .updatePerson(update),
      """
      ,"attributes":[{"user_id":"u-1","email":"a@example.com","phone":"+359888",\
      "home_city":"Plovdiv","country":"BG","custom":{"tier":"gold","old":null}}]
      """
    ),
    (.registerPush(.production), #","attributes":[{"user_id":"u-1","push_token":"0a0b"}]"#),
    (.unregisterPush(.production), #","attributes":[{"user_id":"u-1","push_token":null}]"#),
    (
      .updatePerson(lists),
      """
      ,"events":[{"name":"set","time":1790845200.25,"data":{"key":"likes","value":["tea","soup"]},\
      "session_id":"session-1","user_id":"u-1"}],\
      "attributes":[{"user_id":"u-1","push_subscribe":"opted_in","custom":{"tier":"gold"}}]
      """
    ),
    (.events([event(.sessionStart)]), told("ss", "{}")),
    (.events([event(.sessionEnd, ["seconds": 61])]), told("se", #"{"d":61}"#)),
    (
      .events([event(.custom, name: "seen", ["sku": "1"])]),
      told("ce", #"{"n":"seen","p":{"sku":"1"}}"#)
    ),
    (
      .events([
        event(.purchase, name: "sku-1", ["currency": "eur", "price": 9.5, "size": "L"])
      ]),
      told("p", #"{"pid":"sku-1","c":"EUR","p":"9.50","q":1,"pr":{"size":"L"}}"#)
    ),
  ]

  @Test("B3: an event that was accepted without a session belongs to the present one")
  func sessionless() throws {
    var event = Self.event(.custom, name: "seen")
    event.session = nil
    var context = BrazeScene.context()
    #expect(try text(.events([event]), context)?.contains(#""session_id":"session-1""#) == true)
    context.session = nil
    #expect(try text(.events([event]), context)?.contains("session_id") == false)
  }

  @Test(
    "a price travels as text with two decimals",
    arguments: [
      (0, "0.00"), (1, "1.00"), (9.99, "9.99"), (0.05, "0.05"), (19.999, "20.00"), (-2.5, "-2.50"),
      (-0.01, "-0.01"), (1e12, "1000000000000.00"),
    ] as [(Double, String)])
  func price(number: Double, text: String) throws {
    let event = Self.event(.purchase, name: "a", ["currency": "EUR", "price": .number(number)])
    let request = try request(.events([event]), BrazeScene.context())
    let body = try JSON(parsing: try #require(request?.body))
    #expect(body["events"]?.array?.first?["data"]?["p"] == .string(text))
  }

  @Test("B7 B8: each operation of the data endpoint sends its documented body", arguments: bodies)
  func body(operation: Operation, part: String) throws {
    var context = BrazeScene.context()
    context.push[.production] = PushRegistration(token: Secret("0a0b"), service: .apns)
    let text = try text(operation, context)
    #expect(text == Self.opening + Self.device + Self.user + part + Self.closing)
    #expect(try request(operation, context)?.line == BrazeScene.dataLine)
  }

  @Test("B4: a sync sends the last watermarks, and another version starts with a full sync")
  func watermarks() throws {
    let kept: [(Scope, String, String)] = [
      (.user, "cards.fullSyncAt", "7"), (.user, "cards.updatedAt", "8"),
    ]
    let body = { (full: Int, updated: Int) in
      Self.opening + Self.device
        + #","last_full_sync_at":\#(full),"last_card_updated_at":\#(updated)"# + Self.user + "}"
    }
    let same = BrazeScene.context(
      values: Self.enabled + kept + [(.user, "cards.version", "1.0.0")])
    #expect(try text(BrazeScene.cards, same) == body(7, 8))
    #expect(try request(BrazeScene.cards, same)?.line == BrazeScene.syncLine)
    let other = BrazeScene.context(
      values: Self.enabled + kept + [(.user, "cards.version", "0.9.0")])
    #expect(try text(BrazeScene.cards, other) == body(0, 0))
  }

  @Test("the device is sent until a request succeeds, and again after it changes")
  func device() async throws {
    let adapter = try BrazeScene.adapter()
    var context = BrazeScene.context()
    let answer = adapter.answer(
      to: .settings, from: .json(200, #"{"message":"success"}"#), in: context)
    for case .keep(let scope, let key, let value) in answer.changes {
      context.values[scope, key] = value
    }
    #expect(try text(.settings, context) == Self.opening + Self.user + Self.closing)
    context.device.timeZone = "UTC"
    #expect(try text(.settings, context)?.contains(#""time_zone":"UTC""#) == true)
  }

  @Test("an anonymous request names no user")
  func anonymous() throws {
    let text = try text(.settings, BrazeScene.context(user: .anonymous))
    #expect(text == Self.opening + Self.device + #","respond_with":{"config":{"config_time":0}}}"#)
  }

  // MARK: Headers

  @Test("B7: headers carry the key, the attempt, the kind of request and the signature")
  func headers() throws {
    let common = [
      "Content-Type: application/json", "X-Requested-With: XMLHttpRequest",
      "X-Braze-Api-Key: <redacted>",
    ]
    let data = try request(.settings, BrazeScene.context())
    #expect(
      data?.headers.fields.map(\.description) == common + [
        "X-Braze-Last-Req-Ms-Ago: 7200000", "X-Braze-Req-Attempt: 1",
      ])
    #expect(data?.headers.secret("X-Braze-Api-Key") == Secret("key-1"))
    let sync = try request(
      BrazeScene.cards,
      BrazeScene.context(values: Self.enabled, credential: Secret("jwt"), attempt: 3),
      signs: true)
    #expect(
      sync?.headers.fields.map(\.description) == common + [
        "X-Braze-Last-Req-Ms-Ago: 7200000", "X-Braze-Req-Attempt: 3",
        "X-Braze-Auth-Signature: <redacted>",
        "X-Braze-DataRequest: true", "X-Braze-ContentCardsRequest: true",
        "BRAZE-SYNC-RETRY-COUNT: 2",
      ])
    #expect(sync?.headers.secret("X-Braze-Auth-Signature") == Secret("jwt"))
  }

  @Test("B7: headers account for each endpoint: the time since its last answer, failures, tokens")
  func account() throws {
    let now = BrazeScene.context().now.timeIntervalSince1970 * 1_000
    let values: [(Scope, String, String)] = [
      (.installation, "cards.enabled", "1"), (.installation, "failed.data", "3"),
      (.installation, "answered.data", String(Int64(now) - 1_500)),
      (.installation, "answered.cards", String(Int64(now) - 9_000_000)),
      (.installation, "bucket.all.capacity", "30"), (.installation, "bucket.all.refill", "30000"),
      (.installation, "bucket.data.capacity", "12"), (.installation, "bucket.data.refill", "1000"),
      (.installation, "bucket.data.fullAt", String(Int64(now) + 2_500)),
    ]
    let context = BrazeScene.context(values: values)
    func headers(_ operation: Operation) throws -> [String: String] {
      let request = try #require(try request(operation, context))
      return Dictionary(
        request.headers.fields.map {
          ($0.name, $0.description.split(separator: ": ").last.map(String.init) ?? "")
        }, uniquingKeysWith: { $1 })
    }
    let data = try headers(.settings)
    #expect(data["X-Braze-Last-Req-Ms-Ago"] == "1500" && data["X-Braze-Req-Attempt"] == "4")
    #expect(data["X-Braze-Req-Tokens-Remaining"] == "29")
    // Three of twelve are missing, and this request takes one.
    #expect(data["X-Braze-Ept-Req-Tokens-Remaining"] == "8")
    let cards = try headers(BrazeScene.cards)
    #expect(cards["X-Braze-Last-Req-Ms-Ago"] == "7200000" && cards["X-Braze-Req-Attempt"] == "1")
    #expect(cards["X-Braze-Ept-Req-Tokens-Remaining"] == nil)
  }

  @Test(
    "B7: a signed-in user's request needs a valid signature, and an anonymous request has none",
    arguments: [("u-1", nil), ("u-1", Secret("a\r\nb: c")), (.anonymous, nil)] as [(User, Secret?)])
  func signatures(user: User, credential: Secret?) throws {
    let context = BrazeScene.context(user: user, credential: credential)
    guard !user.isAnonymous else {
      let request = try request(.settings, context, signs: true)
      #expect(request?.headers.contains("X-Braze-Auth-Signature") == false)
      return
    }
    let error = #expect(throws: EngagementError.self) {
      try request(.settings, context, signs: true)
    }
    #expect(error?.code == .unauthenticated)
  }

  @Test("B7: only an operation with a request needs a signature")
  func nothingToSign() throws {
    let adapter = try BrazeScene.adapter(signs: true)
    guard case .done = try adapter.step(for: BrazeScene.cards, in: BrazeScene.context()) else {
      Issue.record("cards are disabled")
      return
    }
    let error = #expect(throws: EngagementError.self) {
      try adapter.step(for: .events([Self.event(.vote)]), in: BrazeScene.context())
    }
    #expect(error?.code == .invalidArgument)
  }

  // MARK: Refusals before any request

  private static var renamed: PersonUpdate {
    var update = PersonUpdate()
    update.name = "A"
    return update
  }

  static let refusals: [(Operation, EngagementError.Code)] = [
    (.inbox, .unsupported), (.metrics, .unsupported), (.campaigns, .unsupported),
    (.associate("u-2"), .unsupported), (.vendor("x", .null), .unsupported),
    (.cards(in: "home", matching: []), .unsupported),
    (.cards(in: nil, matching: [.priority(.equals(1))]), .unsupported),
    (.updatePerson(renamed), .unsupported), (.updatePerson(PersonUpdate()), .invalidArgument),
    (.registerPush(.sandbox), .invalidArgument),
    (.events([event(.vote)]), .invalidArgument), (.events([event(.click)]), .invalidArgument),
    (.events([event(.custom)]), .invalidArgument),
    (.events([event(.purchase, name: "a", ["currency": "EUR"])]), .invalidArgument),
    (
      .events([event(.purchase, name: "a", ["currency": "EUR", "price": 1, "quantity": 101])]),
      .invalidArgument
    ),
    (.events([event(.purchase, name: "a", ["currency": "ABC", "price": 1])]), .invalidArgument),
    (.events([event(.purchase, name: "a", ["currency": "EUR", "price": 1e30])]), .invalidArgument),
    (.events([event(.purchase, name: "a", ["currency": "EUR", "price": "1"])]), .invalidArgument),
    (
      .events([event(.custom, name: String(repeating: "x", count: 256))]), .invalidArgument
    ),
    (.events([event(.custom, name: "a\u{7}")]), .invalidArgument),
    (
      .events([event(.custom, name: "a", ["t": .string(String(repeating: "x", count: 51_200))])]),
      .invalidArgument
    ),
  ]

  @Test("an operation that Braze lacks or would refuse sends no request", arguments: refusals)
  func refusal(operation: Operation, code: EngagementError.Code) async throws {
    let scene = try await BrazeScene(ScriptedTransport([:]))
    guard case .refused(let error) = await scene.perform(operation) else {
      Issue.record("\(operation.verb) was not refused")
      return
    }
    #expect(error.code == code)
    #expect(scene.transport.requests.isEmpty)
  }

  @Test("a user id of 997 bytes is sent, and a longer one is refused")
  func longUserID() throws {
    let longest = User(UserID(String(repeating: "é", count: 498) + "a"))
    #expect(try request(.settings, BrazeScene.context(user: longest)) != nil)
    let longer = User(UserID(String(repeating: "é", count: 499)))
    let error = #expect(throws: EngagementError.self) {
      try request(.settings, BrazeScene.context(user: longer))
    }
    #expect(error?.code == .invalidArgument)
  }

  @Test("each unsupported event is rejected on its own, and the others are sent")
  func partly() async throws {
    let scene = try await BrazeScene(
      ScriptedTransport([BrazeScene.dataLine: [.json(200, #"{"message":"success"}"#)]]))
    let bad = Self.event(.vote, id: "bad")
    let good = Self.event(.custom, id: "good", name: "n")
    let outcome = await scene.perform(.events([bad, good]))
    #expect(
      outcome == .partly(rejected: ["bad": "Braze does not take events of the kind vote."]))
    #expect(scene.body(0)["events"]?.array?.count == 1)
  }

  @Test("B3: a local click counts as delivered next to a rejected event")
  func quietAndBad() async throws {
    let scene = try await BrazeScene(
      ScriptedTransport([BrazeScene.dataLine: [.json(200, #"{"message":"success"}"#)]]))
    let card = try BrazeScene.adapter().card(
      in: RawItem(index: 0, bytes: Array(BrazeScene.card("plain").utf8)[...]))
    var click = Self.event(.click, id: "quiet")
    click.item = ItemReference(card)
    #expect(await scene.perform(.events([click])) == .done)
    #expect(scene.transport.requests.isEmpty)
    let outcome = await scene.perform(.events([click, Self.event(.custom, id: "bad")]))
    #expect(
      outcome
        == .partly(rejected: [
          "bad":
            "Braze does not take the name of the event: a name has 1 to 255 characters, no quotation marks and no control characters."
        ]))
    #expect(scene.body(0)["events"] == [])
  }

  // MARK: Configuration

  @Test(
    "an invalid configuration fails at the start and names its field",
    arguments: [
      ("http://sdk.example.com", "k", "endpoint"), ("sdk.example.com", "k", "endpoint"),
      ("https://sdk.example.com/api", "k", "endpoint"), ("wss://sdk.example.com", "k", "endpoint"),
      ("https://a@sdk.example.com", "k", "endpoint"), ("", "k", "endpoint"),
      ("https://sdk.example.com", "", "apiKey"),
    ])
  func configuration(endpoint: String, key: String, field: String) {
    let error = #expect(throws: EngagementError.self) {
      try BrazeConfiguration(endpoint: endpoint, apiKey: Secret(key))
    }
    #expect(error?.code == .invalidConfiguration)
    #expect(error?.message.hasPrefix("\(field):") == true)
  }

  @Test("a loopback emulator may be reached without TLS")
  func loopback() throws {
    let adapter = BrazeAdapter(
      try BrazeConfiguration(endpoint: "http://127.0.0.1:8400", apiKey: Secret("k")))
    guard case .send(let request) = try adapter.step(for: .settings, in: BrazeScene.context())
    else {
      Issue.record("no request")
      return
    }
    #expect(request.url == "http://127.0.0.1:8400/api/v3/data/")
    #expect(adapter.capabilities.hosts.allows(try request.target()))
  }
}
