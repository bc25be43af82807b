import AtomicFixtures
import EngagementAdapterAPI
import EngagementAtomic
import EngagementHTTP
import EngagementKit
import EngagementModel
import EngagementTesting
import Testing

/// Flow 10 as an application sees it.
@Suite("Atomic: tokens from the application", .timeLimit(.minutes(20)))
struct AtomicTokenFlowTests {
  private static let cards = Engagement.RefreshTarget.cards(in: AtomicSamples.container)

  private let script: ScriptedTransport.Script = { request in
    request.line == AtomicSamples.feedLine
      ? AtomicSamples.feed([AtomicSamples.card("c1")]) : AtomicSamples.ok
  }

  // MARK: Missing

  @Test(
    "flow 10 A1 A2: a refresh without a token sends nothing, and the next one with a token succeeds"
  )
  func missing() async throws {
    let application = AtomicApplication(.success(nil))
    let scene = try await AppScene.atomic(application, script)
    #expect(await scene.refresh(Self.cards)?.fault?.code == .unauthenticated)
    #expect(scene.transport.requests.isEmpty)
    await application.answer(.success(AtomicSamples.token()))
    #expect(await scene.refresh(Self.cards) == .fresh)
    #expect(scene.bearers == [AtomicSamples.token().bearer])
    try await scene.end()
  }

  private static let ten = (0..<10).map {
    Operation.pushContainers([ContainerID("c\($0)")], notifications: nil)
  }

  @Test("flow 10 A2 G15: ten operations without a token wait for one request to the application")
  func onceForAllWithout() async throws {
    let answers = Gate()
    let application = AtomicApplication(.success(AtomicSamples.token()))
    let scene = try await AppScene.atomic(application, before: { _ in await answers.pass() })
    let outcomes = await scene.execute(Self.ten) {
      await answers.isHolding(1)
      await scene.waiters(9)
      answers.open()
    }
    #expect(outcomes == Array(repeating: .done, count: 10))
    #expect(await application.asked.count == 1)
    #expect(Set(scene.bearers) == [AtomicSamples.token().bearer])
    try await scene.end()
  }

  @Test(
    "flow 10 A2 G15: ten operations with a refused token wait for one renewal, and each tries again"
  )
  func onceForAllRefused() async throws { try await flowRefused() }

  @Test(
    "flow 10: the renewal flow in an application fails when the answer does not ask for a renewal")
  func refusedNeedsRenewal() async {
    await withKnownIssue {
      try await flowRefused(
        .without { adapter in
          adapter.answer = { answer in
            guard case .renew = answer.verdict else { return answer }
            return .refused(.unauthenticated, "Refused.")
          }
        })
    }
  }

  private func flowRefused(_ variant: KitVariant = .complete) async throws {
    let arrivals = Gate()
    let (old, new) = (AtomicSamples.token(), AtomicSamples.token(ending: .seconds(7200)))
    let application = AtomicApplication(.success(old), .success(new))
    let scene = try await AppScene.atomic(application, behind: variant) { request in
      if request.line == AtomicSamples.feedLine { return AtomicSamples.feed([]) }
      guard request.bearer == old.bearer else { return AtomicSamples.ok }
      await arrivals.pass()
      return HTTPResponse(401)
    }
    #expect(await scene.refresh(Self.cards) == .fresh)
    scene.transport.forget()
    let outcomes = await scene.execute(Self.ten) {
      await arrivals.isHolding(10)
      arrivals.open()
    }
    #expect(outcomes == Array(repeating: .done, count: 10))
    #expect(await application.asked.count == 2)
    #expect(
      scene.bearers
        == Array(repeating: old.bearer, count: 10) + Array(repeating: new.bearer, count: 10))
    try await scene.end()
  }

  // MARK: Late

  @Test("flow 10 A2: a late token costs one attempt, and the action is sent later")
  func late() async throws { try await flowLate() }

  @Test("flow 10: the late token flow fails when the adapter is not told how long an action waited")
  func lateNeedsTheAcceptance() async {
    await withKnownIssue {
      try await flowLate(
        .without { adapter in
          adapter.context = { context in
            var context = context
            context.acceptedAt = context.now
            return context
          }
        })
    }
  }

  private func flowLate(_ variant: KitVariant = .complete) async throws {
    let token = AtomicSamples.token()
    let later = AtomicSamples.token(ending: .seconds(90_000))
    let application = AtomicApplication(.success(token), .success(later))
    let isSlow = Locked(false)
    let scene = try await AppScene.atomic(
      application, behind: variant, script,
      before: { scene in
        guard isSlow.withLock({ $0 }) else { return }
        await scene.clock.sleep(until: scene.clock.uptime + .seconds(60))
        try Task.checkCancellation()
      })
    #expect(await scene.refresh(Self.cards) == .fresh)
    // Past the end of the token.
    scene.clock.advance(by: .seconds(3600))
    scene.transport.forget()
    isSlow.withLock { $0 = true }
    async let registered = scene.execute(Self.ten[0])
    // The application's own time and the adapter's limit to it.
    await scene.clock.sleepers(2)
    scene.clock.advance(by: .seconds(5))
    let outcome = await registered
    #expect(outcome.code == .deadlineExceeded)
    #expect(outcome.isRetry)
    let receipt = try await scene.perform(.snooze(seconds: 3600), on: "c1")
    async let delivered: Void = scene.deliver()
    // These two and the limit to the delivery.
    await scene.clock.sleepers(3)
    scene.clock.advance(by: .seconds(5))
    await delivered
    #expect(scene.transport.requests.isEmpty)
    #expect(try await scene.pending == 1)
    isSlow.withLock { $0 = false }
    // The user asked for an hour, of which ten minutes have gone.
    scene.clock.advance(by: .seconds(595))
    await scene.deliver()
    #expect(try await scene.pending == 0)
    #expect(try await receipt.outcome() == .delivered)
    #expect(scene.transport.requests.first?.text.contains(#""interval":"PT3000S""#) == true)
    // The action, and that the token was renewed.
    #expect(scene.bearers == [later.bearer, later.bearer])
    try await scene.end()
  }

  // MARK: Another's, or an old one

  @Test("flow 10 A2 G13: the kit never sends another user's token")
  func anotherUser() async throws { try await flowAnotherUser() }

  @Test("flow 10: the other user's token flow fails without the right user in the context")
  func anotherUserNeedsTheUser() async {
    await withKnownIssue {
      try await flowAnotherUser(
        .without { adapter in
          adapter.context = { context in
            var context = context
            context.user = "u-2"
            return context
          }
        })
    }
  }

  private func flowAnotherUser(_ variant: KitVariant = .complete) async throws {
    let application = AtomicApplication(
      .success(AtomicSamples.token("u-2", ending: .seconds(7200))),
      .success(AtomicSamples.token("u-2")), .success(AtomicSamples.token()))
    let scene = try await AppScene.atomic(application, behind: variant, script)
    for count in 1...2 {
      let fault = await scene.refresh(Self.cards)?.fault
      #expect(fault?.code == .unauthenticated)
      #expect(fault?.message == "The token is not of this user.")
      #expect(fault?.operation == "cards")
      #expect(await application.asked.count == count)
    }
    #expect(scene.transport.requests.isEmpty)
    #expect(await scene.refresh(Self.cards) == .fresh)
    #expect(scene.bearers == [AtomicSamples.token().bearer])
    try await scene.end()
  }

  @Test("flow 10 A2: a token that expires within the margin is replaced before any request")
  func expired() async throws { try await flowExpired() }

  @Test("flow 10: the expired token flow fails when the adapter is not told the time")
  func expiredNeedsTheTime() async {
    let start = TestClock().now
    await withKnownIssue {
      try await flowExpired(
        .without { adapter in
          adapter.context = { context in
            var context = context
            context.now = start
            return context
          }
        })
    }
  }

  private func flowExpired(_ variant: KitVariant = .complete) async throws {
    let (fresh, later) = (
      AtomicSamples.token(ending: .seconds(3600)), AtomicSamples.token(ending: .seconds(9000))
    )
    let application = AtomicApplication(
      .success(AtomicSamples.token(ending: .seconds(59))), .success(fresh), .success(later))
    let scene = try await AppScene.atomic(application, behind: variant, script)
    #expect(await scene.refresh(Self.cards)?.fault?.code == .unauthenticated)
    #expect(scene.transport.requests.isEmpty)
    #expect(await scene.refresh(Self.cards) == .fresh)
    #expect(await scene.execute(.metrics).code == .malformedResponse)
    #expect(await application.asked.count == 2)
    scene.clock.advance(by: .seconds(3539))
    #expect(await scene.refresh(Self.cards) == .fresh)
    #expect(await application.asked.count == 2)
    scene.clock.advance(by: .seconds(2))
    #expect(await scene.refresh(Self.cards) == .fresh)
    #expect(await application.asked.count == 3)
    #expect(scene.bearers == [fresh, fresh, fresh, later].map(\.bearer))
    try await scene.end()
  }
}
