import AtomicFixtures
import EngagementAdapterAPI
import EngagementAtomic
import EngagementHTTP
import EngagementJSON
import EngagementKit
import EngagementModel
import EngagementTesting
import Testing

/// Flow 10: entity tags, and actions that wait for the application's token.
@Suite(.timeLimit(.minutes(20))) struct AtomicFlowTests {
  // MARK: ETag and 304

  @Test("flow 10 A8 A17: a 304 keeps the feed, and each list and user has its own entity tag")
  func notModified() async throws { try await flowNotModified() }

  @Test("flow 10: the 304 flow fails without stored values")
  func notModifiedNeedsKeeping() async {
    await withKnownIssue {
      try await flowNotModified(
        .without { adapter in
          adapter.answer = { answer in
            var answer = answer
            answer.changes.removeAll { if case .keep = $0 { true } else { false } }
            return answer
          }
        })
    }
  }

  private func flowNotModified(_ variant: KitVariant = .complete) async throws {
    let scene = try await AppScene.atomic(behind: variant) { request in
      switch request.headers.first("If-None-Match") {
      case nil: AtomicSamples.feed([AtomicSamples.card("c1")], tag: #""e1""#)
      case #""e1""#: HTTPResponse(304)
      default: HTTPResponse(500)
      }
    }
    let cards = Engagement.RefreshTarget.cards(in: AtomicSamples.container)
    #expect(await scene.refresh(cards) == .fresh)
    #expect(await scene.refresh(cards) == .notModified)
    #expect(scene.cards(in: AtomicSamples.container) == ["c1"])
    // The tag is of this list: another filter or another user begins without.
    let filtered = Operation.cards(
      in: AtomicSamples.container, matching: [.priority(.atLeast(3))])
    #expect(await scene.execute(filtered) == .done)
    try await scene.engagement.signIn("u-2") { _ in AtomicSamples.token("u-2") }
    #expect(await scene.refresh(cards) == .fresh)
    #expect(
      scene.transport.requests.map { $0.headers.first("If-None-Match") }
        == [nil, #""e1""#, nil, nil])
    try await scene.end()
  }

  // MARK: No token

  @Test(
    "flow 10 A1 A2: the kit asks for a missing token before any request and keeps the actions meanwhile"
  )
  func missing() async throws { try await flowMissing() }

  @Test("flow 10: the missing token flow fails when the adapter is not told the token")
  func missingNeedsTheToken() async {
    await withKnownIssue {
      try await flowMissing(
        .without { adapter in
          adapter.context = { context in
            var context = context
            context.credential = nil
            return context
          }
        })
    }
  }

  @Test("flow 10: the missing token flow fails when a missing token is reported as a refusal")
  func missingNeedsItsOwnCode() async {
    await withKnownIssue {
      try await flowMissing(
        .without { $0.fault = { _ in EngagementError(.permissionDenied, "Refused.") } })
    }
  }

  private func flowMissing(_ variant: KitVariant = .complete) async throws {
    let application = AtomicApplication(.success(nil))
    let scene = try await AppScene.atomic(application, behind: variant)
    try await scene.bringCards("c1", "c2")
    try await scene.perform(.dismiss, on: "c1")
    try await scene.perform(.submit(button: "pay", values: ["amount": 3]), on: "c2")
    // The application has none: the first stays and holds up the second, and nothing is sent.
    await scene.deliver()
    #expect(try await scene.pending == 2)
    #expect(scene.transport.requests.isEmpty)
    #expect(await application.asked.count == 1)
    await application.answer(.success(AtomicSamples.token()))
    scene.clock.advance(by: .seconds(60))
    await scene.deliver()
    #expect(try await scene.delivered == 2)
    // What was not tried yet goes first.
    #expect(scene.transport.lines == ["POST /env-1/response", "POST /env-1/dismiss"])
    #expect(scene.bearers == Array(repeating: AtomicSamples.token().bearer, count: 2))
    #expect(await application.asked.count == 2)
    try await scene.end()
  }

  // MARK: For somebody else

  @Test(
    "flow 10 G13: a token that arrives after a change of user is dropped, and the action waits for its user"
  )
  func lateForSomebodyElse() async throws {
    let answers = Gate()
    // The change of user does not wait for what is pending, which waits for the token.
    let scene = try await AppScene.atomic(
      behind: .without { $0.transition = { _ in [] } }, before: { _ in await answers.pass() })
    try await scene.bringCards("c1")
    try await scene.perform(.dismiss, on: "c1")
    async let delivered: Void = scene.deliver()
    async let registered = scene.execute(Self.registration)
    await answers.isHolding(1)
    await scene.waiters(1)
    try await scene.engagement.signIn("u-2") { _ in AtomicSamples.token("u-2") }
    answers.open()
    await delivered
    #expect(await registered.code == .signedOut)
    #expect(scene.transport.requests.isEmpty)
    #expect(await scene.execute(Self.registration) == .done)
    #expect(scene.bearers == [AtomicSamples.token("u-2").bearer])
    scene.transport.forget()
    try await scene.engagement.signIn("u-1") { _ in AtomicSamples.token() }
    #expect(try await scene.pending == 1)
    await scene.deliver()
    #expect(try await scene.delivered == 1)
    #expect(scene.transport.lines == ["POST /env-1/dismiss"])
    #expect(scene.bearers == [AtomicSamples.token().bearer])
    try await scene.end()
  }

  // MARK: Refused

  @Test(
    "flow 10 G6: a token refused again after its renewal ends the attempt, and the action stays pending"
  )
  func refusedTwice() async throws {
    let (old, new) = (AtomicSamples.token(), AtomicSamples.token(ending: .seconds(7200)))
    let application = AtomicApplication(.success(old), .success(new))
    let scene = try await AppScene.atomic(application) { request in
      request.line == "POST /env-1/dismiss" ? HTTPResponse(401) : AtomicSamples.ok
    }
    #expect(await scene.execute(Self.registration) == .done)
    try await scene.bringCards("c1")
    try await scene.perform(.dismiss, on: "c1")
    await scene.deliver()
    #expect(scene.bearers == [old, old, new].map(\.bearer))
    #expect(await application.asked.count == 2)
    #expect(try await scene.pending == 2, "the action, and that the token was renewed")
    try await scene.end()
  }

  // MARK: Lists and votes

  @Test("A8: a feed answer without a list keeps the old cards, and a bad card costs only itself")
  func badFeed() async throws {
    let bad = #"{"instance":{"id":"b\u0000"}}"#
    let feeds = ScriptedTransport([
      AtomicSamples.feedLine: [
        AtomicSamples.feed(
          [AtomicSamples.card("a"), bad, "{}", "7", AtomicSamples.card("c")]),
        .json(200, #"{"cardInstances":{}}"#), .json(200, #"{"metadata":{"totalCards":0}}"#),
        HTTPResponse(503),
      ]
    ])
    let scene = try await AppScene.atomic { request throws(EngagementError) in
      try await feeds.send(request)
    }
    for _ in 1...5 {
      _ = await scene.execute(AtomicSamples.cards)
      #expect(scene.cards(in: AtomicSamples.container) == ["a", "c"])
    }
    #expect(try await scene.quarantined == 3)
    try await scene.end()
  }

  @Test("A16: a vote is accepted as an event with its reason and its card")
  func vote() async throws {
    let scene = try await AppScene.atomic()
    try await scene.bringCards("1f0c")
    try await scene.perform(
      .vote(useful: false, reason: .other, message: "Too loud"), on: "1f0c")
    await scene.deliver()
    let request = try #require(scene.transport.requests.last)
    let sent = try JSON(parsing: request.body ?? [])["data"]?.array
    #expect(sent?.map { $0["analyticsEvent"] } == ["card-voted-down"])
    #expect(sent?.first?["properties"] == ["reason": "other", "message": "Too loud"])
    #expect(sent?.first?["cardContext"]?["cardInstanceId"] == "1f0c")
    #expect(try await scene.pending == 0)
    try await scene.end()
  }

  private static let registration = Operation.pushContainers(
    [AtomicSamples.container], notifications: nil)
}
