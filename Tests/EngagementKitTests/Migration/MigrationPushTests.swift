import EngagementAdapterAPI
import EngagementHTTP
import EngagementModel
import EngagementTesting
import Testing

@testable import EngagementKit

@Suite("migration of pushes", .timeLimit(.minutes(20))) struct MigrationPushTests {
  private static func vendor(_ provider: ProviderID) -> PuppetAdapter {
    var vendor = PushRouteTests.vendor(provider)
    vendor.onPush = { push, _ in
      guard push[provider.rawValue] != nil else { return nil }
      var notification = PushNotification(vendor: "puppet")
      notification.messageID = push[provider.rawValue]?.string
      return Received(notification)
    }
    return vendor
  }

  private func stage() async throws -> Stage {
    let stage = try await Stage(
      ["a", "b"].map(Self.vendor), routes: PushRouteTests.routes(.only("a")))
    try await stage.signIn("u-1", consent: .full)
    try await stage.engagement.registerPush(PushRouteTests.token)
    await stage.drain("a", "b")
    let plan = try MigrationPlan(
      from: "a", to: "b", moves: [.init(.push, stages: [.cutover, .drain, .removed])],
      gates: [.off: [:], .cutover: [:], .drain: [:]])
    try await stage.engagement.startMigration(plan)
    return stage
  }

  /// The vendors that have the token, by what they were sent.
  private func owners(_ stage: Stage) -> Set<String> {
    var owners: Set<String> = []
    for request in stage.transport.requests {
      let provider = request.isFor("a") ? "a" : "b"
      if request.line.hasSuffix("/take") { owners.insert(provider) }
      if request.line.hasSuffix("/back") { owners.remove(provider) }
    }
    return owners
  }

  @Test("X15 X16: the token moves to its new owner, and back to the old one")
  func oneOwner() async throws {
    let stage = try await stage()
    #expect(owners(stage) == ["a"])
    try await stage.engagement.advanceMigration(of: .push)
    await stage.drain("a", "b")
    #expect(owners(stage) == ["b"])
    try await stage.engagement.takeBackMigration(of: .push, to: .off)
    await stage.drain("a", "b")
    #expect(owners(stage) == ["a"])
    try await stage.end()
  }

  @Test("X15 X16: pushes do not move to a vendor that is known not to answer, unless it is forced")
  func outage() async throws {
    let isDown = Locked(true)
    let stage = try await Stage(
      ["a", "b"].map(Self.vendor),
      routes: Routes(cards: .merge(["a", "b"]), inbox: .none, push: .only("a"))
    ) { request in
      request.isFor("b") && isDown.withLock(\.self) ? .json(503, "{}") : .json(200, "[]")
    }
    let engagement = stage.engagement
    try await stage.signIn("u-1", consent: .full)
    try await engagement.registerPush(PushRouteTests.token)
    await stage.drain("a", "b")
    try await engagement.startMigration(
      try MigrationPlan(
        from: "a", to: "b", moves: [.init(.push, stages: [.cutover, .drain, .removed])],
        gates: [.off: [:], .cutover: [:], .drain: [:]], isAutomatic: true))
    _ = await engagement.refresh(.cards(in: "home"))
    stage.clock.advance(by: .seconds(60))
    _ = await engagement.refresh(.cards(in: "home"))
    let asked = stage.transport.requests.count
    let error = await failure { try await engagement.advanceMigration(of: .push) }
    #expect(error?.code == .conflict)
    let words = error?.message ?? ""
    #expect(words.contains(#""b" has not answered since 20"#), "\(words)")
    let status = try #require(try await engagement.reviewMigrations().first)
    #expect(status.stage == .off && status.obstacle == words && !status.mayAdvance)
    #expect(stage.transport.requests.count == asked && owners(stage) == ["a"])
    // It answers again.
    isDown.withLock { $0 = false }
    _ = await engagement.refresh(.cards(in: "home"))
    #expect(try await engagement.migrations().first?.obstacle == nil)
    isDown.withLock { $0 = true }
    _ = await engagement.refresh(.cards(in: "home"))
    try await engagement.advanceMigration(of: .push, why: "a is gone", isForced: true)
    let step = try await engagement.migrations().first?.steps.last
    #expect(step?.to == .cutover && step?.isForced == true)
    // Between stages that leave the token where it is, nothing is lost.
    #expect(try await engagement.migrations().first?.obstacle == nil)
    try await stage.end()
  }

  @Test(
    "X15: a push of the old vendor that comes after pushes have moved is not to be shown, and counts once"
  )
  func superseded() async throws {
    let stage = try await stage()
    let engagement = stage.engagement
    let before = try #require(try await engagement.handlePush(["a": "m-1"]))
    #expect(!before.isSuperseded)
    try await engagement.advanceMigration(of: .push)
    await stage.drain("a", "b")
    let late = try #require(try await engagement.handlePush(["a": "m-2"]))
    #expect(late.isSuperseded && late.provider == "a")
    let again = try #require(try await engagement.handlePush(["a": "m-2"]))
    #expect(again.isSuperseded && again.isRepeated)
    let new = try #require(try await engagement.handlePush(["b": "m-2"]))
    #expect(!new.isSuperseded)
    let kinds = try await engagement.events().map(\.kind)
    #expect(kinds.count { $0 == .pushDropped } == 1 && kinds.count { $0 == .receive } == 2)
    // What was shown before is opened as ever.
    let opened = try #require(try await engagement.handlePush(["a": "m-1"], phase: .opened))
    #expect(!opened.isSuperseded)
    try await engagement.takeBackMigration(of: .push, to: .off)
    let back = try #require(try await engagement.handlePush(["a": "m-3"]))
    #expect(!back.isSuperseded)
    try await stage.end()
  }
}
