import EngagementAdapterAPI
import EngagementHTTP
import EngagementModel
import EngagementStore
import EngagementTesting
import Testing

@testable import EngagementKit

/// Tokens at vendors whose route came to hold without being set.
@Suite("hand-over of tokens", .timeLimit(.minutes(20))) struct TokenHandOverTests {
  private let place = Stage.Place()
  private static let former = PushRegistration(token: Secret("0cff"), service: .apns)

  private func stage(
    _ route: Route?, of names: [ProviderID] = ["a", "b"],
    _ script: @escaping ScriptedTransport.Script = Stage.empty
  ) async throws -> Stage {
    try await Stage(
      names.map { PushRouteTests.vendor($0) }, routes: PushRouteTests.routes(route), at: place,
      script)
  }

  /// What was sent about tokens, and the states afterwards.
  private func tokens(_ stage: Stage) async throws -> (sent: [String], phases: [String]) {
    await stage.drain("a", "b")
    var count = 0
    let sent = PushRouteTests().sent(stage, after: &count)
      .filter { $0.contains(": take") || $0.contains(": back") }
    stage.transport.forget()
    let phases = try await stage.engagement.pushStates().map { "\($0.provider) \($0.phase.name)" }
    return (sent, phases)
  }

  /// A person with the token at `b`, to which pushes have moved.
  private func moved() async throws {
    let stage = try await stage(.only("a"))
    try await stage.signIn("u-1", consent: .full)
    try await stage.engagement.registerPush(PushRouteTests.token)
    try await stage.engagement.setRoute(.only("b"), for: .push)
    #expect(try await tokens(stage).phases == ["a unregistered", "b registered"])
    try await stage.end()
  }

  /// Opens the cache again, and closes it after what it sends.
  private func reopen(
    _ names: [ProviderID] = ["a", "b"], _ route: Route? = .only("a")
  ) async throws -> (sent: [String], phases: [String]) {
    let stage = try await stage(route, of: names)
    let result = try await tokens(stage)
    try await stage.end()
    return result
  }

  @Test("X16 X2: where a vendor of the kept route is gone, the configured one gets the token, once")
  func providerIsGone() async throws {
    try await moved()
    for sent in [["a: take 0aff"], [], []] {
      let found = try await reopen(["a"])
      #expect(found.sent == sent)
      // What the vendor that is gone has is not known to have ended.
      #expect(found.phases == ["a registered", "b registered"])
    }
    for sent in [["a: back 0aff"], [], []] {
      let found = try await reopen()
      #expect(found.sent == sent)
      #expect(found.phases == ["a unregistered", "b registered"])
    }
  }

  @Test("X16 X2: a vendor that is back gets the token that came while it was gone")
  func newToken() async throws {
    try await moved()
    let few = try await stage(.only("a"), of: ["a"])
    try await few.engagement.registerPush(Self.former)
    _ = try await tokens(few)
    try await few.end()
    for sent in [["a: back 0cff", "b: take 0cff"], []] { #expect(try await reopen().sent == sent) }
  }

  @Test("X16 X2: a vendor that is back outside the route gives the token up, once")
  func backOutside() async throws {
    try await moved()
    let few = try await stage(.only("a"), of: ["a"])
    _ = try await tokens(few)
    try await few.engagement.resetRoute(for: .push)
    try await few.end()
    for sent in [["b: back 0aff"], []] {
      let found = try await reopen()
      #expect(found.sent == sent)
      #expect(found.phases == ["a registered", "b unregistered"])
    }
  }

  @Test("X16: a route that a release of the application changed moves the token, over a kill too")
  func configured() async throws {
    let first = try await stage(.only("a"))
    try await first.signIn("u-1", consent: .full)
    try await first.engagement.registerPush(PushRouteTests.token)
    _ = try await tokens(first)
    try await first.end()
    // Three runs end before anything is sent.
    for _ in 1...3 { try await stage(.only("b")).end() }
    let last = try await reopen(["a", "b"], .only("b"))
    #expect(last.sent == ["a: back 0aff", "b: take 0aff"])
    #expect(last.phases == ["a unregistered", "b registered"])
    // Back and forth before a vendor hears of it.
    try await stage(.only("a")).end()
    let forth = try await reopen(["a", "b"], .only("b"))
    #expect(forth.phases == ["a unregistered", "b registered"])
    // It has had the token all the time.
    #expect(!forth.sent.contains { $0.hasPrefix("b:") } && !forth.sent.contains("a: take 0aff"))
    #expect(try await reopen(["a", "b"], .only("b")).sent.isEmpty)
  }

  @Test("X16: nothing is written at opening while the vendors have what the route says")
  func quiet() async throws {
    try await moved()
    let stage = try await stage(.only("a"))
    let before = try await stage.engagement.dependencies.store.newestSequence()
    await stage.engagement.routeChanges.handOverTokens()
    #expect(try await stage.waiting(for: "a", of: "u-1").isEmpty)
    #expect(try await stage.waiting(for: "b", of: "u-1").isEmpty)
    #expect(try await stage.engagement.dependencies.store.newestSequence() == before)
    try await stage.end()
  }

  @Test("X16: a vendor that refused the token is not told again because the cache is opened")
  func refused() async throws {
    var vendor = PushRouteTests.vendor("a")
    vendor.onAnswer = { operation, _, _ in
      operation == .registerPush(.production)
        ? .refused(.permissionDenied, "The application has no certificate.") : nil
    }
    for registers in [true, false, false] {
      let stage = try await Stage([vendor], routes: PushRouteTests.routes(.only("a")), at: place)
      if registers { try await stage.engagement.registerPush(PushRouteTests.token) }
      let found = try await tokens(stage)
      #expect(found.sent == (registers ? ["a: take 0aff"] : []))
      #expect(found.phases == ["a failed"])
      try await stage.end()
    }
  }

  @Test("X16 X20: without consent the token is taken back, and is not offered before there is one")
  func denied() async throws {
    let first = try await stage(.only("a"))
    try await first.signIn("u-1", consent: .full)
    try await first.engagement.registerPush(PushRouteTests.token)
    _ = try await tokens(first)
    try await first.engagement.setConsent(.denied)
    try await first.end()
    #expect(try await reopen(["a", "b"], .only("b")).sent == ["a: back 0aff"])
    let later = try await stage(.only("b"))
    try await later.engagement.setConsent(.full)
    #expect(try await tokens(later).sent == ["b: take 0aff"])
    try await later.end()
  }

  @Test("X16 A4: who has signed out has no token anywhere, whatever the route becomes")
  func signedOut() async throws {
    let first = try await stage(.only("a"))
    try await first.signIn("u-1", consent: .full)
    try await first.engagement.registerPush(PushRouteTests.token)
    _ = try await tokens(first)
    _ = try await first.engagement.signOut()
    _ = try await tokens(first)
    try await first.end()
    #expect(try await reopen(["a", "b"], .only("b")).sent.isEmpty)
    let later = try await stage(.only("b"))
    try await later.engagement.setRoute(.only("a"), for: .push)
    #expect(try await tokens(later).sent.isEmpty)
    try await later.engagement.resetRoute(for: .push)
    try await later.signIn("u-1")
    #expect(try await tokens(later).sent == ["b: take 0aff"])
    try await later.end()
  }

  @Test("X16: an anonymous user's token follows a changed route too")
  func anonymous() async throws {
    let first = try await stage(Route.none)
    try await first.engagement.registerPush(PushRouteTests.token)
    try await first.end()
    for sent in [["b: take 0aff"], []] {
      #expect(try await reopen(["a", "b"], .only("b")).sent == sent)
    }
  }

  @Test("X16 G9: after a repair the vendors of the route get the token again, once")
  func repaired() async throws {
    let first = try await stage(.only("a"))
    try await first.engagement.registerPush(PushRouteTests.token)
    _ = try await tokens(first)
    try await first.end()
    var bytes = try Stage.bytes(at: place.path)
    bytes.replaceSubrange(100..<400, with: [UInt8](repeating: 0xff, count: 300))
    try Stage.write(bytes, to: place.path)
    for sent in [["a: take 0aff"], []] { #expect(try await reopen().sent == sent) }
  }

  // MARK: Other people

  /// A vendor that gives nothing back at a change of user, and has one user for a token.
  private static func lasting(_ provider: ProviderID, hasOneUser: Bool) -> PuppetAdapter {
    var vendor = PushRouteTests.vendor(provider)
    vendor.onTransition = { _, _, _ in [.sendPending] }
    vendor.capabilities.hasOneUserPerToken = hasOneUser
    return vendor
  }

  @Test(
    "X16: who is back has what the vendor kept for them: nothing, if it has one user for a token",
    arguments: [true, false])
  func otherPerson(hasOneUser: Bool) async throws {
    let stage = try await Stage(
      ["a", "b"].map { Self.lasting($0, hasOneUser: hasOneUser) },
      routes: PushRouteTests.routes(nil), at: place)
    try await stage.signIn("u-1", consent: .full)
    try await stage.engagement.registerPush(PushRouteTests.token)
    _ = try await tokens(stage)
    try await stage.signIn("u-2", consent: .full)
    _ = try await tokens(stage)
    let store = stage.engagement.dependencies.store
    let former = try await store.partition(of: "u-1", at: stage.clock.now)
    let states = try await store.pushStates(of: former).map(\.phase)
    #expect(Set(states) == [hasOneUser ? .unregistered : .registered])
    try await stage.engagement.setRoute(.only("b"), for: .push)
    #expect(try await tokens(stage).sent == ["a: back 0aff"])
    try await stage.signIn("u-1")
    let back = try await tokens(stage)
    // Where the vendor has a token for each user, the one of this user is still there.
    #expect(back.sent == (hasOneUser ? [] : ["a: back 0aff"]) + ["b: take 0aff"])
    #expect(back.phases == ["a unregistered", "b registered"])
    try await stage.end()
  }

  @Test("X16: a registration that waits for its user is not said to have been one before")
  func waitsForItsUser() async throws {
    let isUp = Locked(true)
    let stage = try await Stage(
      [Self.lasting("a", hasOneUser: true)], routes: PushRouteTests.routes(nil), at: place
    ) { _ throws(EngagementError) in
      guard isUp.withLock(\.self) else { throw EngagementError(.unavailable, "No network.") }
      return .json(200, "[]")
    }
    try await stage.signIn("u-1", consent: .full)
    try await stage.engagement.registerPush(PushRouteTests.token)
    _ = try await tokens(stage)
    isUp.withLock { $0 = false }
    try await stage.engagement.registerPush(Self.former)
    try await stage.signIn("u-2", consent: .full)
    isUp.withLock { $0 = true }
    stage.clock.advance(by: .seconds(600))
    _ = try await tokens(stage)
    try await stage.engagement.setRoute(.none, for: .push)
    _ = try await tokens(stage)
    try await stage.signIn("u-1")
    #expect(try await tokens(stage).phases == ["a unregistered"])
    try await stage.end()
  }
}
