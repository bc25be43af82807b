import EngagementAdapterAPI
import EngagementHTTP
import EngagementModel
import EngagementTesting
import Testing

@testable import EngagementKit

/// Which vendor has the push token while a migration moves pushes, and the next one is down or refuses it.
@Suite("push token in a migration", .timeLimit(.minutes(20))) struct MigrationTokenTests {
  /// Which vendors do not answer, and which refuse a token.
  private struct Faults {
    var down: Set<String> = []
    var refusing: Set<String> = []
    /// Which vendors refuse to give a token back.
    var keeping: Set<String> = []
    /// Which vendors give a token back, and their answers are lost.
    var losing: Set<String> = []
  }

  private let faults = Locked(Faults())

  private func vendor(_ provider: ProviderID) -> PuppetAdapter {
    var vendor = PushRouteTests.vendor(provider)
    let faults = faults
    vendor.onAnswer = { operation, _, _ in
      let isRefused = faults.withLock {
        operation.verb == .registerPush && $0.refusing.contains(provider.rawValue)
          || operation.verb == .unregisterPush && $0.keeping.contains(provider.rawValue)
      }
      guard isRefused else { return nil }
      return .refused(.permissionDenied, "There is no certificate.")
    }
    vendor.onPush = { push, _ in
      guard push[provider.rawValue] != nil else { return nil }
      var notification = PushNotification(vendor: "puppet")
      notification.messageID = push[provider.rawValue]?.string
      return Received(notification)
    }
    return vendor
  }

  private static let routes = Routes(cards: .only("a"), inbox: .none, push: .only("a"))
  private static let stages: [MigrationStage] = [.cutover, .drain, .removed]

  /// A person whose token is at `a`, with a plan to move it to `b`.
  private func stage(
    _ moves: [MigrationPlan.Move] = [.init(.push, stages: Self.stages)], takesBack: Bool = false,
    _ gates: [MigrationStage.Kind: [Engagement.MigrationFigure: Double]] = [
      .off: [:], .cutover: [:], .drain: [:],
    ]
  ) async throws -> Stage {
    let faults = faults
    let stage = try await Stage(["a", "b"].map(vendor), routes: Self.routes) { request in
      let name = request.isFor("a") ? "a" : "b"
      let isLost = request.line.hasSuffix("/back") && faults.withLock { $0.losing.contains(name) }
      return isLost || faults.withLock { $0.down.contains(name) }
        ? .json(503, "{}") : .json(200, "[]")
    }
    try await stage.signIn("u-1", consent: .full)
    try await stage.engagement.registerPush(PushRouteTests.token)
    await stage.drain("a", "b")
    try await stage.engagement.startMigration(
      try MigrationPlan(from: "a", to: "b", moves: moves, gates: gates, takesBack: takesBack))
    return stage
  }

  /// What has become of the token at each vendor.
  private func phases(_ stage: Stage) async throws -> [String] {
    try await stage.engagement.pushStates().map { "\($0.provider) \($0.phase.name)" }
  }

  /// Lets a vendor answer, and sends what waits for it.
  private func mend(_ stage: Stage) async {
    faults.withLock { $0 = Faults() }
    stage.clock.advance(by: .seconds(600))
    await stage.drain("a", "b")
  }

  @Test("X15 X16: the old vendor keeps the token until the new one has taken it")
  func forwards() async throws {
    let stage = try await stage()
    faults.withLock { $0.down = ["b"] }
    try await stage.engagement.advanceMigration(of: .push)
    await stage.drain("a", "b")
    #expect(stage.engagement.routes.push == .only("b"))
    #expect(try await phases(stage) == ["a registered", "b pending"])
    // Its pushes are still the ones to show.
    #expect(try await stage.engagement.handlePush(["a": "m-1"])?.isSuperseded == false)
    await mend(stage)
    #expect(try await phases(stage) == ["a unregistered", "b registered"])
    #expect(try await stage.engagement.handlePush(["a": "m-2"])?.isSuperseded == true)
    let lines = stage.transport.requests.map { "\($0.isFor("a") ? "a" : "b") \($0.line)" }
    let (taken, back) = (lines.lastIndex(of: "b POST /take"), lines.firstIndex(of: "a POST /back"))
    #expect(try #require(taken) < (try #require(back)))
    try await stage.end()
  }

  @Test("X15 X16: on the way back the new vendor keeps the token until the old one has taken it")
  func backwards() async throws {
    let stage = try await stage()
    try await stage.engagement.advanceMigration(of: .push)
    await stage.drain("a", "b")
    faults.withLock { $0.down = ["a"] }
    try await stage.engagement.takeBackMigration(of: .push)
    await stage.drain("a", "b")
    #expect(try await phases(stage) == ["a pending", "b registered"])
    await mend(stage)
    #expect(try await phases(stage) == ["a registered", "b unregistered"])
    try await stage.end()
  }

  @Test("X15 X16: a vendor that is yet to give the token back does not count as having it")
  func givingBack() async throws {
    let stage = try await stage()
    faults.withLock { $0.losing = ["a"] }
    try await stage.engagement.advanceMigration(of: .push)
    await stage.drain("a", "b")
    // Its answer was lost, and the request waits.
    #expect(try await phases(stage) == ["a registered", "b registered"])
    let states = try await stage.engagement.pushStates()
    #expect(states.filter(\.isBeingTakenBack).map(\.provider) == ["a"])
    #expect(states.filter(\.hasToken).map(\.provider) == ["b"])
    faults.withLock { $0 = Faults(refusing: ["a"]) }
    try? await stage.engagement.takeBackMigration(of: .push, why: "test", isForced: true)
    stage.clock.advance(by: .seconds(600))
    await stage.drain("a", "b")
    #expect(try await phases(stage) == ["a failed", "b registered"])
    await mend(stage)
    try await stage.engagement.registerPush(PushRouteTests.token)
    await stage.drain("a", "b")
    #expect(try await phases(stage) == ["a registered", "b unregistered"])
    try await stage.end()
  }

  @Test("X16 X20: a vendor that kept the token is asked again when the user changes")
  func refusedBeforeSignIn() async throws {
    let stage = try await stage()
    faults.withLock { $0.keeping = ["a"] }
    try await stage.engagement.advanceMigration(of: .push)
    await stage.drain("a", "b")
    #expect(try await phases(stage) == ["a failed", "b registered"])
    func asked() -> Int {
      stage.transport.requests.count { $0.isFor("a") && $0.line == "POST /back" }
    }
    let before = asked()
    let report = try await stage.engagement.signIn("u-2", consent: .full)
    #expect(asked() == before + 1)
    #expect(report.providers["a"]?.mayStillPush == true)
    faults.withLock { $0 = Faults() }
    try await stage.end()
  }

  @Test("X15 X16: a step that is taken back before the new vendor took the token takes none away")
  func untouched() async throws {
    let stage = try await stage()
    faults.withLock { $0.down = ["b"] }
    try await stage.engagement.advanceMigration(of: .push)
    await stage.drain("a", "b")
    try await stage.engagement.takeBackMigration(of: .push)
    await mend(stage)
    #expect(try await phases(stage) == ["a registered", "b unregistered"])
    #expect(stage.transport.requests.allSatisfy { !$0.isFor("a") || $0.line != "POST /back" })
    try await stage.end()
  }

  @Test("X15 X16: the old vendor keeps a token that the new one refuses, and the next step says so")
  func refuses() async throws {
    let stage = try await stage()
    faults.withLock { $0.refusing = ["b"] }
    try await stage.engagement.advanceMigration(of: .push)
    await stage.drain("a", "b")
    #expect(try await phases(stage) == ["a registered", "b failed"])
    // It refuses to be told anything else of the token, too.
    faults.withLock { $0.down = ["b"] }
    try await stage.engagement.takeBackMigration(of: .push)
    await stage.drain("a", "b")
    let error = await failure { try await stage.engagement.advanceMigration(of: .push) }
    #expect(error?.code == .conflict)
    let words = error?.message ?? ""
    #expect(
      words.contains(#""b" did not take the token: There is no certificate."#), "\(words)")
    #expect(words.contains("force the step with a reason"), "\(words)")
    let status = try await stage.engagement.migrations().first
    #expect(status?.stage == .off && status?.obstacle == words)
    faults.withLock { $0 = Faults() }
    try await stage.engagement.advanceMigration(of: .push, why: "mended", isForced: true)
    await mend(stage)
    #expect(try await phases(stage) == ["a unregistered", "b registered"])
    try await stage.end()
  }

  /// A person whose token is at `b`, while `a` is known not to answer.
  private func silent(_ stage: Stage) async throws {
    try await stage.engagement.advanceMigration(of: .push)
    await stage.drain("a", "b")
    faults.withLock { $0.down = ["a"] }
    _ = await stage.engagement.refresh(.cards(in: "home"))
    #expect(try await phases(stage) == ["a unregistered", "b registered"])
  }

  @Test("X15 X16: pushes do not go back to a vendor that is known not to answer")
  func silentOldVendor() async throws {
    let stage = try await stage()
    try await silent(stage)
    let asked = stage.transport.requests.count
    let error = await failure { try await stage.engagement.takeBackMigration(of: .push) }
    #expect(error?.code == .conflict)
    let words = error?.message ?? ""
    #expect(words.contains(#"push stays at cutover: "a" has not answered since 20"#), "\(words)")
    #expect(words.contains("force the step with a reason"), "\(words)")
    #expect(try await stage.engagement.migrations().first?.stage == .cutover)
    await stage.drain("a", "b")
    #expect(stage.transport.requests.count == asked)
    #expect(try await phases(stage) == ["a unregistered", "b registered"])
    let unreasoned = await failure {
      try await stage.engagement.takeBackMigration(of: .push, isForced: true)
    }
    #expect(unreasoned?.code == .invalidArgument)
    try await stage.engagement.takeBackMigration(of: .push, why: "b costs too much", isForced: true)
    let step = try await stage.engagement.migrations().first?.steps.last
    #expect(step?.to == .off && step?.isForced == true)
    await stage.drain("a", "b")
    #expect(try await phases(stage) == ["a pending", "b registered"])
    await mend(stage)
    #expect(try await phases(stage) == ["a registered", "b unregistered"])
    try await stage.end()
  }

  @Test("X15 X16: cards do not go back by hand before pushes can")
  func silentOldVendorOfCards() async throws {
    let stage = try await stage(
      [.init(.cards, stages: Self.stages), .init(.push, stages: Self.stages)])
    try await stage.engagement.advanceMigration(of: .cards)
    try await stage.engagement.setRoute(.only("a"), for: .cards, in: "home")
    try await silent(stage)
    let error = await failure { try await stage.engagement.takeBackMigration(of: .cards) }
    #expect(error?.code == .conflict && error?.message.contains("push stays at cutover") == true)
    #expect(try await stage.engagement.migrations().map(\.stage) == [.cutover, .cutover])
    try await stage.end()
  }

  @Test("X15 X16: a gate that breaks takes the screens back at once, and pushes follow")
  func automatically() async throws {
    let gates: [MigrationStage.Kind: [Engagement.MigrationFigure: Double]] = [
      .off: [:], .cutover: [.errors: 0, .requests: 1, .latency: .infinity, .untold: .infinity],
      .drain: [:],
    ]
    let stage = try await stage(
      [.init(.cards, stages: Self.stages), .init(.push, stages: Self.stages)], takesBack: true,
      gates)
    let engagement = stage.engagement
    try await engagement.setRoute(.only("a"), for: .cards, in: "other")
    try await engagement.advanceMigration(of: .cards)
    try await engagement.advanceMigration(of: .push)
    await stage.drain("a", "b")
    _ = await engagement.refresh(.cards(in: "other"))
    faults.withLock { $0.down = ["b"] }
    _ = await engagement.refresh(.cards(in: "home"))
    faults.withLock { $0.down = ["a"] }
    try await engagement.reviewMigrations()
    #expect(try await engagement.migrations().map(\.stage) == [.off, .off])
    #expect(engagement.routes.cards == .only("a") && engagement.routes.push == .only("a"))
    await stage.drain("a", "b")
    #expect(try await phases(stage) == ["a pending", "b registered"])
    await mend(stage)
    #expect(try await phases(stage) == ["a registered", "b unregistered"])
    try await stage.end()
  }

  @Test("X15: pushes are not removed from a vendor that has not let go of the token")
  func removed() async throws {
    let stage = try await stage()
    try await stage.engagement.advanceMigration(of: .push)
    faults.withLock { $0.down = ["a"] }
    await stage.drain("a", "b")
    #expect(try await phases(stage) == ["a registered", "b registered"])
    try await stage.engagement.advanceMigration(of: .push)
    let error = await failure { try await stage.engagement.advanceMigration(of: .push) }
    #expect(error?.code == .conflict)
    let words = error?.message ?? ""
    #expect(words.contains(#"push stays at drain: "a" still has the push token"#), "\(words)")
    #expect(try await stage.engagement.migrations().first?.obstacle == words)
    await mend(stage)
    try await stage.engagement.advanceMigration(of: .push)
    #expect(try await stage.engagement.migrations().first?.stage == .removed)
    try await stage.end()
  }

  @Test("X15: after a forced step to removed it is told what the old vendor still has")
  func removedByForce() async throws {
    let stage = try await stage()
    let engagement = stage.engagement
    try await engagement.advanceMigration(of: .push)
    faults.withLock { $0.down = ["a"] }
    await stage.drain("a", "b")
    try await engagement.advanceMigration(of: .push)
    #expect(try await engagement.migrations().first?.remainder == nil)
    try await engagement.advanceMigration(of: .push, why: "a is gone", isForced: true)
    let status = try #require(try await engagement.migrations().first)
    #expect(status.stage == .removed)
    #expect(status.remainder == #""a" still has the push token: let what waits be sent."#)
    await mend(stage)
    #expect(try await engagement.migrations().first?.remainder == nil)
    try await stage.end()
  }

  @Test("X15: pushes are not removed from a vendor that may still push to who has signed out")
  func removedFromOthers() async throws {
    let stage = try await stage()
    let engagement = stage.engagement
    faults.withLock { $0.keeping = ["a"] }
    try await stage.signIn("u-2", consent: .full)
    await mend(stage)
    try await engagement.advanceMigration(of: .push)
    await stage.drain("a", "b")
    #expect(try await phases(stage).contains("a registered") == false)
    try await engagement.advanceMigration(of: .push)
    let error = await failure { try await engagement.advanceMigration(of: .push) }
    #expect(error?.code == .conflict)
    let words = error?.message ?? ""
    #expect(words.contains(#""a" may still push to people who were signed in here"#), "\(words)")
    #expect(try await engagement.formerTokenHolders() == ["a"])
    try await stage.signIn("u-1", consent: .full)
    await stage.drain("a", "b")
    try await engagement.advanceMigration(of: .push)
    #expect(try await engagement.migrations().first?.stage == .removed)
    try await stage.end()
  }

  @Test("X16: a sign-out names a vendor that may still push to who was here before")
  func signOut() async throws {
    let stage = try await stage()
    faults.withLock { $0.keeping = ["a"] }
    try await stage.signIn("u-2", consent: .full)
    await mend(stage)
    let report = try await stage.engagement.signOut()
    #expect(report.providers["a"]?.mayStillPush == true)
    #expect(try await stage.engagement.formerTokenHolders() == ["a"])
    try await stage.end()
  }

  @Test("X15: cards are not removed from a vendor that a container still shows, not even by force")
  func removedFromContainers() async throws {
    let stage = try await stage([.init(.cards, stages: Self.stages)])
    let engagement = stage.engagement
    try await engagement.setRoute(.merge(["a", "b"]), for: .cards, in: "news")
    try await engagement.advanceMigration(of: .cards)
    try await engagement.advanceMigration(of: .cards)
    for isForced in [false, true] {
      let error = await failure {
        try await engagement.advanceMigration(of: .cards, why: "a test", isForced: isForced)
      }
      #expect(error?.code == .conflict)
      let words = error?.message ?? ""
      #expect(
        words.contains(#"the container "news" has a route of its own to "a""#), "\(words)")
      #expect(try await engagement.migrations().first?.obstacle == words)
    }
    try await engagement.setRoute(.only("b"), for: .cards, in: "news")
    try await engagement.advanceMigration(of: .cards)
    try await stage.end()
  }
}
