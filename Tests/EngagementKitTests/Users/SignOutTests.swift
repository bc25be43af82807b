import EngagementAdapterAPI
import EngagementHTTP
import EngagementModel
import EngagementStore
import EngagementTesting
import Testing

@testable import EngagementKit

@Suite("signing out", .timeLimit(.minutes(20))) struct SignOutTests {
  private static let farewell = EngagementAdapterAPI.Operation.vendor("farewell", .null)

  /// One vendor that takes the token back, one that has no way to.
  private static let vendors: [PuppetAdapter] = {
    var careful = PuppetAdapter("atomic")
    careful.onTransition = { _, _, _ in [.sendPending, .leave(.unregisterPush(.production))] }
    return [careful, PuppetAdapter("braze")]
  }()

  private static func isRegistering(_ request: HTTPRequest) -> Bool {
    request.line.hasSuffix("push.register")
  }

  @Test("what was delivered and refused is counted, vendor by vendor, and who may still push (A4)")
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
    #expect(report.providers["braze"]?.refused == 1)
    #expect(report.providers["braze"]?.mayStillPush == true)
    #expect(!report.isClean && stage.engagement.user == .anonymous)
    try await stage.end()
  }

  @Test("what had no time to leave is parked, not refused, and goes when the user is back (G2)")
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
      // Until its task is cancelled.
      for await _ in AsyncStream<Void>.makeStream().stream {}
      return nil
    }
    _ = await stage.engagement.refresh(.cards("home"))
    try await stage.engagement.perform(.dismiss, on: ItemID("braze", "a"), surface: .cards)
    async let report = stage.engagement.signOut(within: .seconds(5))
    while !isAsked.withLock({ $0 }) { await Task.yield() }
    stage.clock.advance(by: .seconds(6))
    #expect(try await report.providers["braze"]?.refused == 0)
    #expect(try await report.providers["braze"]?.parked == 1)
    stage.transport.forget()
    try await stage.signIn("u-1")
    await stage.drain("braze")
    #expect(stage.asked == ["POST /cards.dismiss?user=u-1"])
    try await stage.end()
  }

  @Test(
    "what is left waits for its user or is dropped, as asked, and is counted",
    arguments: Leftovers.allCases)
  func leftovers(_ leftovers: Leftovers) async throws {
    let isUp = Locked(true)
    let stage = try await Stage(Self.vendors) { _ throws(EngagementError) in
      guard isUp.withLock({ $0 }) else { throw EngagementError(.unavailable, "No network.") }
      return HTTPResponse(200)
    }
    try await stage.signIn("u-1")
    isUp.withLock { $0 = false }
    try await stage.engagement.registerPush(
      PushRegistration(token: Secret("0aff"), service: .apns))
    let report = try await stage.engagement.signOut(leftovers: leftovers)
    let isParked = leftovers == .park
    // The careful vendor has the registration and its taking back to be told of.
    #expect(report.providers["atomic"]?.parked == (isParked ? 2 : 0))
    #expect(report.providers["atomic"]?.wiped == (isParked ? 0 : 1))
    #expect(report.providers["braze"]?.parked == (isParked ? 1 : 0))
    #expect(report.providers["braze"]?.wiped == (isParked ? 0 : 1))
    #expect(report.providers["atomic"]?.mayStillPush == true)
    #expect(report.providers["atomic"]?.failure?.code == .unavailable)

    isUp.withLock { $0 = true }
    stage.transport.forget()
    stage.clock.advance(by: .seconds(600))
    await stage.drain("atomic", "braze")
    #expect(stage.transport.requests.isEmpty, "nobody in particular has nothing to say")
    try await stage.signIn("u-1")
    await stage.drain("atomic", "braze")
    let own = stage.asked.filter { $0.hasSuffix("user=u-1") }
    #expect(
      own
        == (isParked
          ? [
            "POST /push.register?user=u-1", "POST /push.unregister?user=u-1",
            "POST /push.register?user=u-1",
          ] : []))
    try await stage.end()
  }

  @Test("the former source is asked until it is over, and never again (G13, G15)")
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

  @Test("nobody in particular signs out without anything happening")
  func anonymous() async throws {
    let stage = try await Stage(Self.vendors)
    let report = try await stage.engagement.signOut()
    #expect(report.isClean && Set(report.providers.keys) == ["atomic", "braze"])
    #expect(stage.engagement.house.occupancy.present.generation == 1)
    #expect(stage.transport.requests.isEmpty)
    try await stage.end()
  }
}

extension HTTPRequest {
  /// Whether it goes to the puppet of the provider.
  func isFor(_ provider: ProviderID) -> Bool {
    (try? target())?.host.text == "\(provider).example"
  }
}
