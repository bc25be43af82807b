import EngagementAdapterAPI
import EngagementHTTP
import EngagementKit
import EngagementModel
import EngagementTesting
import OutlineAdapters
import Testing

/// Flow 11: the socket while all is well.
@Suite(.timeLimit(.minutes(20))) struct AtomicLiveFlowTests {
  private let clock = TestClock()

  // MARK: In, subscribed, updated

  @Test("flow 11 A3 A8 A12: the socket authenticates, subscribes with filters and brings updates")
  func updates() async throws { try await flowUpdates(.complete) }

  @Test("flow 11: the update flow fails without a conversation")
  func updatesNeedAConversation() async {
    await withKnownIssue {
      try await flowUpdates(.without { $0.conversation = { _ in nil } })
    }
  }

  @Test("flow 11: the update flow fails without the conversation's commits")
  func updatesNeedCommits() async {
    await withKnownIssue {
      try await flowUpdates(.withoutAction { if case .commit = $0 { true } else { false } })
    }
  }

  @Test("flow 11: the update flow fails without the vendor's sort order")
  func updatesNeedAnOrder() async {
    await withKnownIssue { try await flowUpdates(.without { $0.capabilities.order = [:] }) }
  }

  private func flowUpdates(_ variant: KitVariant) async throws {
    let transport = ScriptedTransport([:])
    var script = try script(variant, transport)
    await script.happen(.showing([AtomicFixtures.feed, Self.urgent]))
    await enter(&script)
    await bring(&script)
    await leave(&script)
    #expect(transport.requests.isEmpty)
    #expect(Set(script.messageIDs).count == 3)
  }

  private func enter(_ script: inout AtomicLiveScript) async {
    await script.happen(.started)
    #expect(script.takeDone() == ["connect"])
    #expect(script.addresses == [Self.address])
    await script.happen(.opened)
    #expect(script.takeDone() == ["say auth", "timer authentication 7s"])
    #expect(
      script.takeSaid() == [
        ["messageType": "auth", "authToken": .string(AtomicFixtures.token().revealed)]
      ])
    await script.hear(#"{"messageType":"auth-success"}"#)
    #expect(
      script.takeDone() == ["cancel authentication", "say subscribe", "timer pulse 30s"])
    #expect(script.takeSaid() == [Self.subscription])
  }

  private func bring(_ script: inout AtomicLiveScript) async {
    let home = AtomicFixtures.feed
    // The card that comes alone stands before the feeds, and the feeds go first all the same.
    await script.hear(Self.firstUpdates)
    #expect(script.takeDone() == ["commit"])
    #expect(ids(script, home) == ["urgent", "new", "late", "early"])
    #expect(ids(script, Self.urgent) == ["urgent"])
    #expect(script.memory.cards(in: home).allSatisfy { $0.container == home.container })
    await script.hear(update("remove-card", #""subscriptionId":"s1","cardInstanceId":"late""#))
    #expect(ids(script, home) == ["urgent", "new", "early"])
    let early = AtomicFixtures.card("early", priority: 1, headline: "Now")
    await script.hear(update("update-card", #""subscriptionId":"s1","cardInstance":\#(early)"#))
    #expect(ids(script, home) == ["early", "urgent", "new"])
    #expect(script.memory.cards(in: home).first?.title == "Now")
    _ = script.takeDone()
  }

  private func leave(_ script: inout AtomicLiveScript) async {
    await script.happen(.showing([Self.urgent]))
    #expect(script.takeDone() == ["say unsubscribe"])
    #expect(
      script.takeSaid() == [
        ["messageType": "unsubscribe", "data": ["subscriptionIds": ["s1"]]]
      ])
    await script.hear(update("remove-card", #""subscriptionId":"s1","cardInstanceId":"early""#))
    #expect(script.takeDone().isEmpty, "What was given up has no news.")
  }

  // MARK: What the socket brings ends what HTTP knew

  @Test("flow 11 G20: after a socket update the next HTTP refresh fetches the whole feed")
  func tags() async throws { try await flowTags(.complete) }

  @Test("flow 11: the entity tag flow fails without the conversation's commits")
  func tagsNeedCommits() async {
    await withKnownIssue {
      try await flowTags(.withoutAction { if case .commit = $0 { true } else { false } })
    }
  }

  private func flowTags(_ variant: KitVariant) async throws {
    // The server's feed is back to what HTTP saw first when the socket ends.
    let transport = ScriptedTransport { request in
      request.headers.contains("If-None-Match")
        ? HTTPResponse(304) : AtomicFixtures.feed([AtomicFixtures.card("a")], tag: #""e1""#)
    }
    var script = try script(variant, transport)
    #expect(await script.perform(AtomicFixtures.cards) == .done)
    await script.begin()
    await script.hear(update("remove-card", #""subscriptionId":"s1","cardInstanceId":"a""#))
    #expect(ids(script, AtomicFixtures.feed).isEmpty)
    #expect(await script.perform(AtomicFixtures.cards) == .done)
    #expect(ids(script, AtomicFixtures.feed) == ["a"])
  }

  // MARK: Events on both runners

  @Test(
    "flow 11 A19 G3: an event sent on the socket and over HTTP is settled once")
  func events() async throws { try await flowEvents(.complete) }

  @Test("flow 11: the event flow fails without the conversation's commits")
  func eventsNeedSettled() async {
    await withKnownIssue {
      try await flowEvents(.withoutAction { if case .commit = $0 { true } else { false } })
    }
  }

  @Test("flow 11: the event flow fails when the conversation may not send events")
  func eventsNeedReports() async {
    await withKnownIssue {
      try await flowEvents(.withoutAction { if case .send = $0 { true } else { false } })
    }
  }

  private func flowEvents(_ variant: KitVariant) async throws {
    let arrived = Gate()
    let transport = ScriptedTransport { request in
      if request.text.contains(#""id":"e-2""#) { await arrived.pass() }
      return HTTPResponse(503)
    }
    var script = try script(variant, transport)
    await script.begin()
    _ = script.takeSaid()
    let item = ItemReference(ItemID("atomic", "c1"), on: .cards, in: AtomicFixtures.container)
    let first = EngagementEvent(id: "e-1", kind: .displayed, time: clock.now, item: item)
    let second = EngagementEvent(id: "e-2", kind: .custom, time: clock.now, name: "page-viewed")

    // Confirmed on the socket before the outbox had its turn: HTTP never hears of it.
    script.memory.accept(first)
    await script.happen(.report([first]))
    let said = script.takeSaid()
    #expect(said.map { $0["messageType"] } == ["events"])
    #expect(said.first?["data"]?["events"]?.array?.map { $0["id"] } == ["e-1"])
    await script.hear(processed("e-1"))
    #expect(script.memory.outbox.map(\.state) == [.delivered])
    #expect(await script.drain().isEmpty)
    #expect(transport.requests.isEmpty)

    // Confirmed while HTTP is at it, which then fails: once delivered is delivered.
    script.memory.accept(second)
    await script.happen(.report([second]))
    let running = script
    async let drained = running.drain()
    await arrived.isHolding(1)
    await script.hear(processed("e-2"))
    await script.hear(processed("e-2"))
    arrived.open()
    #expect(await drained.map(\.isRetry) == [true])
    #expect(script.memory.outbox.map(\.state) == [.delivered, .delivered])
    #expect(await script.drain().isEmpty)
    #expect(transport.lines == ["PUT /env-1/analytics"])
    #expect(transport.requests.first?.text.contains(#""id":"e-2""#) == true)
  }

  // MARK: Parts

  private static let address =
    "wss://999-1.client-api.atomic.io/env-1/socket?x-atomic-sdk-platform=Web"
    + "&x-atomic-sdk-version=1.0.0&x-atomic-sdk-timezone=Europe%2FSofia"
    + "&x-atomic-sdk-device=Example%20One%20Linux%2012"
    + "&x-atomic-sdk-instance-id=7d0a1b66-0000-4000-8000-000000000001"
    + "&x-atomic-sdk-client-app-version=2.0.0&api-key=key-1"

  private static let urgent = Feed(
    .cards, in: "Xy12", matching: [.priority(.atMost(2)), .variable("tier", .oneOf(["gold"]))])

  private static let subscription: JSON = [
    "messageType": "subscribe",
    "data": [
      "subscriptions": [
        ["subscriptionId": "s1", "streamContainerId": "BqWL1sT"],
        [
          "subscriptionId": "s2", "streamContainerId": "Xy12",
          "filters": ["metadata.priority__lte": 2, "variables.tier__in": ["gold"]],
        ],
      ]
    ],
  ]

  private static let firstUpdates = """
    {"messageType":"update-cards","data":{"updates":[\
    {"type":"update-card","data":{"cardInstance":\(AtomicFixtures.card("new", active: "2026-10-01T08:59:00.000Z")),\
    "subscriptionId":"s1","actionType":"unsnooze"}},\
    {"data":{"subscriptionId":"s1","cardInstances":{"instances":[\
    \(AtomicFixtures.card("early", received: "2026-10-01T06:00:00.000Z")),\
    \(AtomicFixtures.card("late")),\(AtomicFixtures.card("urgent", priority: 2))],"totalCards":3}},\
    "type":"replace-feed"},\
    {"type":"replace-feed","data":{"subscriptionId":"s2","cardInstances":{"instances":[\
    \(AtomicFixtures.card("urgent", priority: 2))],"totalCards":1}}},\
    {"type":"replace-feed","data":{"subscriptionId":"s9","cardInstances":{"instances":[]}}}]}}
    """

  private func update(_ type: String, _ data: String) -> String {
    #"{"messageType":"update-cards","data":{"updates":[{"type":"\#(type)","data":{\#(data)}}]}}"#
  }

  private func processed(_ id: String) -> String {
    #"{"messageType":"events-processed","data":{"eventIds":["\#(id)"]}}"#
  }

  private func ids(_ script: AtomicLiveScript, _ feed: Feed) -> [String] {
    script.memory.cards(in: feed).map(\.id.value)
  }

  private func script(_ variant: KitVariant, _ transport: ScriptedTransport) throws
    -> AtomicLiveScript
  {
    let memory = variant.memory(
      try AtomicFixtures.adapter(), user: "u-1", transport: transport, clock: clock)
    memory.setCredential(AtomicFixtures.token())
    return try #require(AtomicLiveScript(memory, variant.runners(in: memory), clock: clock))
  }
}
