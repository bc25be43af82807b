import EngagementAdapterAPI
import EngagementJSON
import EngagementModel
import Foundation
import Testing

@testable import EngagementStore

private let noon = CampaignStand.noon

/// What an accepted row makes due, in its own transaction.
@Suite(.timeLimit(.minutes(20))) struct CampaignEvaluationTests {
  private let stand: CampaignStand

  init() throws { stand = try CampaignStand() }

  @Test("C9: an accepted event queues the campaign that it makes due and records that")
  func due() async throws {
    let store = try await stand.open()
    let user = try await store.partition(of: "u-1")
    let campaign = CampaignStand.campaign("7", on: "bought") { $0.delaySeconds = 60 }
    try await store.list(campaign, of: user)
    let acceptance = try await store.accept(
      [stand.track("Bought")], in: user, at: noon)
    #expect(acceptance.hasNewCampaigns)
    let queued = try #require(try await store.queuedCampaigns(of: user).first)
    #expect(queued.campaign == campaign && queued.provider == "bell" && !queued.isFirst)
    #expect(queued.presentAt == noon + 60 && queued.expiresAt == noon + 48 * 3_600)
    let event = try #require(try await store.ledger().last)
    #expect(event.kind == .campaignDue && event.item?.id == campaign.id)
    #expect(event.item?.surface == .campaigns && event.session == "s-1")
    #expect(event.properties["trigger"] == "Bought" && event.zoneOffset == 7_200)
    let other = try await store.accept([stand.track("looked")], in: user, at: noon)
    #expect(!other.hasNewCampaigns)
  }

  @Test("C9: a transaction that fails queues, counts and remembers nothing")
  func rolledBack() async throws {
    let store = try await stand.open()
    let user = try await store.partition(of: "u-1")
    try await store.list(
      CampaignStand.campaign("7", on: "bought", [.init(.onExactly, 1)]) {
        $0.triggers[0].isFirstTimeOnly = true
      }, of: user)
    await #expect(throws: EngagementError.self) {
      try await store.acceptAndFail([stand.track("bought")], in: user)
    }
    #expect(try await store.due(of: user).isEmpty)
    try await store.accept(stand.track("bought"), in: user)
    #expect(try await store.due(of: user) == ["7"])
  }

  @Test("C9: only the user's first event of a name is the first, also after a restart")
  func first() async throws {
    var store = try await stand.open()
    let user = try await store.partition(of: "u-1")
    try await store.accept(stand.track("Opened Page"), in: user)
    try await store.list(
      CampaignStand.campaign("1", on: "opened page") { $0.triggers[0].isFirstTimeOnly = true },
      CampaignStand.campaign("2", on: "bought") { $0.triggers[0].isFirstTimeOnly = true },
      of: user)
    store = try await stand.open()
    try await store.accept(stand.track("openedpage"), in: user)
    try await store.accept(stand.track("bought"), in: user)
    try await store.accept(stand.track("bought"), in: user)
    #expect(try await store.due(of: user) == ["2"])
  }

  @Test("C9: a changed attribute has its former value, and an unchanged one triggers nothing")
  func attributes() async throws {
    let store = try await stand.open()
    let user = try await store.partition(of: "u-1")
    try await store.accept(stand.profile(["plan": "free"]), in: user)
    try await store.list(
      CampaignStand.campaign("1", on: "plan changed") {
        $0.triggers[0].properties = [Campaign.Condition("oldValue", .equals, "free")]
      }, of: user)
    try await store.accept(stand.profile(["plan": "free"]), in: user)
    #expect(try await store.due(of: user).isEmpty)
    try await store.accept(stand.profile(["plan": "gold"]), in: user)
    #expect(try await store.due(of: user) == ["1"])
    let due = try await store.ledger().filter { $0.kind == .campaignDue }
    #expect(due.map { $0.properties["trigger"] } == ["plan changed"])
  }

  @Test("C9: a lifetime begins when the delay is over")
  func delayedLifetime() async throws {
    let store = try await stand.open()
    let user = try await store.partition(of: "u-1")
    try await store.list(
      CampaignStand.campaign("7", on: "bought") {
        ($0.delaySeconds, $0.lifetimeSeconds) = (600, 60)
      }, of: user)
    try await store.accept(stand.track("bought"), in: user)
    let queued = try #require(try await store.queuedCampaigns(of: user).first)
    #expect(queued.presentAt == noon + 600 && queued.expiresAt == noon + 660)
  }

  @Test("C9: a campaign of a place is due where the device is in it")
  func place() async throws {
    let user: User = "u-1"
    for (position, due) in [
      (Campaign.Position(latitude: 42.7, longitude: 23.3), ["7"]),
      (Campaign.Position(latitude: 48.8, longitude: 2.3), []), (nil, []),
    ] {
      let stand = try CampaignStand()
      let store = try await stand.open(at: position)
      let user = try await store.partition(of: user)
      try await store.list(
        CampaignStand.campaign("7", on: "bought") {
          $0.triggers[0].places = [
            Campaign.Place(latitude: 42.7, longitude: 23.32, kilometres: 10)
          ]
        }, of: user)
      try await store.accept(stand.track("bought"), in: user)
      #expect(try await store.due(of: user) == due)
    }
  }

  @Test("C9: an event of a user who has denied consent is not evaluated and leaves no fact")
  func denied() async throws {
    let store = try await stand.open()
    let user = try await store.partition(of: "u-1")
    try await store.list(CampaignStand.campaign("7", on: "bought"), of: user)
    try await store.setConsent(.denied, of: user)
    try await store.accept(stand.track("bought"), in: user)
    #expect(try await store.due(of: user).isEmpty)
    #expect(try stand.files.number("SELECT count(*) FROM campaign_fact") == 0)
    let report = try await store.commit(
      [.items(.dueCampaigns, .put, CampaignStand.items(CampaignStand.campaign("8", on: "x")))],
      from: "bell", in: user, at: noon)
    #expect(!report.hasNewCampaigns)
    #expect(try await store.due(of: user).isEmpty)
  }

  @Test("C9: a launch is evaluated when its answer is there, against the campaigns it brought")
  func launchDelivered() async throws {
    let store = try await stand.open()
    let user = try await store.partition(of: "u-1")
    let intent = stand.track("", kind: .launch)
    try await store.accept(intent, in: user)
    let id = try #require(intent.event?.id)
    let campaign = CampaignStand.campaign("7", on: "launch")
    // The confirmation stands before the campaigns in the answer.
    let report = try await store.commit(
      [.settled([id]), .items(.campaigns, .put, CampaignStand.items(campaign))], from: "bell",
      in: user, at: noon)
    #expect(report.hasNewCampaigns)
    #expect(try await store.due(of: user) == ["7"])
    #expect(try stand.files.number("SELECT count(*) FROM campaign_wait") == 0)
  }

  @Test("C9: a launch is evaluated once: at its first failure, and not when it ends")
  func launchFailed() async throws {
    var store = try await stand.open()
    let user = try await store.partition(of: "u-1")
    try await store.list(CampaignStand.campaign("7", on: "launch"), of: user)
    try await store.accept(stand.track("", kind: .launch), in: user)
    #expect(try await store.due(of: user).isEmpty)
    store = try await stand.open()
    let row = try #require(try await store.waiting(for: "bell", in: user).first).id
    #expect(try await store.noteFailedAttempt([row], at: noon).hasNewCampaigns)
    #expect(try await store.noteFailedAttempt([row], at: noon) == CommitReport())
    #expect(try await store.due(of: user) == ["7"])
    #expect(try await store.end([row], .expired).hasNewCampaigns == false)
    #expect(try await store.due(of: user) == ["7"])
  }

  @Test(
    "C9: a launch that ends in any way is evaluated, but not one that is wiped",
    arguments: [
      (Ending.delivered, true), (.kept, true), (.expired, true),
      (.rejected(EngagementError(.invalidArgument, "no")), true), (.wiped, false),
    ])
  func launchEnds(ending: Ending, isEvaluated: Bool) async throws {
    let store = try await stand.open()
    let user = try await store.partition(of: "u-1")
    try await store.list(CampaignStand.campaign("7", on: "launch"), of: user)
    try await store.accept(stand.track("", kind: .launch), in: user)
    let row = try #require(try await store.waiting(for: "bell", in: user).first).id
    #expect(try await store.end([row], ending).hasNewCampaigns == isEvaluated)
    #expect(try await store.due(of: user) == (isEvaluated ? ["7"] : []))
    #expect(try stand.files.number("SELECT count(*) FROM campaign_wait") == 0)
  }

  @Test("C9: limits count fired triggers and presentations over restarts")
  func limits() async throws {
    var store = try await stand.open()
    let user = try await store.partition(of: "u-1")
    try await store.list(
      CampaignStand.campaign("1", on: "a", [.init(.onExactly, 3)]),
      CampaignStand.campaign("2", on: "b", [.init(.ever, 1)]), of: user)
    for _ in 0..<4 {
      try await store.accept(stand.track("a"), in: user)
      store = try await stand.open()
    }
    #expect(try await store.due(of: user) == ["1"])
    try await store.accept(stand.track("b"), in: user)
    let queued = try #require(try await store.queuedCampaigns(of: user).last)
    try await store.present(queued.id, of: user, at: noon)
    try await store.accept(stand.track("b"), in: user)
    #expect(try await store.due(of: user) == ["1"])
  }

  @Test("C9: what ends a campaign or a new list of them takes effect at the next event")
  func changes() async throws {
    let store = try await stand.open()
    let user = try await store.partition(of: "u-1")
    try await store.list(
      CampaignStand.campaign("1", on: "a") { $0.expiresAt = noon + 10 },
      CampaignStand.campaign("2", on: "a") {
        $0.expiresAt = noon + 10
        $0.lifetimeSeconds = 5
        $0.delaySeconds = 1
      }, of: user)
    try await store.accept(stand.track("a"), in: user)
    #expect(try await store.due(of: user) == ["1", "2"])
    _ = try await store.accept([stand.track("a")], in: user, at: noon + 20)
    #expect(try await store.due(of: user) == ["1", "2", "2"])
    try await store.list(of: user)
    try await store.accept(stand.track("a"), in: user)
    #expect(try await store.due(of: user).count == 3)
  }

  @Test(
    "C9: without campaigns, a further event of a known name asks the tables of campaigns nothing")
  func idle() async throws {
    let store = try await stand.open()
    let user = try await store.partition(of: "u-1")
    try await store.accept(stand.track("looked"), in: user)
    let tables = ["count", "presentation", "queue", "report", "fact", "wait"]
    for table in tables {
      try await store.runOnOwnConnection("ALTER TABLE campaign_\(table) RENAME TO gone_\(table)")
    }
    try await store.accept(stand.track("looked"), in: user)
    try await store.accept(stand.track("new", to: "paper"), in: user)
    #expect(try await store.waiting(for: "bell", in: user).count == 2)
    await #expect(throws: EngagementError.self) {
      try await store.accept(stand.track("new"), in: user)
    }
  }
}
