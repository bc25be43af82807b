import EngagementAdapterAPI
import EngagementJSON
import EngagementModel
import Foundation
import Testing

@testable import EngagementStore

private let noon = CampaignStand.noon

/// The campaigns that wait to be presented, and what is recorded of their presentations.
@Suite(.timeLimit(.minutes(20))) struct CampaignQueueTests {
  private let stand: CampaignStand

  init() throws { stand = try CampaignStand() }

  /// A store with a user for whom one campaign waits.
  private func waiting() async throws -> (store: Store, user: Partition, id: Int64) {
    let store = try await stand.open()
    let user = try await store.partition(of: "u-1")
    try await store.list(CampaignStand.campaign("7", on: "bought"), of: user)
    try await store.accept(stand.track("bought"), in: user)
    return (store, user, try #require(try await store.queuedCampaigns(of: user).first).id)
  }

  @Test("C7: a queued campaign survives a restart and the end of its feed")
  func restart() async throws {
    let (store, user, id) = try await waiting()
    let queued = try await store.queuedCampaigns(of: user)
    try await store.list(of: user)
    let again = try await stand.open()
    #expect(try await again.queuedCampaigns(of: user) == queued)
    #expect(try await again.queuedCampaigns(of: user, after: id).isEmpty)
    #expect(queued.first?.campaign.handle == ["pivot": "7"])
  }

  @Test("C7: of two processes, one hands a campaign over")
  func handOver() async throws {
    let (store, user, id) = try await waiting()
    let other = try await stand.open()
    #expect(try await store.handOverCampaign(id, count: 0, of: user))
    #expect(try await other.handOverCampaign(id, count: 0, of: user) == false)
    #expect(try await other.queuedCampaigns(of: user).map(\.handOvers) == [1])
    #expect(try await other.handOverCampaign(id, count: 1, of: user))
    _ = try await other.endCampaign(id, of: user, at: noon)
    #expect(try await store.handOverCampaign(id, count: 2, of: user) == false)
  }

  @Test("C7: a presentation is recorded once, with its intents, and then ends once")
  func presented() async throws {
    let (store, user, id) = try await waiting()
    let other = try await stand.open()
    let viewed = stand.track("viewed")
    let acceptance = try await store.presentCampaign(
      id, in: "s-1", of: user, at: noon, recording: { _ in [viewed] })
    let recorded = try #require(acceptance).events
    #expect(recorded.map(\.name) == ["viewed"])
    #expect(acceptance?.keys.count == 1)
    let again = stand.track("viewed")
    let second = try await other.presentCampaign(id, in: "s-1", of: user, at: noon) { _ in [again] }
    #expect(second == nil)
    let tally = try #require(try await other.campaignTallies(of: user, in: ["bell": "s-1"])["bell"])
    #expect(tally.all == CampaignCounts(fired: 0, inSession: 1, presentations: [noon]))
    #expect(
      tally.counts == [
        ItemID("bell", "7"): CampaignCounts(fired: 1, inSession: 1, presentations: [noon])
      ])
    #expect(try await other.queuedCampaigns(of: user).map(\.isPresented) == [true])
    #expect(try await other.handOverCampaign(id, count: 0, of: user) == false)
    let closed = stand.track("closed")
    let ended = try await store.endCampaign(id, of: user, at: noon) { _ in [closed] }
    #expect(ended != nil)
    #expect(try await other.endCampaign(id, of: user, at: noon) == nil)
    #expect(try await store.ledger().compactMap(\.name) == ["bought", "viewed", "closed"])
  }

  @Test("C7: what an action calls is queued with its place and its end")
  func called() async throws {
    let store = try await stand.open()
    let user = try await store.partition(of: "u-1")
    let campaign = CampaignStand.campaign("7", on: "x") { $0.arguments = ["a": "b"] }
    let queued = try await store.queueCampaign(
      campaign, from: "bell", isFirst: true, expiresAt: noon + 60, of: user, at: noon)
    #expect(queued.campaign == campaign && queued.isFirst && queued.presentAt == noon)
    #expect(try await store.queuedCampaigns(of: user) == [queued])
    var bad = campaign
    bad.arguments = ["a": "\0"]
    await #expect(throws: EngagementError.self) {
      _ = try await store.queueCampaign(
        bad, from: "bell", isFirst: true, expiresAt: noon, of: user, at: noon)
    }
  }

  @Test("C7: a damaged row is dropped, and an event counts it")
  func damaged() async throws {
    let (store, user, _) = try await waiting()
    try stand.files.tamper(
      "UPDATE campaign_queue SET expires_at = expires_at + 1 WHERE id = 1")
    try await store.accept(stand.track("bought"), in: user)
    #expect(try await store.check().damagedRows == 1)
    #expect(try await store.handOverCampaign(1, count: 0, of: user) == false)
    #expect(try await store.queuedCampaigns(of: user).map(\.id) == [2])
    let event = try #require(try await store.ledger().last)
    #expect(event.kind == .campaignDropped)
    #expect(event.properties == ["reason": "damaged", "count": 1])
    #expect(try await store.check().isSound)
  }

  @Test("C7: campaigns that the vendor wants presented now are queued, bad ones set aside")
  func dueNow() async throws {
    let store = try await stand.open()
    let user = try await store.partition(of: "u-1")
    let items =
      CampaignStand.items(
        CampaignStand.campaign("1", on: "x") { $0.lifetimeSeconds = 30 },
        CampaignStand.campaign("2", on: "x") { $0.isSuppressed = true })
      + [
        RawItem(index: 2, bytes: Array(#"{"kind":"html"}"#.utf8)[...]),
        RawItem(index: 3, bytes: Array(#"{"template":"t"}"#.utf8)[...]),
      ]
    for isNew in [true, false] {
      let report = try await store.commit(
        [.items(.dueCampaigns, .put, items)], from: "bell", in: user, at: noon)
      #expect(report.hasNewCampaigns == isNew)
      #expect(report.quarantined.map(\.index) == (isNew ? [3] : []))
    }
    let queued = try await store.queuedCampaigns(of: user)
    #expect(queued.map(\.campaign.id.value) == ["1"])
    #expect(queued.map(\.expiresAt) == [noon + 30])
    #expect(try await store.report(of: user).suppressed.first == ["pivot": "2"])
    let feed = FeedKey("bell", .dueCampaigns)
    #expect(try await store.campaigns(in: feed, of: user, at: noon).items.isEmpty)
    try await store.present(queued[0].id, of: user, at: noon)
    let report = try await store.commit(
      [.items(.dueCampaigns, .put, items)], from: "bell", in: user, at: noon)
    #expect(report.hasNewCampaigns, "it no longer waits")
  }

  @Test("C9: a removed campaign loses its counts and what waits, but the caps still count it")
  func stale() async throws {
    let (store, user, id) = try await waiting()
    try await store.present(id, of: user, at: noon)
    try await store.accept(stand.track("bought"), in: user)
    _ = try await store.commit(
      [.removed(.campaigns, ids: ["7", "unknown"])], from: "bell", in: user, at: noon)
    #expect(try await store.due(of: user).isEmpty)
    let event = try #require(try await store.ledger().last)
    #expect(event.kind == .campaignDropped && event.properties == ["reason": "removed"])
    #expect(event.item?.id == ItemID("bell", "7"))
    let tally = try #require(try await store.campaignTallies(of: user, in: ["bell": "s-1"])["bell"])
    #expect(tally.counts.isEmpty && tally.all.inSession == 1)
  }

  @Test("C9: caps and counters follow sessions, days and a clock that is set back")
  func caps() async throws {
    var (store, user, id) = try await waiting()
    _ = try await store.commit(
      [.settings(VendorSettings(campaignCaps: CampaignCaps(perSession: 1, perDay: 2)))],
      from: "bell", in: user, at: noon)
    try await store.present(id, in: "s-1", of: user, at: noon)
    store = try await stand.open()
    let campaign = CampaignStand.campaign("8", on: "x")
    func allows(_ session: SessionID?, _ now: Date) async throws -> Bool {
      try #require(
        try await store.campaignTallies(of: user, in: session.map { ["bell": $0] } ?? [:])["bell"]
      )
      .allows(campaign, at: CampaignMoment(now, zoneOffset: 7_200))
    }
    #expect(try await allows("s-1", noon) == false)
    #expect(try await allows("s-2", noon))
    id = try await store.queueCampaign(
      campaign, from: "bell", isFirst: false, expiresAt: noon + 60, of: user, at: noon
    ).id
    // The clock was set back by two days in the meantime.
    try await store.present(id, in: "s-2", of: user, at: noon - 172_800)
    #expect(try await allows("s-3", noon - 172_800) == false)
    #expect(try await allows("s-3", noon + 86_400))
    let state = try await store.operationState(of: "bell", in: user, at: noon - 172_800)
    #expect(state.counters.shownToday == 2)
    #expect(
      state.counters.campaigns == [
        .init("7", today: 1, lifetime: 1), .init("8", today: 1, lifetime: 1),
      ])
    // 13 hours later it is another day in the device's time zone.
    let later = try await store.operationState(of: "bell", in: user, at: noon + 13 * 3_600)
    #expect(later.counters.shownToday == 0)
    #expect(later.counters.campaigns.map(\.lifetime) == [1, 1])
  }

  @Test("C7: what is presented under denied consent is marked and not counted")
  func denied() async throws {
    let (store, user, id) = try await waiting()
    try await store.setConsent(.denied, of: user)
    #expect(
      try await store.presentCampaign(id, in: "s-1", of: user, at: noon) != nil)
    #expect(
      try await store.campaignTallies(of: user, in: ["bell": "s-1"])["bell"]?.all.inSession == 0)
    #expect(try await store.queuedCampaigns(of: user).map(\.isPresented) == [true])
  }
}
