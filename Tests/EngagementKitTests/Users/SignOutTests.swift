import EngagementAdapterAPI
import EngagementHTTP
import EngagementModel
import EngagementStore
import EngagementTesting
import Testing

@testable import EngagementKit

@Suite("signing out", .timeLimit(.minutes(20))) struct SignOutTests {
  private static let farewell = EngagementAdapterAPI.Operation.vendor("farewell", .null)

  /// A vendor that unregisters the push token at sign-out, and one that cannot.
  private static let vendors: [PuppetAdapter] = {
    var careful = PuppetAdapter("atomic")
    careful.onTransition = { _, _, _ in [.sendPending, .leave(.unregisterPush(.production))] }
    return [careful, PuppetAdapter("braze")]
  }()

  private static func isRegistering(_ request: HTTPRequest) -> Bool {
    request.line.hasSuffix("push.register")
  }

  @Test("A4: the report counts delivered and refused rows and names vendors that may still push")
  func report() async throws {
    let stage = try await Stage(Self.vendors) { request in
      HTTPResponse(Self.isRegistering(request) && request.isFor("braze") ? 404 : 200)
    }
    try await stage.signIn("u-1")
    try await stage.engagement.registerPush(
      PushRegistration(token: Secret("0aff"), service: .apns))
    let report = try await stage.engagement.signOut()
    #expect(report.providers["atomic"]?.delivered == 1)
    #expect(report.providers["atomic"]?.mayStillPush == false)
    #expect(report.providers["braze"]?.rejected == 1)
    #expect(report.providers["braze"]?.mayStillPush == true)
    #expect(!report.isClean && stage.engagement.user == .anonymous)
    try await stage.end()
  }

  @Test("G2: a row that misses the deadline waits and is sent when the user signs in again")
  func noTime() async throws {
    var vendor = PuppetAdapter(
      "braze",
      abilities: [
        .cards: .idempotentRequest,
        .act("dismiss", on: .cards): Ability(.request, isRetryable: false),
      ])
    vendor.onStep = { operation, context throws(EngagementError) in
      guard operation.verb != .cards, context.credential == nil else { return nil }
      throw EngagementError(.unauthenticated, "There is no credential.")
    }
    let isAsked = Locked(false)
    let stage = try await Stage([vendor]) { _ in .json(200, #"["a"]"#) }
    try await stage.engagement.signIn("u-1") { _ in
      isAsked.withLock { $0 = true }
      // Ends when its task is cancelled.
      for await _ in AsyncStream<Void>.makeStream().stream {}
      return nil
    }
    _ = await stage.engagement.refresh(.cards(in: "home"))
    try await stage.engagement.perform(.dismiss, on: ItemID("braze", "a"), surface: .cards)
    async let report = stage.engagement.signOut(within: .seconds(5))
    while !isAsked.withLock({ $0 }) { await Task.yield() }
    stage.clock.advance(by: .seconds(6))
    #expect(try await report.providers["braze"]?.rejected == 0)
    #expect(try await report.providers["braze"]?.pending == 1)
    stage.transport.forget()
    try await stage.signIn("u-1")
    await stage.drain("braze")
    #expect(stage.asked == ["POST /cards.dismiss?user=u-1"])
    try await stage.end()
  }

  @Test(
    "unsent rows wait or are wiped, as requested, and the report counts them",
    arguments: UndeliveredActions.allCases)
  func undelivered(_ undelivered: UndeliveredActions) async throws {
    let isUp = Locked(true)
    let stage = try await Stage(Self.vendors) { _ throws(EngagementError) in
      guard isUp.withLock({ $0 }) else { throw EngagementError(.unavailable, "No network.") }
      return HTTPResponse(200)
    }
    try await stage.signIn("u-1")
    isUp.withLock { $0 = false }
    try await stage.engagement.registerPush(
      PushRegistration(token: Secret("0aff"), service: .apns))
    let report = try await stage.engagement.signOut(undelivered: undelivered)
    let isKept = undelivered == .keep
    // `atomic` has two pending rows: the registration and the unregistration.
    #expect(report.providers["atomic"]?.pending == (isKept ? 2 : 0))
    #expect(report.providers["atomic"]?.discarded == (isKept ? 0 : 1))
    #expect(report.providers["braze"]?.pending == (isKept ? 1 : 0))
    #expect(report.providers["braze"]?.discarded == (isKept ? 0 : 1))
    #expect(report.providers["atomic"]?.mayStillPush == true)
    #expect(report.providers["atomic"]?.failure?.code == .unavailable)

    isUp.withLock { $0 = true }
    stage.transport.forget()
    stage.clock.advance(by: .seconds(600))
    await stage.drain("atomic", "braze")
    #expect(stage.transport.requests.isEmpty, "the anonymous user has no pending rows")
    try await stage.signIn("u-1")
    await stage.drain("atomic", "braze")
    let register = "POST /push.register?user=u-1"
    let kept = [register, "POST /push.unregister?user=u-1"]
    // Who signs in gets the token from each of the two, whatever became of what had waited.
    #expect(
      stage.asked.filter { $0.hasSuffix("user=u-1") }
        == (isKept ? kept + [register, register, register] : [register, register]))
    try await stage.end()
  }

  @Test("G13 G15: the former credential source is asked until sign-out ends and never afterwards")
  func credentials() async throws {
    var adapter = PuppetAdapter("braze")
    adapter.onTransition = { _, _, _ in [.leave(Self.farewell)] }
    adapter.onStep = { _, context throws(EngagementError) in
      guard context.credential == nil else { return nil }
      throw EngagementError(.unauthenticated, "There is no credential.")
    }
    let stage = try await Stage([adapter])
    let asked = Locked(0)
    try await stage.engagement.signIn("u-1") { _ in
      asked.withLock { $0 += 1 }
      return Secret("token")
    }
    let report = try await stage.engagement.signOut()
    #expect(report.isClean && asked.withLock { $0 } == 1)
    #expect(stage.transport.requests.map(\.credential) == [Secret("token")])
    _ = await stage.engagement.refresh(.inbox)
    #expect(asked.withLock { $0 } == 1 && stage.transport.requests.count == 1)
    try await stage.end()
  }

  @Test("signing out the anonymous user changes nothing")
  func anonymous() async throws {
    let stage = try await Stage(Self.vendors)
    let report = try await stage.engagement.signOut()
    #expect(report.isClean && Set(report.providers.keys) == ["atomic", "braze"])
    #expect(stage.engagement.dependencies.currentUser.userSession.generation == 1)
    #expect(stage.transport.requests.isEmpty)
    try await stage.end()
  }

  @Test(
    "X16 A4: a registration that waits is not sent while the vendor gives the token back, or later")
  func overtaking() async throws {
    var vendor = PushRouteTests.vendor("a")
    vendor.onTransition = { _, new, _ in
      new.isAnonymous ? [.leave(.unregisterPush(.production))] : []
    }
    let running = Locked<Engagement?>(nil)
    let stage = try await Stage([vendor], routes: PushRouteTests.routes(.only("a"))) { request in
      guard request.line.hasSuffix("/back"), let engagement = running.withLock(\.self) else {
        return .json(200, "[]")
      }
      // The sender of waiting rows begins while the vendor thinks.
      Task { try await engagement.run() }
      try? await Task.sleep(for: .milliseconds(300))
      return .json(200, "[]")
    }
    try await stage.signIn("u-1", consent: .full)
    try await stage.engagement.registerPush(PushRouteTests.token)
    running.withLock { $0 = stage.engagement }
    let report = try await stage.engagement.signOut()
    #expect(report.providers["a"]?.mayStillPush == false)
    try await Task.sleep(for: .milliseconds(100))
    let lines = stage.transport.requests.map(\.line)
    #expect(lines.filter { $0.hasSuffix("/take") || $0.hasSuffix("/back") } == ["POST /back"])
    // The transport holds it, and is held by the engagement.
    running.withLock { $0 = nil }
    try await stage.end()
  }
}

extension HTTPRequest {
  /// Whether the request goes to the provider's puppet.
  func isFor(_ provider: ProviderID) -> Bool {
    (try? target())?.host.text == "\(provider).example"
  }
}
