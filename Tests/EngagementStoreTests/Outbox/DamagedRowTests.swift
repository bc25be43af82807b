import EngagementAdapterAPI
import EngagementModel
import Foundation
import Testing

@testable import EngagementStore

@Suite(.timeLimit(.minutes(20))) struct DamagedRowTests {
  private let stand: StoreStand

  init() throws { stand = try StoreStand() }

  @Test(
    "G9: a row with a changed column is never sent and is counted as rejected",
    arguments: [
      "key = X'00112233445566778899aabbccddeeff'", "kind = 'operation'",
      "body = replace(body, 'looked', 'lookee')", "body = 'x'",
      "action = '{\"name\":\"read\"}'", "action = NULL", "event = X'00'", "event = NULL",
      "surface = 'inbox'", "surface = NULL", "analytics = 1 - analytics", "analytics = 3",
      "accepted = accepted + 1", "attempts = attempts + 1", "waited = waited + 1", "batch = 1",
      "batch_key = X'00112233445566778899aabbccddeeff'",
      "seal = seal + 1", "key = X''",
    ])
  func flipped(column: String) async throws {
    let store = try await stand.open()
    let user = try await store.partition(of: "u-1")
    let item = StoreStand.item("a")
    var intents: [Intent] = []
    for _ in 0..<3 {
      let event = stand.event(.dismiss, on: "a")
      intents.append(
        Intent(
          event: event, mark: .init(.dismiss, on: item),
          deliveries: [.init(to: "paper", .event(event), key: stand.key())]))
    }
    _ = try await store.accept(intents, in: user, at: StoreStand.start)
    let rows = try await store.waiting(in: user)
    try stand.tamper("UPDATE outbox SET \(column) WHERE id = \(rows[1].id)")
    #expect(try await store.check().damagedRows == 1)
    #expect(try await store.waiting(in: user) == [rows[0], rows[2]])
    let tally = try #require(try await store.deliveryCounts()["paper"])
    #expect((tally.pending, tally.rejected) == (2, 1))
    #expect(tally.isConserved)
    let told = try await store.ledger().last
    #expect(told?.properties["code"] == "storage")
    #expect(told?.time == StoreStand.start, "the time is from the store's clock")
    #expect(try await store.check().isSound)
  }

  @Test("G9 G13: a row moved to another user or provider is removed and never sent")
  func foreign() async throws {
    let store = try await stand.open()
    let (one, two) = (
      try await store.partition(of: "u-1"), try await store.partition(of: "u-2")
    )
    try await store.accept(stand.act(.click, on: "a"), stand.act(.click, on: "b"), in: one)
    try stand.tamper(
      """
      UPDATE outbox SET partition = \(two.id) WHERE id = 1;
      UPDATE outbox SET provider = 'other' WHERE id = 2;
      """)
    #expect(try await store.waiting(in: two).isEmpty)
    #expect(try await store.waiting(for: "other", in: one).isEmpty)
    #expect(try await store.waiting(in: one).isEmpty)
    #expect(try stand.number("SELECT count(*) FROM outbox") == 0)
  }

  @Test("G9: an adoption rejects a damaged row instead of giving it a new checksum")
  func adopted() async throws {
    let store = try await stand.open()
    let (one, two) = (
      try await store.partition(of: .anonymous), try await store.partition(of: "u-2")
    )
    try await store.accept(stand.act(.click, on: "a"), stand.act(.click, on: "b"), in: one)
    try stand.tamper("UPDATE outbox SET body = replace(body, '\"b\"', '\"c\"') WHERE id = 2")
    let report = try await store.adopt(one, into: two, for: ["paper"])
    #expect(report.ended.map(\.ending.name) == ["rejected"])
    #expect(try await store.ledger().last?.time == StoreStand.start)
    #expect(try await store.waiting(in: two).compactMap(\.item?.id.value) == ["a"])
    #expect(try await store.deliveryCounts()["paper"]?.isConserved == true)
  }
}
