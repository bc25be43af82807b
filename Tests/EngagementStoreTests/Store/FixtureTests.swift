import EngagementAdapterAPI
import EngagementModel
import Foundation
import Testing

@testable import EngagementStore

/// Caches of released schemas. Every later release must open them, so their files never change.
@Suite(.timeLimit(.minutes(20))) struct FixtureTests {
  private let stand: StoreStand

  init() throws { stand = try StoreStand() }

  @Test("G10: a cache of the first schema opens with all its contents")
  func first() async throws {
    try stand.makeFixture(of: 1)
    let store = try await stand.open()
    let user = try await store.presentUser()
    #expect(user == "u-1")
    let partition = try await store.partition(of: user)
    #expect(try await store.consent(of: partition) == .full)
    let rows = try await store.waiting(in: partition)
    #expect(rows.map(\.id) == [2, 3, 4])
    #expect(rows.map(\.attempts) == [1, 1, 0])
    #expect(rows.map(\.batch) == [2, 2, nil])
    #expect(rows.compactMap(\.item?.id.value) == ["b", "c"])
    #expect(rows[1].action == .dismiss)
    #expect(try await store.visible(in: partition) == ["a", "b"])
    #expect(try await store.ledger().map(\.sequence) == [1, 2, 3, 4])
    let memory = try await store.memory(of: "paper", in: partition)
    #expect(memory.values[.user, "mark"] == "7")
    #expect(memory.values[.installation, "device"] == "d-1")
    #expect(memory.person?.email == "u-1@example.com")
    let tally = try #require(try await store.deliveryCounts()["paper"])
    #expect((tally.accepted, tally.pending, tally.rejected) == (4, 3, 1))
    #expect(try await store.check().isSound)
  }

  @Test("C7 C9 G10: a cache of the second schema opens with everything about its campaigns")
  func second() async throws {
    try stand.makeFixture(of: 2)
    let store = try await CampaignStand(stand).open()
    let partition = try await store.partition(of: "u-1")
    #expect(try await store.waiting(in: partition).map(\.id) == [2, 3, 4])
    let queued = try await store.queuedCampaigns(of: partition)
    #expect(queued.map(\.id) == [1, 2])
    #expect(queued.map(\.isPresented) == [true, false])
    #expect(queued.map(\.campaign.template) == ["Banner", "Banner"])
    #expect(queued[1].campaign.handle == ["pivot": "7"])
    #expect(queued[1].presentAt == CampaignStand.noon + 60)
    let tally = try #require(
      try await store.campaignTallies(of: partition, in: ["bell": "s-1"])["bell"])
    #expect(tally.counts[ItemID("bell", "7")]?.fired == 2)
    #expect(tally.all.presentations.count == 2 && tally.all.inSession == 1)
    let state = try await store.operationState(of: "bell", in: partition, at: CampaignStand.noon)
    #expect(
      state.campaignReport == CampaignReport(due: ["8"], suppressed: [["pivot": "9"]], mark: 2))
    let launch = CampaignStand.campaign("9", on: "launch")
    try await store.list(launch, of: partition)
    #expect(try await store.end([5], .delivered).hasNewCampaigns)
    #expect(try await store.due(of: partition) == ["7", "7", "9"])
    #expect(try await store.check().isSound)
  }

  @Test("A32 X14 G10: a cache of the third schema opens with its files and its events")
  func third() async throws {
    try stand.makeFixture(of: 3)
    let store = try await CampaignStand(stand).open()
    let partition = try await store.partition(of: "u-1")
    #expect(try await store.file(of: 4) == [0xff, 0xd8, 0xff, 0xe0])
    let entries = try await store.entries(after: 0, limit: 100)
    #expect(entries.map(\.event.sequence) == [1, 2, 3, 4])
    #expect(entries.allSatisfy { $0.recording == nil })
    _ = try await store.record([stand.event()], in: partition)
    #expect(
      try await store.entries(after: 4, limit: 100).map(\.recording)
        == [.init(time: StoreStand.start, uptime: .zero)])
    #expect(try await store.check().isSound)
  }

  @Test("X14 G10: a cache of the fourth schema opens with its clocks and what was delivered")
  func fourth() async throws {
    try stand.makeFixture(of: 4)
    let store = try await CampaignStand(stand).open()
    let partition = try await store.partition(of: "u-1")
    let entries = try await store.entries(after: 0, limit: 100)
    #expect(entries.map(\.event.sequence) == [4, 5, 6, 7, 8])
    #expect(
      entries.map(\.recording) == [nil]
        + Array(repeating: .init(time: StoreStand.start + 60, uptime: .seconds(90)), count: 4))
    let delivered = entries.map(\.event).filter { $0.kind == .delivered }
    #expect(delivered.map(\.item?.id.value) == ["d", "e"])
    #expect(try await store.evictedEvents() == EvictedEvents(bySize: 3))
    #expect(
      try await store.exportCursor(named: "nightly", selecting: "every event", in: "production")
        .sequence == 3)
    let salt = try await store.exportSalt()
    #expect(try stand.number("SELECT count(*) FROM setting WHERE value = '\(salt)'") == 1)
    #expect(try await store.file(of: 4) == [0xff, 0xd8, 0xff, 0xe0])
    #expect(try await store.visible(in: partition) == ["a", "b", "d", "e"])
    // The vendor takes the two back, and sends them again with a third.
    for items in [[], [#"{"id":"d"}"#, #"{"id":"e"}"#, #"{"id":"f"}"#]] {
      _ = try await store.commit(
        [.list(items)], from: "paper", in: partition, at: StoreStand.start + 120)
    }
    let later = try await store.ledger(after: 8).filter { $0.kind == .delivered }
    #expect(later.map(\.item?.id.value) == ["f"])
    #expect(try await store.check().isSound)
  }

  @Test("X4 X11 X16 X17 G10: a cache of the fifth schema opens with all that routes keep")
  func fifth() async throws {
    try stand.makeFixture(of: 5)
    let store = try await CampaignStand(stand).open()
    let partition = try await store.partition(of: "u-1")
    let records = ["contentCopy", "contentMark", "assignment", "showing", "pushState"]
    let held = try await store.held(for: partition).compactMap { object in
      object["record"]?.string.flatMap { records.contains($0) ? ($0, object) : nil }
    }
    #expect(held.map(\.0).sorted() == records.sorted())
    let found = Dictionary(uniqueKeysWithValues: held)
    #expect(found["contentMark"]?["marks"] == ["viewed"])
    #expect(found["contentMark"]?["key"] == found["contentCopy"]?["key"])
    #expect(found["assignment"]?["arm"] == "blue")
    #expect(found["showing"]?["shown"] == 2)
    #expect(found["pushState"]?["state"] == "registered")
    #expect(try await store.visible(in: partition) == ["a", "b", "d", "e"])
    #expect(try stand.number("SELECT count(*) FROM unlisted_content") == 0)
    #expect(try await store.check().isSound)
  }
}

extension StoreStand {
  /// Makes the cache of a released schema from its SQL text.
  func makeFixture(of schema: Int) throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Fixtures")
    let file = folder.appending(path: "schema-\(schema).sql")
    let sql = try String(contentsOf: file, encoding: .utf8)
    var database = try scratch.open(.create)
    try database.transaction { (database) throws(EngagementError) in
      try database.connection.execute(sql)
      try database.connection.execute("PRAGMA user_version=\(schema)")
    }
  }
}
