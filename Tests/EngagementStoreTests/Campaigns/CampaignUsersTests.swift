import EngagementAdapterAPI
import EngagementJSON
import EngagementModel
import Foundation
import Testing

@testable import EngagementStore

private let noon = CampaignStand.noon

/// What becomes of a user's campaigns with the user.
@Suite(.timeLimit(.minutes(20))) struct CampaignUsersTests {
  private let stand: CampaignStand

  init() throws { stand = try CampaignStand() }

  /// Writes a row with the word into each table.
  private func fill(_ store: Store, _ user: Partition, _ word: String) async throws {
    try await store.list(
      CampaignStand.campaign("\(word)-due", on: "\(word)-event"),
      CampaignStand.campaign("\(word)-quiet", on: "\(word)-event") {
        $0.isSuppressed = true
        $0.priority = 2
      }, of: user)
    try await store.list(
      CampaignStand.campaign("\(word)-announced", on: "\(word)-event"), in: .announcedCampaigns,
      of: user)
    try await store.accept(
      stand.track("\(word)-event"), stand.track("", kind: .launch),
      stand.profile(["\(word)-name": .string("\(word)-value")]), in: user)
    let id = try #require(try await store.queuedCampaigns(of: user).last).id
    _ = try await store.presentCampaign(
      id, in: SessionID("\(word)-session"), of: user, at: noon)
    try await store.accept(stand.track("\(word)-event"), in: user)
  }

  private func occurrences(of word: String) throws -> Int {
    let folder = stand.files.scratch.folder.path
    return try FileManager.default.contentsOfDirectory(atPath: folder).count {
      try stand.files.scratch.bytes($0).range(of: Data(word.utf8)) != nil
    }
  }

  @Test("C9 G14: an export lists what is kept of campaigns, and an erasure leaves no byte of it")
  func erase() async throws {
    let store = try await stand.open()
    let user = try await store.partition(of: "canary-user")
    let other = try await store.partition(of: "u-2")
    try await fill(store, user, "canary")
    try await fill(store, other, "keeper")
    let held = try await store.held(for: user)
    let records = Set(held.compactMap { $0["record"]?.string })
    #expect(
      records.isSuperset(of: [
        "queuedCampaign", "campaignCount", "campaignReport", "campaignFact", "campaign",
      ]))
    let text = held.map { String(decoding: JSON.object($0).encoded(), as: UTF8.self) }
      .joined(separator: "\n")
    for word in ["due", "quiet", "announced", "event", "name", "value"] {
      #expect(text.contains("canary-\(word)"), "\(word) is not in the export")
    }
    #expect(try await stand.open().held(for: user) == held)
    #expect(try occurrences(of: "canary") > 0)
    let kept = try await store.held(for: other)
    _ = try await store.erase(user, at: noon)
    _ = try await store.endErasure()
    #expect(try occurrences(of: "canary") == 0)
    #expect(try await store.held(for: other) == kept)
    for table in ["count", "presentation", "queue", "report", "fact"] {
      let sql = "SELECT count(*) FROM campaign_\(table) WHERE partition = \(user.id)"
      #expect(try stand.files.number(sql) == 0, "\(table)")
    }
    #expect(try stand.files.number("SELECT count(*) FROM campaign_wait") == 1)
    await #expect(throws: EngagementError.self) {
      _ = try await store.queueCampaign(
        CampaignStand.campaign("1", on: "a"), from: "bell", isFirst: false, expiresAt: noon,
        of: user, at: noon)
    }
  }

  @Test("A4 C9: a purge leaves nothing of campaigns but the events that told of them")
  func purge() async throws {
    let store = try await stand.open()
    let user = try await store.partition(of: "u-1")
    try await fill(store, user, "canary")
    _ = try await store.purge(user, at: noon)
    let new = try await store.partition(of: "u-1")
    #expect(new.id > user.id)
    let records = Set(try await store.held(for: new).compactMap { $0["record"]?.string })
    #expect(records.isSubset(of: ["user", "consent", "event", "pending"]), "\(records)")
    for table in ["count", "presentation", "queue", "report", "fact"] {
      let sql = "SELECT count(*) FROM campaign_\(table) WHERE partition = \(user.id)"
      #expect(try stand.files.number(sql) == 0, "\(table)")
    }
    let another = try await store.partition(of: "u-2")
    #expect(another.id > new.id)
    await #expect(throws: EngagementError.self) {
      try await store.commit([.keep(.user, "late", "1")], from: "bell", in: user, at: noon)
    }
    #expect(try await store.check().isSound)
  }

  @Test("C9: the user who signs in adopts counts, facts, queue and report of the anonymous one")
  func adopt() async throws {
    var store = try await stand.open()
    let (anonymous, user) = (
      try await store.partition(of: .anonymous), try await store.partition(of: "u-1")
    )
    try await fill(store, user, "a")
    try await fill(store, anonymous, "a")
    let report = try await store.adopt(anonymous, into: user, for: ["bell", "paper"])
    #expect(report.hasNewCampaigns)
    store = try await stand.open()
    let tally = try #require(
      try await store.campaignTallies(of: user, in: ["bell": "a-session"])["bell"])
    #expect(tally.all.inSession == 2)
    #expect(tally.counts[ItemID("bell", "a-due")]?.fired == 4)
    #expect(tally.counts[ItemID("bell", "a-due")]?.presentations == [noon, noon])
    #expect(try await store.due(of: user) == ["a-due", "a-due", "a-due", "a-due"])
    #expect(try await store.due(of: anonymous).isEmpty)
    #expect(try await store.report(of: anonymous).isEmpty)
    #expect(try await store.report(of: user).suppressed.count == 4)
    #expect(try await store.campaignTallies(of: anonymous, in: [:])["bell"]?.counts.isEmpty == true)
    let facts = try await store.held(for: user).filter { $0["record"] == "campaignFact" }
    #expect(facts.count { $0["kind"] == "attribute" } == 1)
    let others = try await store.adopt(anonymous, into: user, for: ["bell"])
    #expect(!others.hasNewCampaigns)
    #expect(try await store.check().isSound)
  }

  @Test("C7: wiping a user's rows ends the queue with events and keeps the counts")
  func wipe() async throws {
    let store = try await stand.open()
    let user = try await store.partition(of: "u-1")
    try await fill(store, user, "a")
    _ = try await store.wipeOutbox(of: user, at: noon)
    #expect(try await store.due(of: user).isEmpty)
    #expect(try await store.report(of: user).isEmpty)
    let dropped = try await store.ledger().filter { $0.properties["reason"] == "wiped" }
    #expect(dropped.count { $0.kind == .campaignDropped } == 1, "one of two was presented")
    #expect(
      try await store.campaignTallies(of: user, in: ["bell": "a-session"])["bell"]?.all.inSession
        == 1)
  }
}
