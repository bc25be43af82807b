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

  @Test(
    "X15: a push of the old vendor that comes after pushes have moved is not to be shown, and counts once"
  )
  func superseded() async throws {
    let stage = try await stage()
    let engagement = stage.engagement
    let before = try #require(try await engagement.handlePush(["a": "m-1"]))
    #expect(!before.isSuperseded)
    try await engagement.advanceMigration(of: .push)
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
