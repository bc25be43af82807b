import EngagementAdapterAPI
import EngagementModel
import Foundation
import TestSupport
import Testing

@testable import EngagementStore

@Suite(.timeLimit(.minutes(20))) struct OutboxLimitTests {
  private let stand: StoreStand

  init() throws { stand = try StoreStand() }

  @Test("G7: a full outbox evicts the oldest analytics rows, and counts and reports them once")
  func eviction() async throws {
    let store = try await stand.open(limits: OutboxLimits(rows: 5))
    let user = try await store.partition(of: "u-1")
    for number in 0..<4 {
      try await store.accept(stand.track(stand.event(.click, on: "\(number)")), in: user)
    }
    let old = try await store.waiting(in: user)
    let accepted = try await store.accept(
      stand.act(.dismiss, on: "x"), stand.act(.dismiss, on: "y"), stand.act(.dismiss, on: "z"),
      in: user)
    #expect(accepted.ended == old.prefix(2).map { .init($0.key, .evicted) })
    #expect(
      try await store.waiting(in: user).compactMap(\.item?.id.value) == ["2", "3", "x", "y", "z"])
    let tally = try #require(try await store.deliveryCounts()["paper"])
    #expect(tally.isConserved)
    #expect((tally.accepted, tally.evicted) == (7, 2))
    let drops = try await store.ledger().filter { $0.kind == .outboxDropped }
    #expect(drops.map { $0.properties["count"] } == [2])
  }

  @Test(
    "G7 G1: a full outbox refuses an action and stores no part of it", arguments: [true, false])
  func full(byRows: Bool) async throws {
    let limits = byRows ? OutboxLimits(rows: 2) : OutboxLimits(bytes: 600)
    let store = try await stand.open(limits: limits)
    let user = try await store.partition(of: "u-1")
    try await store.accept(stand.act(.click, on: "a"), stand.act(.click, on: "b"), in: user)
    let before = try await store.waiting(in: user)
    let ledger = try await store.ledger()
    for _ in 0..<2 {
      await #expect {
        try await store.accept(stand.act(.dismiss, on: "c"), stand.act(.dismiss, on: "d"), in: user)
      } throws: {
        ($0 as? EngagementError)?.code == .queueFull
      }
    }
    #expect(try await store.waiting(in: user) == before)
    #expect(try await store.ledger() == ledger)
    _ = try await store.end(before.map(\.id), .delivered)
    try await store.accept(stand.act(.dismiss, on: "c"), in: user)
    #expect(try await store.deliveryCounts()["paper"]?.isConserved == true)
  }

  @Test("G7: an answer is committed even if the outbox has no room for its wanted operation")
  func wanted() async throws {
    let store = try await stand.open(limits: OutboxLimits(rows: 1))
    let user = try await store.partition(of: "u-1")
    try await store.accept(stand.act(.click, on: "a"), in: user)
    let report = try await store.commit(
      [.wanted(.inbox), .keep(.user, "mark", "7")], from: "paper", in: user, at: StoreStand.start)
    #expect(report.ignored.map(\.code) == [.queueFull])
    #expect(try await store.memory(of: "paper", in: user).values[.user, "mark"] == "7")
  }

  @Test("G7: the outbox stays within its row limit when twenty thousand events are accepted")
  func many() async throws {
    let pages = Effort.share(of: 40)
    let store = try await stand.open(limits: OutboxLimits(rows: pages * 125))
    let user = try await store.partition(of: "u-1")
    for _ in 0..<pages {
      let intents = (0..<500).map { _ in stand.track(stand.event(), to: ["paper"]) }
      _ = try await store.accept(intents, in: user, at: StoreStand.start)
    }
    #expect(try await store.pendingCounts(in: user) == ["paper": pages * 125])
    let tally = try #require(try await store.deliveryCounts()["paper"])
    #expect(tally.accepted == pages * 500 && tally.evicted == pages * 375)
    #expect(tally.isConserved)
  }

  @Test("G2 G4: twenty thousand actions survive a restart in order, each exactly once")
  func manyActions() async throws {
    let pages = Effort.share(of: 20)
    let count = pages * 1_000
    let limits = OutboxLimits(rows: count, bytes: 100_000_000)
    let store = try await stand.open(limits: limits)
    let user = try await store.partition(of: "u-1")
    for page in 0..<pages {
      let intents = (0..<1_000).map { stand.act(.click, on: "\(page * 1_000 + $0)") }
      _ = try await store.accept(intents, in: user, at: StoreStand.start)
    }
    await #expect {
      try await store.accept(stand.act(.click, on: "more"), in: user)
    } throws: {
      ($0 as? EngagementError)?.code == .queueFull
    }
    try await store.suspend()
    let next = try await stand.open(limits: limits)
    let rows = try await next.waiting(in: user)
    #expect(rows.compactMap(\.item?.id.value) == (0..<count).map(String.init))
    _ = try await next.end(rows.prefix(count - 1_000).map(\.id), .delivered)
    let tally = try #require(try await next.deliveryCounts()["paper"])
    #expect(tally.accepted == count && tally.delivered == count - 1_000)
    #expect(tally.isConserved)
  }

  @Test("G1: imported journal entries bypass the outbox limits but count against them")
  func folded() async throws {
    let store = try await stand.open(limits: OutboxLimits(rows: 1))
    let user = try await store.partition(of: "u-1")
    try await store.accept(stand.act(.click, on: "a"), in: user)
    let intents = ["b", "c"].map { stand.act(.click, on: $0) }
    let gone = Partition(id: 99, environment: "production", user: "u-9")
    let entries = [user, gone].map { IncomingChanges(in: $0, intents: intents) }
    let reports = try await store.commit(
      marking: .keep(.installation, "journal", "\"x\""), of: "", in: user, at: StoreStand.start
    ) { _ throws(EngagementError) in IncomingBatch(entries, dropping: 2) }.reports
    #expect(reports.map(\.partition) == [user] && reports[0].report.hasNewRows)
    #expect(try await store.waiting(in: user).count == 3)
    #expect(try await store.ledger().last?.properties == ["reason": "journal", "count": 3])
    #expect(try await store.memory(of: "", in: user).values[.installation, "journal"] == "\"x\"")
    #expect(try await store.deliveryCounts()["paper"]?.isConserved == true)
    await #expect(throws: EngagementError.self) {
      try await store.accept(stand.act(.click, on: "d"), in: user)
    }
  }
}
