import AtomicFixtures
import EngagementAdapterAPI
import EngagementAtomic
import EngagementHTTP
import EngagementKit
import EngagementModel
import EngagementTesting
import Testing

/// Flow 11: the socket while all is well.
@Suite(.timeLimit(.minutes(20))) struct AtomicLiveFlowTests {
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
    var script = try await AtomicLiveScript(variant, transport)
    try await script.happen(.showing([AtomicSamples.feed, Self.urgent]))
    try await enter(&script)
    try await bring(&script)
    try await leave(&script)
    #expect(transport.requests.isEmpty)
    #expect(Set(script.messageIDs).count == 3)
    try await script.scene.end()
  }

  private func enter(_ script: inout AtomicLiveScript) async throws {
    try await script.happen(.started)
    #expect(script.takeDone() == ["connect"])
    #expect(script.addresses == [Self.address])
    try await script.happen(.opened)
    #expect(script.takeDone() == ["say auth", "timer authentication 7s"])
    #expect(
      script.takeSaid() == [
        ["messageType": "auth", "authToken": .string(AtomicSamples.token().revealed)]
      ])
    try await script.hear(#"{"messageType":"auth-success"}"#)
    #expect(
      script.takeDone() == ["cancel authentication", "say subscribe", "timer pulse 30s"])
    #expect(script.takeSaid() == [Self.subscription])
  }

  private func bring(_ script: inout AtomicLiveScript) async throws {
    // The card that comes alone stands before the feeds, and the feeds go first all the same.
    try await script.hear(Self.firstUpdates)
    #expect(script.takeDone() == ["commit"])
    #expect(script.ids() == ["urgent", "new", "late", "early"])
    #expect(script.ids(in: Self.urgent) == ["urgent"])
    #expect(script.cards().allSatisfy { $0.container == AtomicSamples.container })
    try await script.hear(update("remove-card", #""subscriptionId":"s1","cardInstanceId":"late""#))
    #expect(script.ids() == ["urgent", "new", "early"])
    let early = AtomicSamples.card("early", priority: 1, headline: "Now")
    try await script.hear(update("update-card", #""subscriptionId":"s1","cardInstance":\#(early)"#))
    #expect(script.ids() == ["early", "urgent", "new"])
    #expect(script.cards().first?.title == "Now")
    _ = script.takeDone()
  }

  private func leave(_ script: inout AtomicLiveScript) async throws {
    try await script.happen(.showing([Self.urgent]))
    #expect(script.takeDone() == ["say unsubscribe"])
    #expect(
      script.takeSaid() == [
        ["messageType": "unsubscribe", "data": ["subscriptionIds": ["s1"]]]
      ])
    try await script.hear(update("remove-card", #""subscriptionId":"s1","cardInstanceId":"early""#))
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
        ? HTTPResponse(304) : AtomicSamples.feed([AtomicSamples.card("a")], tag: #""e1""#)
    }
    var script = try await AtomicLiveScript(variant, transport)
    #expect(await script.scene.execute(AtomicSamples.cards) == .done)
    try await script.begin()
    try await script.hear(update("remove-card", #""subscriptionId":"s1","cardInstanceId":"a""#))
    #expect(script.ids().isEmpty)
    #expect(await script.scene.execute(AtomicSamples.cards) == .done)
    #expect(script.ids() == ["a"])
    try await script.scene.end()
  }

  // MARK: Events on the socket and over HTTP

  @Test(
    "flow 11 A19 G3: an event that the socket confirms while HTTP has it is settled once")
  func events() async throws { try await flowEvents(.complete) }

  @Test("flow 11: the event flow fails without the conversation's commits")
  func eventsNeedSettled() async {
    await withKnownIssue {
      try await flowEvents(.withoutAction { if case .commit = $0 { true } else { false } })
    }
  }

  private func flowEvents(_ variant: KitVariant) async throws {
    let arrived = Gate()
    let transport = ScriptedTransport { request in
      if request.text.contains("page-viewed") { await arrived.pass() }
      return HTTPResponse(503)
    }
    var script = try await AtomicLiveScript(variant, transport)
    let scene = script.scene
    try await scene.bringCards("c1")
    try await script.begin()
    _ = script.takeSaid()

    // Confirmed on the socket before the outbox had its turn: HTTP never hears of it.
    try await scene.perform(.vote(useful: true, reason: nil, message: nil), on: "c1")
    let first = try #require(try await scene.engagement.events().last)
    try await script.hear(processed(first))
    #expect(try await scene.delivered == 1)
    await scene.deliver()
    #expect(transport.requests.isEmpty)

    // Confirmed while HTTP is at it, which then fails: once delivered is delivered.
    scene.clock.advance(by: .seconds(5))
    try await scene.engagement.track("page-viewed")
    let second = try #require(try await scene.engagement.events().last)
    async let sent: Void = scene.deliver()
    await arrived.isHolding(1)
    try await script.hear(processed(second))
    try await script.hear(processed(second))
    arrived.open()
    await sent
    #expect(try await scene.delivered == 2)
    #expect(try await scene.pending == 0)
    scene.clock.advance(by: .seconds(600))
    await scene.deliver()
    #expect(transport.lines == ["PUT /env-1/analytics"])
    #expect(transport.requests.first?.text.contains(second.id.rawValue) == true)
    try await scene.end()
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
        ["subscriptionId": "s1", "streamContainerId": "BqWL1sT", "filters": [:]],
        [
          "subscriptionId": "s2", "streamContainerId": "Xy12",
          "filters": ["metadata.priority__lte": 2, "variables.tier__in": ["gold"]],
        ],
      ]
    ],
  ]

  private static let firstUpdates = """
    {"messageType":"update-cards","data":{"updates":[\
    {"type":"update-card","data":{"cardInstance":\(AtomicSamples.card("new", active: "2026-10-01T08:59:00.000Z")),\
    "subscriptionId":"s1","actionType":"unsnooze"}},\
    {"data":{"subscriptionId":"s1","cardInstances":{"instances":[\
    \(AtomicSamples.card("early", received: "2026-10-01T06:00:00.000Z")),\
    \(AtomicSamples.card("late")),\(AtomicSamples.card("urgent", priority: 2))],"totalCards":3}},\
    "type":"replace-feed"},\
    {"type":"replace-feed","data":{"subscriptionId":"s2","cardInstances":{"instances":[\
    \(AtomicSamples.card("urgent", priority: 2))],"totalCards":1}}},\
    {"type":"replace-feed","data":{"subscriptionId":"s9","cardInstances":{"instances":[]}}}]}}
    """

  private func update(_ type: String, _ data: String) -> String {
    #"{"messageType":"update-cards","data":{"updates":[{"type":"\#(type)","data":{\#(data)}}]}}"#
  }

  private func processed(_ event: EngagementEvent) -> String {
    #"{"messageType":"events-processed","data":{"eventIds":["\#(event.id.rawValue)"]}}"#
  }
}
