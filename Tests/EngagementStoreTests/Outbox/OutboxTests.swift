import EngagementAdapterAPI
import EngagementModel
import Foundation
import Testing

@testable import EngagementStore

private let refusal = EngagementError(.invalidArgument, "no such card")

@Suite(.timeLimit(.minutes(20))) struct OutboxTests {
  private let stand: StoreStand

  init() throws { stand = try StoreStand() }

  @Test("G1 G3 X7: accepted rows survive a restart unchanged, before and after each attempt")
  func restarts() async throws {
    var store = try await stand.open()
    let user = try await store.partition(of: "u-1")
    let first = stand.track(stand.event(.click, on: "a", ["deep": ["x": [1, 2.5, "é"]]]))
    try await store.accept(first, stand.act(.dismiss, on: "b"), in: user)
    for step in 0..<3 {
      let before = try await store.waiting(in: user)
      #expect(before.count == 2)
      try await store.suspend()
      store = try await stand.open()
      #expect(try await store.waiting(in: user) == before)
      #expect(try await store.partition(of: "u-1") == user)
      try await store.begin(
        before.map(\.id), as: step == 0 ? nil : before[0].id, waited: .milliseconds(1_500))
    }
    let rows = try await store.waiting(in: user)
    #expect(rows.map(\.attempts) == [3, 3])
    #expect(rows.map(\.waited) == [.milliseconds(4_500), .milliseconds(4_500)])
    #expect(rows.map(\.batch) == [rows[0].id, rows[0].id])
    #expect(rows.map(\.key) == first.deliveries.map(\.key) + [rows[1].key])
    #expect(rows[0].event?.sequence == 1)
    #expect(rows[1].action == .dismiss)
    #expect(rows[1].acceptedAt == StoreStand.start)
  }

  @Test("G4: rows wait in the order they were accepted, even if the clock jumps")
  func order() async throws {
    let store = try await stand.open()
    let user = try await store.partition(of: "u-1")
    for number in 0..<50 {
      let jump = Double((number % 3 - 1) * 315_360_000)
      _ = try await store.accept(
        [stand.act(.click, on: "\(number)")], in: user,
        at: StoreStand.start.addingTimeInterval(jump))
    }
    let rows = try await store.waiting(in: user)
    #expect(rows.compactMap(\.item?.id.value) == (0..<50).map(String.init))
    #expect(rows.map(\.id) == rows.map(\.id).sorted())
    #expect(try await store.pending(for: "paper", in: user, limit: 7) == Array(rows.prefix(7)))
  }

  @Test("G3: the first attempt fixes a batch's rows, and a split gives each row its own batch")
  func batches() async throws {
    let store = try await stand.open()
    let user = try await store.partition(of: "u-1")
    for name in ["a", "b", "c"] { try await store.accept(stand.act(.click, on: name), in: user) }
    let ids = try await store.ids(in: user)
    try await store.begin([ids[0], ids[1]], as: ids[0], waited: .zero)
    try await store.begin(ids, as: ids[2], waited: .zero)
    #expect(try await store.waiting(in: user).map(\.batch) == [ids[0], ids[0], ids[2]])
    try await store.split(ids[0])
    #expect(try await store.waiting(in: user).map(\.batch) == ids)
  }

  @Test("G3: a batch keeps its key when rows leave it, and a split gives each row its own key")
  func batchKeys() async throws {
    var store = try await stand.open()
    let (anonymous, user) = (
      try await store.partition(of: .anonymous), try await store.partition(of: "u-1")
    )
    let intents = ["a", "b", "c"].map { stand.track(stand.event(.click, on: $0)) }
    _ = try await store.accept(intents, in: anonymous, at: StoreStand.start)
    let rows = try await store.waiting(in: anonymous)
    try await store.begin(rows.map(\.id), as: rows[0].id, called: rows[0].key, waited: .zero)
    let first = try #require(rows[0].event?.id)
    _ = try await store.commit(
      [.settled([first])], from: "paper", in: anonymous, at: StoreStand.start)
    _ = try await store.adopt(anonymous, into: user, for: ["paper"])
    try await store.suspend()
    store = try await stand.open()
    let left = try await store.waiting(in: user)
    #expect(left.map(\.id) == [rows[1].id, rows[2].id])
    #expect(left.allSatisfy { $0.batchKey == rows[0].key && $0.batch == rows[0].id })
    try await store.begin(left.map(\.id), as: rows[0].id, called: rows[1].key, waited: .zero)
    #expect(try await store.waiting(in: user).allSatisfy { $0.batchKey == rows[0].key })
    try await store.split(rows[0].id)
    #expect(try await store.waiting(in: user).map(\.batchKey) == [rows[1].key, rows[2].key])
    #expect(try await store.check().isSound)
  }

  @Test("G3: taking back an attempt removes only that attempt")
  func takenBack() async throws {
    let store = try await stand.open()
    let user = try await store.partition(of: "u-1")
    try await store.accept(stand.track(stand.event(.click, on: "a")), in: user)
    let before = try await store.waiting(in: user)
    let ids = before.map(\.id)
    try await store.begin(ids, as: ids[0], called: before[0].key, waited: .zero)
    try await store.takeBack(ids)
    #expect(try await store.waiting(in: user) == before)
    for _ in 0..<2 { try await store.begin(ids, as: ids[0], called: before[0].key, waited: .zero) }
    try await store.takeBack(ids)
    let after = try await store.waiting(in: user)
    #expect(after.map(\.attempts) == [1] && after.map(\.batch) == [ids[0]])
    #expect(try await store.check().isSound)
  }

  @Test("G2: beginning an attempt with an ended row is refused and records nothing")
  func lateTry() async throws {
    let store = try await stand.open()
    let user = try await store.partition(of: "u-1")
    try await store.accept(stand.act(.click, on: "a"), stand.act(.click, on: "b"), in: user)
    let ids = try await store.ids(in: user)
    _ = try await store.end([ids[1]], .delivered)
    await #expect(throws: EngagementError.self) {
      try await store.begin(ids, as: nil, waited: .zero)
    }
    #expect(try await store.waiting(in: user).map(\.attempts) == [0])
  }

  @Test(
    "G2: each ending is counted and reported exactly once",
    arguments: [Ending.delivered, .rejected(refusal), .expired, .evicted, .wiped])
  func endings(ending: Ending) async throws {
    let store = try await stand.open()
    let user = try await store.partition(of: "u-1")
    try await store.accept(stand.act(.click, on: "a"), stand.act(.click, on: "b"), in: user)
    let rows = try await store.waiting(in: user)
    let report = try await store.end([rows[0].id, rows[0].id], ending)
    #expect(report.ended == [.init(rows[0].key, ending)])
    #expect(try await store.end([rows[0].id], .delivered).ended.isEmpty)
    let tally = try #require(try await store.deliveryCounts()["paper"])
    #expect(tally.isConserved)
    #expect((tally.accepted, tally.pending) == (2, 1))
    let counts = [
      tally.delivered, tally.rejected, tally.expired, tally.evicted, tally.wiped,
    ]
    #expect(counts.filter { $0 == 1 }.count == 1 && counts.reduce(0, +) == 1)
    let drops = try await store.ledger().filter { $0.kind == .outboxDropped }
    #expect(drops.count == (ending == .delivered ? 0 : 1))
    #expect(ending == .delivered || drops[0].properties["reason"]?.string == ending.name)
  }

  @Test("G5: a rejected action is undone, and its body is kept with the reason")
  func refused() async throws {
    let store = try await stand.open()
    let user = try await store.partition(of: "u-1")
    _ = try await store.commit(
      [.list([#"{"id":"a"}"#, #"{"id":"b"}"#])], from: "paper", in: user, at: StoreStand.start)
    let accepted = try await store.accept(stand.act(.dismiss, on: "a"), in: user)
    #expect(accepted.feeds == [FeedKey("paper", .cards)])
    #expect(try await store.visible(in: user) == ["b"])
    let report = try await store.end(try await store.ids(in: user), .rejected(refusal))
    #expect(report.feeds == [FeedKey("paper", .cards)])
    #expect(try await store.visible(in: user) == ["a", "b"])
    #expect(
      try stand.number("SELECT count(*) FROM rejected WHERE body LIKE '%dismiss%'") == 1)
    let drop = try #require(try await store.ledger().last)
    #expect(drop.properties["code"] == "invalidArgument")
    #expect(drop.properties["operation"] == "cards.dismiss")
    #expect(drop.properties["count"] == 1)
  }

  @Test("the same event or key is accepted only once")
  func repeated() async throws {
    let store = try await stand.open()
    let user = try await store.partition(of: "u-1")
    let intent = stand.act(.click, on: "a")
    let first = try await store.accept(intent, in: user)
    #expect(try await store.accept(intent, intent, in: user).events == first.events + first.events)
    var keyOnly = intent
    keyOnly.event = nil
    try await store.accept(keyOnly, in: user)
    #expect(try await store.waiting(in: user).count == 1)
    #expect(try await store.ledger() == first.events.map(\.withoutHandle))
    #expect(try await store.deliveryCounts()["paper"]?.accepted == 1)
  }

  @Test(
    "an action that could not be read back is refused, and nothing is stored",
    arguments: [
      ["text": "a\u{0}b"] as JSONObject,
      ["deep": (0..<80).reduce(JSON.null) { value, _ in [value] }],
    ])
  func unreadable(properties: JSONObject) async throws {
    let store = try await stand.open()
    let user = try await store.partition(of: "u-1")
    await #expect(throws: EngagementError.self) {
      try await store.accept(
        stand.act(.dismiss, on: "a"), stand.track(stand.event(.custom, on: nil, properties)),
        in: user)
    }
    #expect(try await store.waiting(in: user).isEmpty)
    #expect(try await store.ledger().isEmpty)
    #expect(try await store.deliveryCounts().isEmpty)
  }

  @Test("X20: a user who denied consent gets no ledger entries, but an opt-out is still queued")
  func denied() async throws {
    let store = try await stand.open()
    let user = try await store.partition(of: "u-1")
    try await store.setConsent(.denied, of: user)
    let optOut = Intent.Delivery(to: "paper", .operation(.optOut(true)), key: stand.key())
    try await store.accept(Intent(event: stand.event(.optOut), deliveries: [optOut]), in: user)
    _ = try await store.record([stand.event()], in: user)
    _ = try await store.commit(
      [.ignored(refusal)], from: "paper", in: user, at: StoreStand.start,
      recording: [stand.event()])
    #expect(try await store.ledger().isEmpty)
    #expect(try await store.waiting(in: user).map(\.work) == [.operation(.optOut(true))])
  }
}

extension EngagementEvent {
  /// The event as the ledger stores it.
  var withoutHandle: EngagementEvent {
    var event = self
    event.item?.handle = [:]
    return event
  }
}
