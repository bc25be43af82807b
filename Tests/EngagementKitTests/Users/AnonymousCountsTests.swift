import EngagementAdapterAPI
import EngagementJSON
import EngagementModel
import EngagementStore
import EngagementTesting
import Testing

@testable import EngagementKit

@Suite("what anonymous users were shown", .timeLimit(.minutes(20))) struct AnonymousCountsTests {
  private let place = Stage.Place()

  /// A vendor of campaigns that gives an anonymous user's rows to whoever signs in.
  private static var vendor: PuppetAdapter {
    var adapter = CampaignStage.adapter
    adapter.onTransition = { old, _, _ in old.isAnonymous ? [.adoptPending] : [] }
    return adapter
  }

  private struct Setup {
    let stage: Stage
    let presenter = NotingPresenter()

    init(at place: Stage.Place) async throws {
      stage = try await Stage(
        [AnonymousCountsTests.vendor],
        templates: [CampaignStage.provider: CampaignStage.offers(presenter)],
        presentations: .init(withoutScene: true, caps: .init(perDay: 100)), at: place)
    }

    /// An event comes, upon which the campaign is shown.
    func show(_ id: String) async throws {
      try await stage.engagement.setConsent(.full)
      try await stage.engagement.commit(
        [.items(.campaigns, .replace(.nothing), [RawItem(0, .due(id, on: "paid"))])],
        from: CampaignStage.provider)
      try await stage.engagement.track("paid")
      await stage.engagement.presentations.settle()
      presenter[id]?.dismissed()
      await stage.engagement.presentations.settle()
    }

    /// The kinds of what is counted for the user: by caps, by the vendor's caps and by triggers.
    func counts(of user: User) async throws -> [String: Int] {
      let records = try await stage.engagement.exportData(of: user)
        .compactMap { $0["record"]?.string }
      return Dictionary(records.map { ($0, 1) }, uniquingKeysWith: +)
        // The list of campaigns is no count.
        .filter { $0.key == "showing" || $0.key.hasPrefix("campaign") && $0.key != "campaign" }
    }
  }

  @Test("B6 G13 X17: nobody adopts what an earlier anonymous user was shown, also after a restart")
  func earlierStays() async throws {
    var setup = try await Setup(at: place)
    for user: User in ["u-2", "u-1"] { try await setup.stage.signIn(user) }
    _ = try await setup.stage.engagement.signOut()
    try await setup.show("c-1")
    #expect(setup.presenter.lines == ["show offer c-1"])
    #expect(try await setup.counts(of: .anonymous)["showing"] == 1)
    // The device was the first user's.
    try await setup.stage.signIn("u-2")
    #expect(try await setup.counts(of: "u-2").isEmpty)
    _ = try await setup.stage.engagement.signOut()
    try await setup.stage.end()
    setup = try await Setup(at: place)
    try await setup.stage.signIn("u-2")
    #expect(try await setup.counts(of: "u-2").isEmpty)
    try await setup.stage.end()
  }

  @Test("X8 X17: a user adopts what was shown in the anonymous stay before the sign-in")
  func lastStay() async throws {
    let setup = try await Setup(at: place)
    try await setup.stage.signIn("u-1")
    _ = try await setup.stage.engagement.signOut()
    try await setup.show("c-1")
    let counts = try await setup.counts(of: .anonymous)
    #expect(counts["showing"] == 1 && counts.count > 1)
    try await setup.stage.signIn("u-1")
    #expect(try await setup.counts(of: "u-1") == counts)
    #expect(try await setup.counts(of: .anonymous).isEmpty)
    try await setup.stage.end()
  }

  @Test("B6 G13 X17: after a purge the next anonymous user has no counts of an earlier one")
  func purge() async throws {
    let setup = try await Setup(at: place)
    for user: User in ["u-2", "u-1"] { try await setup.stage.signIn(user) }
    _ = try await setup.stage.engagement.signOut()
    try await setup.show("c-1")
    try await setup.stage.signIn("u-2")
    _ = try await setup.stage.engagement.signOut(purgesCache: true)
    #expect(try await setup.counts(of: .anonymous).isEmpty)
    try await setup.stage.end()
  }
}
