import EngagementAdapterAPI
import EngagementHTTP
import EngagementKit
import EngagementModel
import EngagementTesting
import OutlineAdapters
import Testing

/// Flow 10: entity tags, and the application's token.
@Suite(.timeLimit(.minutes(20))) struct AtomicFlowTests {
  private let clock = TestClock()

  // MARK: ETag and 304

  @Test("flow 10 A8 A17: a 304 keeps the feed, and each list and user has its own entity tag")
  func notModified() async throws { try await flowNotModified(.complete) }

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

  private func flowNotModified(_ variant: KitVariant) async throws {
    let transport = ScriptedTransport { request in
      switch request.headers.first("If-None-Match") {
      case nil: AtomicFixtures.feed([AtomicFixtures.card("c1")], tag: #""e1""#)
      case #""e1""#: HTTPResponse(304)
      default: HTTPResponse(500)
      }
    }
    let memory = variant.memory(
      try AtomicFixtures.adapter(), user: "u-1", transport: transport, clock: clock)
    memory.setCredential(AtomicFixtures.token())
    let runners = variant.runners(in: memory)
    #expect(await runners.perform(AtomicFixtures.cards) == .done)
    #expect(await runners.perform(AtomicFixtures.cards) == .done)
    #expect(
      transport.requests.map { $0.headers.first("If-None-Match") } == [nil, #""e1""#])
    #expect(memory.cards(in: AtomicFixtures.feed).map(\.id.value) == ["c1"])
    // The tag is of this list: another filter or another user begins without.
    let filtered = Operation.cards(
      in: AtomicFixtures.container, matching: [.priority(.atLeast(3))])
    transport.forget()
    #expect(await runners.perform(filtered) == .done)
    #expect(transport.requests.map { $0.headers.first("If-None-Match") } == [nil])
    let kept = memory.kept
    let other = variant.memory(
      try AtomicFixtures.adapter(), user: "u-2", transport: transport, clock: clock, kept: kept)
    other.setCredential(AtomicFixtures.token("u-2"))
    transport.forget()
    #expect(await variant.runners(in: other).perform(AtomicFixtures.cards) == .done)
    #expect(transport.requests.map { $0.headers.first("If-None-Match") } == [nil])
  }

  // MARK: No token

  @Test(
    "flow 10 A1 A2: the kit asks for a missing token before any request and keeps the actions meanwhile"
  )
  func missing() async throws { try await flowMissing(.complete) }

  @Test("flow 10: the missing token flow fails when the application is never asked")
  func missingNeedsAsking() async {
    await withKnownIssue { try await flowMissing(.withHouse { $0.asks = false }) }
  }

  @Test("flow 10: the missing token flow fails when a missing token is reported as a refusal")
  func missingNeedsItsOwnCode() async {
    await withKnownIssue {
      try await flowMissing(
        .withHouse { $0.failure = { _ in EngagementError(.permissionDenied, "Refused.") } })
    }
  }

  private func flowMissing(_ variant: KitVariant) async throws {
    let application = AtomicApplication(.success(nil))
    let transport = ScriptedTransport { _ in AtomicFixtures.ok }
    let memory = try memory(variant, application, transport)
    let runners = variant.runners(in: memory)
    try memory.act(.dismiss, on: item("c1"))
    try memory.act(.submit(button: "pay", values: ["amount": 3]), on: item("c2"))
    // The application has none: the first stays and holds up the second, and nothing is sent.
    #expect(await runners.drain().map(\.code) == [.unauthenticated])
    #expect(memory.pending.count == 2)
    #expect(transport.requests.isEmpty)
    await application.answer(.success(AtomicFixtures.token()))
    #expect(await runners.drain() == [.done, .done])
    #expect(memory.pending.isEmpty)
    #expect(transport.lines == ["POST /env-1/dismiss", "POST /env-1/response"])
    let bearer = "Bearer \(AtomicFixtures.token().revealed)"
    #expect(transport.requests.map(\.bearer) == [bearer, bearer])
    #expect(await application.asked == ["u-1", "u-1"])
  }

  // MARK: Late

  @Test("flow 10 A2: a late token costs one attempt, and the action is sent later")
  func late() async throws { try await flowLate(.complete) }

  @Test("flow 10: the late token flow fails when a late answer is reported as a refusal")
  func lateNeedsItsOwnCode() async {
    await withKnownIssue {
      try await flowLate(
        .withHouse { $0.failure = { _ in EngagementError(.permissionDenied, "Refused.") } })
    }
  }

  private func flowLate(_ variant: KitVariant) async throws {
    let late = EngagementError(.deadlineExceeded, "The application did not answer in time.")
    let application = AtomicApplication(.failure(late), .success(AtomicFixtures.token()))
    let transport = ScriptedTransport { _ in AtomicFixtures.ok }
    let memory = try memory(variant, application, transport)
    let runners = variant.runners(in: memory)
    #expect(memory.adapter.capabilities.credentials.answerWithin == .seconds(5))
    try memory.act(.snooze(seconds: 3600), on: item("c1"))
    let first = await runners.drain()
    #expect(first.map(\.code) == [.deadlineExceeded])
    #expect(first.map(\.isRetry) == [true])
    #expect(memory.pending.count == 1)
    #expect(transport.requests.isEmpty)
    // The user asked for an hour, of which ten minutes have gone.
    clock.advance(by: .seconds(600))
    #expect(await runners.drain() == [.done])
    #expect(transport.requests.first?.text.contains(#""interval":"PT3000S""#) == true)
    #expect(memory.pending.isEmpty)
  }

  @Test(
    "flow 10 G13: a token that arrives after a change of user is dropped, and the action waits for its user"
  )
  func lateForSomebodyElse() async throws { try await flowLateForSomebodyElse(.complete) }

  @Test("flow 10: the change of user flow fails when attempts do not carry their user")
  func lateForSomebodyElseNeedsAttempts() async {
    await withKnownIssue {
      try await flowLateForSomebodyElse(
        KitVariant(host: { memory in
          AtomicChangedHost(
            inner: memory,
            attempt: { attempt in
              var attempt = attempt
              attempt.user = memory.user
              return attempt
            })
        }))
    }
  }

  private func flowLateForSomebodyElse(_ variant: KitVariant) async throws {
    let answers = Gate()
    let transport = ScriptedTransport { _ in AtomicFixtures.ok }
    // The switch does not wait for what is pending, which waits for the token.
    var adapter = ChangedAdapter(try AtomicFixtures.adapter())
    adapter.transition = { _ in [] }
    let memory = variant.memory(
      adapter, user: "u-1", transport: transport, clock: clock
    ) { (user) async throws(EngagementError) in
      await answers.pass()
      return AtomicFixtures.token(user.id?.rawValue ?? "")
    }
    let runners = variant.runners(in: memory)
    try memory.act(.dismiss, on: item("c1"))
    async let drained = runners.drain()
    await answers.isHolding(1)
    await memory.signIn("u-2", runners.runner)
    memory.setCredential(AtomicFixtures.token("u-2"))
    answers.open()
    #expect(await drained.map(\.code) == [.signedOut])
    #expect(transport.requests.isEmpty)
    #expect(memory.context().credential == AtomicFixtures.token("u-2"))
    await memory.signIn("u-1", runners.runner)
    #expect(memory.outbox.map(\.state) == [.delivered])
    #expect(transport.requests.map(\.bearer) == ["Bearer \(AtomicFixtures.token().revealed)"])
  }

  // MARK: Another's, or an old one

  @Test("flow 10 A2 G13: the kit never sends another user's token")
  func anotherUser() async throws { try await flowAnotherUser(.complete) }

  @Test("flow 10: the other user's token flow fails without the right user in the context")
  func anotherUserNeedsTheUser() async {
    await withKnownIssue {
      try await flowAnotherUser(
        .withHouse { host in
          host.context = { context in
            var context = context
            context.user = "u-2"
            return context
          }
        })
    }
  }

  private func flowAnotherUser(_ variant: KitVariant) async throws {
    let application = AtomicApplication(.success(AtomicFixtures.token("u-2")))
    let transport = ScriptedTransport { _ in AtomicFixtures.feed([]) }
    let memory = try memory(variant, application, transport)
    let runners = variant.runners(in: memory)
    memory.setCredential(AtomicFixtures.token("u-2", ending: .seconds(7200)))
    let outcome = await runners.perform(AtomicFixtures.cards)
    #expect(outcome.code == .unauthenticated)
    #expect(outcome.error?.message == "The token is not of this user.")
    #expect(outcome.error?.operation == "cards")
    #expect(transport.requests.isEmpty)
    #expect(await application.asked == ["u-1"])
    await application.answer(.success(AtomicFixtures.token("u-1")))
    #expect(await runners.perform(AtomicFixtures.cards) == .done)
    #expect(transport.requests.map(\.bearer) == ["Bearer \(AtomicFixtures.token().revealed)"])
  }

  @Test("flow 10 A2: a token that expires within the margin is replaced before any request")
  func expired() async throws { try await flowExpired(.complete) }

  @Test("flow 10: the expired token flow fails when the application is never asked")
  func expiredNeedsAsking() async {
    await withKnownIssue { try await flowExpired(.withHouse { $0.asks = false }) }
  }

  private func flowExpired(_ variant: KitVariant) async throws {
    let fresh = AtomicFixtures.token(ending: .seconds(3600))
    let later = AtomicFixtures.token(ending: .seconds(9000))
    let application = AtomicApplication(.success(fresh), .success(later))
    let transport = ScriptedTransport { _ in AtomicFixtures.feed([]) }
    let memory = try memory(variant, application, transport)
    let runners = variant.runners(in: memory)
    memory.setCredential(AtomicFixtures.token(ending: .seconds(59)))
    #expect(await runners.perform(AtomicFixtures.cards) == .done)
    #expect(await runners.perform(.metrics).code == .malformedResponse)
    #expect(await application.asked.count == 1)
    clock.advance(by: .seconds(3539))
    #expect(await runners.perform(AtomicFixtures.cards) == .done)
    #expect(await application.asked.count == 1)
    clock.advance(by: .seconds(2))
    #expect(await runners.perform(AtomicFixtures.cards) == .done)
    #expect(await application.asked.count == 2)
    let sent = [fresh, fresh, fresh, later].map { "Bearer \($0.revealed)" }
    #expect(transport.requests.map(\.bearer) == sent)
  }

  private func memory(
    _ variant: KitVariant, _ application: AtomicApplication, _ transport: ScriptedTransport
  ) throws -> MemoryHost {
    variant.memory(
      try AtomicFixtures.adapter(), user: "u-1", transport: transport, clock: clock
    ) { (user) async throws(EngagementError) in try await application.token(for: user) }
  }

  private func item(_ id: String) -> ItemReference {
    ItemReference(ItemID("atomic", id), on: .cards, in: AtomicFixtures.container)
  }
}
