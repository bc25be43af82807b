import EngagementAdapterAPI
import EngagementHTTP
import EngagementKit
import EngagementModel
import EngagementTesting
import OutlineAdapters
import Testing

/// Flow 10 as an application sees it.
@Suite("Atomic: the application's token", .timeLimit(.minutes(20)))
struct AtomicTokenFlowTests {
  private static let cards = RefreshTarget.cards(AtomicFixtures.container)

  private func scene(
    _ application: AtomicApplication, behind door: Door = .whole,
    _ script: @escaping ScriptedTransport.Script = { request in
      request.line == AtomicFixtures.feedLine
        ? AtomicFixtures.feed([AtomicFixtures.card("c1")]) : AtomicFixtures.ok
    }, before answer: @escaping @Sendable (AppScene) async throws -> Void = { _ in }
  ) async throws -> AppScene {
    let scene = try await AppScene(
      "atomic", try AtomicFixtures.adapter(), behind: door, ScriptedTransport(script))
    try await scene.signIn("u-1") { _ in
      try await answer(scene)
      return try await application.token(for: "u-1")
    }
    return scene
  }

  private func bearers(_ scene: AppScene) -> [String?] { scene.transport.requests.map(\.bearer) }

  private func bearer(_ token: Secret) -> String { "Bearer \(token.revealed)" }

  // MARK: Missing

  @Test("flow 10: without a token nothing is sent, and with one it goes on (A1, A2)")
  func missing() async throws {
    let application = AtomicApplication(.success(nil))
    let scene = try await scene(application)
    #expect(await scene.refresh(Self.cards)?.fault?.code == .unauthenticated)
    #expect(scene.transport.requests.isEmpty)
    await application.answer(.success(AtomicFixtures.token()))
    #expect(await scene.refresh(Self.cards) == .fresh)
    #expect(bearers(scene) == [bearer(AtomicFixtures.token())])
    try await scene.end()
  }

  private static let ten = (0..<10).map {
    AtomicOutline.registerContainers([ContainerID("c\($0)")])
  }

  @Test("flow 10: ten who have no token wait for one question (A2, G15)")
  func onceForAllWithout() async throws {
    let answers = Gate()
    let application = AtomicApplication(.success(AtomicFixtures.token()))
    let scene = try await scene(application, before: { _ in await answers.pass() })
    let outcomes = await scene.exchange(Self.ten) {
      await answers.isHolding(1)
      await scene.waiters(9)
      answers.open()
    }
    #expect(outcomes == Array(repeating: .done, count: 10))
    #expect(await application.asked.count == 1)
    #expect(Set(bearers(scene)) == [bearer(AtomicFixtures.token())])
    try await scene.end()
  }

  @Test("flow 10: ten whose token is refused wait for one question, and each tries again (A2, G15)")
  func onceForAllRefused() async throws { try await flowRefused() }

  @Test("flow 10: trying again needs an answer that asks for a renewal, in an application too")
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

  private func flowRefused(_ door: Door = .whole) async throws {
    let arrivals = Gate()
    let (old, new) = (AtomicFixtures.token(), AtomicFixtures.token(ending: .seconds(7200)))
    let application = AtomicApplication(.success(old), .success(new))
    let scene = try await scene(application, behind: door) { request in
      if request.line == AtomicFixtures.feedLine { return AtomicFixtures.feed([]) }
      guard request.bearer == "Bearer \(old.revealed)" else { return AtomicFixtures.ok }
      await arrivals.pass()
      return HTTPResponse(401)
    }
    #expect(await scene.refresh(Self.cards) == .fresh)
    scene.transport.forget()
    let outcomes = await scene.exchange(Self.ten) {
      await arrivals.isHolding(10)
      arrivals.open()
    }
    #expect(outcomes == Array(repeating: .done, count: 10))
    #expect(await application.asked.count == 2)
    #expect(
      bearers(scene)
        == Array(repeating: bearer(old), count: 10) + Array(repeating: bearer(new), count: 10))
    try await scene.end()
  }

  // MARK: Late

  @Test("flow 10: an application that takes too long costs a try and not the action (A2)")
  func late() async throws {
    let token = AtomicFixtures.token()
    let later = AtomicFixtures.token(ending: .seconds(90_000))
    let application = AtomicApplication(.success(token), .success(later))
    let isSlow = Locked(false)
    let scene = try await scene(
      application,
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
    let receipt = try await scene.perform(.snooze(seconds: 3600), on: "c1")
    async let delivered: Void = scene.deliver()
    // The patience of whoever delivers, the application's own time, and the limit to that.
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
    #expect(await receipt.outcome == .delivered)
    #expect(scene.transport.requests.first?.text.contains(#""interval":"PT3000S""#) == true)
    #expect(bearers(scene) == [bearer(later)])
    try await scene.end()
  }

  // MARK: Another's, or an old one

  @Test("flow 10: a token of another user never leaves (A2, G13)")
  func anotherUser() async throws {
    let application = AtomicApplication(.success(AtomicFixtures.token("u-2")))
    let scene = try await scene(application)
    let fault = await scene.refresh(Self.cards)?.fault
    #expect(fault?.code == .unauthenticated)
    #expect(fault?.message == "The token is not of this user.")
    #expect(scene.transport.requests.isEmpty)
    await application.answer(.success(AtomicFixtures.token()))
    #expect(await scene.refresh(Self.cards) == .fresh)
    #expect(bearers(scene) == [bearer(AtomicFixtures.token())])
    try await scene.end()
  }

  @Test("flow 10: a token that ends within the margin is replaced before any request (A2)")
  func expired() async throws {
    let (fresh, later) = (
      AtomicFixtures.token(ending: .seconds(3600)), AtomicFixtures.token(ending: .seconds(9000))
    )
    let application = AtomicApplication(.success(fresh), .success(later))
    let scene = try await scene(application)
    #expect(await scene.refresh(Self.cards) == .fresh)
    scene.clock.advance(by: .seconds(3539))
    #expect(await scene.refresh(Self.cards) != nil)
    #expect(await application.asked.count == 1)
    scene.clock.advance(by: .seconds(2))
    #expect(await scene.refresh(Self.cards) != nil)
    #expect(await application.asked.count == 2)
    #expect(bearers(scene) == [fresh, fresh, later].map(bearer))
    try await scene.end()
  }
}
