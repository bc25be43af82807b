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

/// What the vendor's settings limit and block, and what it is told once.
@Suite struct BrazeAdapterTests {
  private static let success = HTTPResponse.json(201, #"{"message":"success"}"#)

  private static func event(
    _ id: EventID, _ name: String, _ kind: EngagementEvent.Kind = .custom,
    _ properties: JSONObject = [:]
  ) -> EngagementEvent {
    EngagementEvent(
      id: id, kind: kind, time: TestClock().now, name: name, properties: properties)
  }

  // MARK: Blocklists

  private static let blocked = """
    ,"events_blacklist":["noise",7],"purchases_blacklist":["sample"],\
    "attributes_blacklist":["email","tier"]
    """

  @Test("an event that the settings block stays local and counts as delivered")
  func blockedEvents() async throws {
    let scene = try await BrazeScene.enabled(
      config: BrazeScene.config(100, with: Self.blocked), data: [Self.success])
    let price: JSONObject = ["currency": "EUR", "price": 1]
    let events = [
      Self.event("1", "noise"), Self.event("2", "signal"),
      Self.event("3", "sample", .purchase, price), Self.event("4", "shoes", .purchase, price),
    ]
    #expect(await scene.perform(.events(events)) == .done)
    let names = scene.body(0)["events"]?.array?.map { $0["data"]?["n"] ?? $0["data"]?["pid"] }
    #expect(names == ["signal", "shoes"])
    #expect(await scene.perform(.events([events[0], events[2]])) == .done)
    #expect(scene.transport.requests.count == 1, "nothing is left to tell")
  }

  @Test("a blocked attribute is left out, and an update of only blocked ones sends no request")
  func blockedAttributes() async throws {
    let scene = try await BrazeScene.enabled(
      config: BrazeScene.config(100, with: Self.blocked), data: [Self.success])
    var update = PersonUpdate()
    update.email = "ada@example.com"
    update.custom = ["tier": "gold"]
    #expect(await scene.perform(.updatePerson(update)) == .done)
    #expect(scene.transport.requests.isEmpty)
    update.phone = "+359888"
    update.custom["size"] = "m"
    #expect(await scene.perform(.updatePerson(update)) == .done)
    #expect(
      scene.body(0)["attributes"] == [
        ["user_id": "u-1", "phone": "+359888", "custom": ["size": "m"]]
      ])
  }

  @Test(
    "a malformed blocklist blocks nothing",
    arguments: [
      "", #","events_blacklist":null"#, #","events_blacklist":"noise""#,
      #","events_blacklist":{"noise":1}"#, #","events_blacklist":[["noise"],null]"#,
    ])
  func blocklistShapes(members: String) async throws {
    let scene = try await BrazeScene.enabled(
      config: BrazeScene.config(100, with: members), data: [Self.success])
    #expect(await scene.perform(.events([Self.event("1", "noise")])) == .done)
    #expect(scene.told == ["ce"])
  }

  @Test("newer settings without a blocklist end the old one")
  func blocklistEnds() async throws {
    let scene = try await BrazeScene.enabled(
      config: BrazeScene.config(100, with: Self.blocked),
      data: [.json(200, BrazeScene.config(101)), Self.success])
    _ = await scene.perform(.settings)
    scene.transport.forget()
    #expect(await scene.perform(.events([Self.event("1", "noise")])) == .done)
    #expect(scene.told == ["ce"])
  }

  @Test("attributes of more than 75 KB are refused without a request")
  func largeAttributes() async throws {
    let scene = try await BrazeScene.enabled()
    var update = PersonUpdate()
    update.custom = ["t": .string(String(repeating: "x", count: 75 * 1_024))]
    guard case .refused(let error) = await scene.perform(.updatePerson(update)) else {
      Issue.record("they were not refused")
      return
    }
    #expect(error.code == .invalidArgument && scene.transport.requests.isEmpty)
  }

  // MARK: Limits

  @Test("B6: without a token bucket the refresh interval of the settings separates two refreshes")
  func refreshInterval() async throws {
    let scene = try await BrazeScene.enabled(
      config: BrazeScene.config(100, limit: #","refresh_rate_limit":60"#))
    #expect(await scene.perform(BrazeScene.cards, isUserRequested: true) == .done)
    let next = scene.clock.now.addingTimeInterval(60)
    #expect(await scene.perform(BrazeScene.cards, isUserRequested: true) == .wait(until: next))
    #expect(await scene.sync() == .done, "only what the user asks for is limited")
    scene.clock.advance(by: .seconds(60))
    #expect(await scene.perform(BrazeScene.cards, isUserRequested: true) == .done)
  }

  @Test(
    "B6: an invalid interval limits nothing, and a bucket setting takes precedence over an interval",
    arguments: [
      #","refresh_rate_limit":0"#, #","refresh_rate_limit":"60""#,
      #","refresh_rate_limit":60,"rate_limit":{"enabled":false}"#,
    ])
  func noInterval(limit: String) async throws {
    let scene = try await BrazeScene.enabled(config: BrazeScene.config(100, limit: limit))
    for _ in 0..<3 {
      #expect(await scene.perform(BrazeScene.cards, isUserRequested: true) == .done)
    }
  }

  @Test("B6: an empty global bucket delays every request and loses no event")
  func allRequests() async throws {
    let limit =
      #","global_request_rate_limit":{"enabled":true,"capacity":10,"refill_rate":30}"#
    let scene = try await BrazeScene.enabled(
      config: BrazeScene.config(100, with: limit), data: [Self.success])
    let receipt = try await scene.engagement.track("kept")
    for _ in 1...10 { #expect(await scene.sync() == .done) }
    let next = scene.clock.now.addingTimeInterval(30)
    #expect(await scene.sync() == .wait(until: next))
    await scene.deliver()
    #expect(try await scene.pending == 2, "the event and the start of its session")
    #expect(scene.told == [])
    scene.clock.advance(by: .seconds(30))
    await scene.deliver()
    #expect(try await receipt.outcome() == .delivered)
    #expect(scene.told == ["ce"])
  }

  @Test("B6: an endpoint with a bucket of its own delays its requests and no others")
  func oneEndpoint() async throws {
    let limit = """
      ,"global_request_rate_limit":{"enabled":true,"capacity":100,"refill_rate":1,\
      "endpoint_overrides":{"content_cards/sync":{"capacity":2,"refill_rate":60}}}
      """
    let scene = try await BrazeScene.enabled(
      config: BrazeScene.config(100, with: limit), data: [Self.success])
    for _ in 1...2 { #expect(await scene.sync() == .done) }
    #expect(await scene.sync() == .wait(until: scene.clock.now.addingTimeInterval(60)))
    let receipt = try await scene.engagement.track("not delayed")
    await scene.deliver()
    #expect(try await receipt.outcome() == .delivered)
    scene.clock.advance(by: .seconds(60))
    #expect(await scene.sync() == .done)
  }

  @Test("X8: the push token goes with the user to the next one, and is taken back at a sign-out")
  func pushTransitions() throws {
    let adapter = try BrazeScene.adapter()
    func steps(_ old: User, _ new: User, isRegistered: Bool = true) -> [TransitionStep] {
      let values: [(Scope, String, String)] =
        isRegistered ? [(.installation, "push.production", "1")] : []
      return adapter.transition(
        from: old, to: new, in: BrazeScene.context(user: old, values: values))
    }
    #expect(steps("u-1", "u-2") == [.sendPending, .enter(.registerPush(.production))])
    #expect(steps("u-1", .anonymous) == [.sendPending, .leave(.unregisterPush(.production))])
    #expect(steps("u-1", "u-2", isRegistered: false) == [.sendPending])
    #expect(!steps(.anonymous, "u-1").contains(.enter(.registerPush(.production))))
  }

  @Test(
    "B7: an update with a value that the vendor's clients refuse is refused before any request",
    arguments: [
      ("email", "nope"), ("email", "a@b"), ("email", "@b.c"), ("email", "a@b."),
      ("email", "a@.c"), ("phone", "abc"), ("phone", ""), ("custom", "a\"b"), ("custom", ""),
      ("custom", "a\nb"), ("custom", String(repeating: "x", count: 256)),
    ])
  func badValues(field: String, value: String) throws {
    var update = PersonUpdate()
    switch field {
    case "email": update.email = value
    case "phone": update.phone = value
    default: update.custom[value] = 1
    }
    let error = #expect(throws: EngagementError.self) {
      try BrazeScene.adapter().step(for: .updatePerson(update), in: BrazeScene.context())
    }
    #expect(error?.code == .invalidArgument)
    #expect(value.isEmpty || field == "custom" || error?.message.contains(value) == false)
  }

  @Test(
    "B7: an update with a value that the vendor's clients take is sent",
    arguments: [("email", "a.b@c.d"), ("email", "\"x y\"@é.org"), ("phone", "+1 (23) 4.5-6")])
  func goodValues(field: String, value: String) throws {
    var update = PersonUpdate()
    if field == "email" { update.email = value } else { update.phone = value }
    guard
      case .send = try BrazeScene.adapter().step(
        for: .updatePerson(update), in: BrazeScene.context())
    else {
      Issue.record("\(value) was not sent")
      return
    }
  }

  @Test(
    "B6: an invalid or disabled global bucket limits nothing",
    arguments: [
      #"{"enabled":true,"capacity":1}"#, #"{"enabled":false,"capacity":1,"refill_rate":9}"#,
      #"{"enabled":true,"capacity":0,"refill_rate":9}"#, "[]", "null",
    ])
  func noLimit(limit: String) async throws {
    let scene = try await BrazeScene.enabled(
      config: BrazeScene.config(100, with: #","global_request_rate_limit":\#(limit)"#))
    for _ in 0..<3 { #expect(await scene.sync() == .done) }
  }

  // MARK: Dismissals

  @Test("B3: a repeated dismissal is sent once, within one batch and across batches")
  func dismissedOnce() async throws {
    let scene = try await BrazeScene.enabled(
      syncs: [BrazeScene.sync(full: true, [BrazeScene.card("a"), BrazeScene.card("b")])],
      data: [Self.success])
    _ = await scene.sync()
    var receipts: [Engagement.Receipt] = []
    for _ in 0..<2 { receipts.append(try await scene.act(.dismiss, on: "a")) }
    await scene.deliver()
    #expect(scene.told == ["ccd a"])
    receipts.append(try await scene.act(.dismiss, on: "a"))
    receipts.append(try await scene.act(.dismiss, on: "b"))
    await scene.deliver()
    #expect(scene.told == ["ccd a", "ccd b"])
    for receipt in receipts { #expect(try await receipt.outcome() == .delivered) }
  }

  @Test("B3: a failed dismissal is sent again")
  func dismissedAgain() async throws {
    let scene = try await BrazeScene.enabled(
      syncs: [BrazeScene.sync(full: true, [BrazeScene.card("a")])],
      data: [HTTPResponse(503), Self.success])
    _ = await scene.sync()
    let receipt = try await scene.act(.dismiss, on: "a")
    await scene.deliver()
    scene.clock.advance(by: .seconds(60))
    await scene.deliver()
    #expect(scene.told == ["ccd a", "ccd a"])
    #expect(try await receipt.outcome() == .delivered)
  }

  @Test(
    "B3: a card that returns after its removal can be dismissed again",
    arguments: [
      BrazeScene.sync(full: true, []), BrazeScene.sync(full: false, [#"{"id":"a","r":true}"#]),
    ])
  func dismissedAnew(gone: String) async throws {
    let listed = BrazeScene.sync(full: true, [BrazeScene.card("a")])
    let scene = try await BrazeScene.enabled(
      syncs: [listed, gone, listed], data: [Self.success])
    for _ in 0..<2 {
      _ = await scene.sync()
      try await scene.act(.dismiss, on: "a")
      await scene.deliver()
      _ = await scene.sync()
    }
    #expect(scene.told == ["ccd a", "ccd a"])
  }

  // MARK: Configuration

  @Test("the session time-out is the configuration's")
  func sessions() async throws {
    let configuration = try BrazeConfiguration(
      endpoint: "https://sdk.example.com", apiKey: Secret("k"), sessionTimeout: .seconds(30))
    #expect(BrazeAdapter(configuration).capabilities.sessionTimeout == .seconds(30))
  }

  @Test(
    "the settings only lengthen the session time-out, and not for the vendor's messages",
    arguments: [
      ("", nil), (#","minimum_session_timeout":3600"#, 3_600),
      (#","minimum_session_timeout":10"#, 1_800), (#","minimum_session_timeout":0"#, nil),
      (#","minimum_session_timeout":"60""#, nil),
    ] as [(String, Int?)])
  func leastSession(member: String, seconds: Int?) async throws {
    let scene = try await BrazeScene.enabled(config: BrazeScene.config(100, with: member))
    let settings = try await scene.engagement.settings(of: "braze")
    #expect(settings.sessionTimeout == seconds.map { .seconds($0) })
  }

  @Test("an empty version or a zero session timeout is an invalid configuration")
  func configuration() {
    let version = #expect(throws: EngagementError.self) {
      try BrazeConfiguration(
        endpoint: "https://sdk.example.com", apiKey: Secret("k"), sdkVersion: "")
    }
    #expect(version?.message.hasPrefix("sdkVersion:") == true)
    let session = #expect(throws: EngagementError.self) {
      try BrazeConfiguration(
        endpoint: "https://sdk.example.com", apiKey: Secret("k"), sessionTimeout: .zero)
    }
    #expect(session?.message.hasPrefix("sessionTimeout:") == true)
  }
}
