import EngagementAdapterAPI
import EngagementModel
import Foundation
import TestSupport
import Testing

@testable import EngagementStore

/// Which events the ledger evicts, and how it counts them.
@Suite(.timeLimit(.minutes(20))) struct RetentionTests {
  private let stand: StoreStand
  private let clock = Locked(StoreStand.start)

  init() throws { stand = try StoreStand() }

  private static let day = Duration.seconds(86_400)

  private func open(_ retention: LedgerRetention = LedgerRetention()) async throws -> Store {
    try await stand.open(retention: retention, now: { [clock] in clock.withLock(\.self) })
  }

  /// A store that evicts also what was not exported.
  private func open(days: Int? = nil, events: Int? = nil) async throws -> Store {
    try await open(
      LedgerRetention(
        maximumAge: days.map { Self.day * $0 }, maximumEvents: events,
        evictsWhatWasNotExported: true))
  }

  private func pass(days: Double) { clock.withLock { $0 += days * 86_400 } }

  /// Records so many events in one commit.
  private func record(_ count: Int = 1, in store: Store, of user: User = "u-1") async throws {
    let partition = try await store.partition(of: user)
    _ = try await store.record((0..<count).map { _ in stand.event() }, in: partition)
  }

  private func sequences(of store: Store) async throws -> [Int64] {
    try await store.ledger().map(\.sequence)
  }

  /// Moves a cursor, which begins if there is none.
  private func move(
    _ name: String, to sequence: Int64, in environment: String = "production", of store: Store
  ) async throws {
    let cursor = try await store.exportCursor(
      named: name, selecting: "every event", in: environment)
    try await store.moveExportCursor(cursor, to: sequence, in: environment)
  }

  @Test("X14: without bounds the ledger keeps everything")
  func unbounded() async throws {
    let store = try await open()
    try await move("nightly", to: .max, of: store)
    try await record(3, in: store)
    pass(days: 36_500)
    for _ in 0..<2 { try await record(in: store) }
    #expect(try await sequences(of: store) == [1, 2, 3, 4, 5])
    #expect(try await store.evictedEvents() == EvictedEvents())
  }

  @Test("X14: an event goes when it is older than the ledger keeps events, and not before")
  func age() async throws {
    let store = try await open(days: 2)
    try await record(2, in: store)
    pass(days: 1)
    try await record(in: store)
    pass(days: 1)
    for _ in 0..<2 { try await record(in: store) }
    #expect(try await sequences(of: store) == [1, 2, 3, 4, 5])
    clock.withLock { $0 += 0.001 }
    for _ in 0..<2 { try await record(in: store) }
    #expect(try await sequences(of: store) == [3, 4, 5, 6, 7])
    #expect(try await store.evictedEvents() == EvictedEvents(byAge: 2))
  }

  @Test("X14: an event goes when as many newer ones were recorded as the ledger keeps")
  func size() async throws {
    let store = try await open(events: 3)
    try await record(3, in: store)
    #expect(try await sequences(of: store) == [1, 2, 3])
    try await record(2, in: store)
    #expect(try await sequences(of: store) == [3, 4, 5])
    try await record(7, in: store)
    #expect(try await sequences(of: store) == [10, 11, 12])
    #expect(try await store.evictedEvents() == EvictedEvents(bySize: 9))
  }

  @Test("X14: with both bounds each evicts, and an event over both counts by its age")
  func both() async throws {
    let store = try await open(days: 1, events: 4)
    try await record(2, in: store)
    pass(days: 2)
    try await record(3, in: store)
    // The clock has not been heard twice yet, so that the first went by size.
    #expect(try await sequences(of: store) == [2, 3, 4, 5])
    #expect(try await store.evictedEvents() == EvictedEvents(bySize: 1))
    try await record(in: store)
    #expect(try await sequences(of: store) == [3, 4, 5, 6])
    #expect(try await store.evictedEvents() == EvictedEvents(byAge: 1, bySize: 1))
  }

  @Test("X14: where an earlier release recorded an event, its age is that of its own time")
  func earlierRelease() async throws {
    let store = try await open(days: 2)
    try await record(2, in: store)
    try stand.tamper(
      "UPDATE ledger SET recorded = NULL, uptime = NULL, time = time - 259200000 WHERE sequence = 1"
    )
    for _ in 0..<2 { try await record(in: store) }
    #expect(try await sequences(of: store) == [2, 3, 4])
    #expect(try await store.evictedEvents() == EvictedEvents(byAge: 1))
  }

  // MARK: Exports

  @Test("X14: nothing is evicted that an export of any environment has still to read")
  func cursors() async throws {
    let store = try await open(LedgerRetention(maximumEvents: 2))
    try await record(6, in: store)
    #expect(try await sequences(of: store) == Array(1...6), "without a cursor")
    try await move("nightly", to: 3, of: store)
    #expect(try await sequences(of: store) == [4, 5, 6])
    try await move("weekly", to: 1, in: "staging", of: store)
    try await move("nightly", to: 6, of: store)
    try await record(in: store)
    #expect(try await sequences(of: store) == [4, 5, 6, 7])
    try await store.removeExportCursor(named: "weekly", in: "staging")
    #expect(try await sequences(of: store) == [6, 7])
    #expect(try await store.evictedEvents() == EvictedEvents(bySize: 5))
  }

  @Test("X14: a cursor that cannot be read protects every event")
  func damagedCursor() async throws {
    let store = try await open(LedgerRetention(maximumEvents: 1))
    try await move("nightly", to: 2, of: store)
    try stand.tamper("UPDATE setting SET value = '{' WHERE name LIKE 'export cursor %'")
    try await record(3, in: store)
    #expect(try await sequences(of: store) == [1, 2, 3])
  }

  @Test("X14: told to evict what was not exported, the ledger passes every cursor")
  func notExported() async throws {
    let store = try await open(events: 2)
    try await move("nightly", to: 1, of: store)
    try await record(5, in: store)
    #expect(try await sequences(of: store) == [4, 5])
  }

  // MARK: Counts

  @Test("X14: evicted events are counted exactly over a restart and over two processes")
  func counts() async throws {
    let first = try await open(events: 3)
    try await record(5, in: first)
    let second = try await open(events: 3)
    #expect(try await second.evictedEvents() == EvictedEvents(bySize: 2))
    for _ in 0..<4 {
      try await record(2, in: first)
      try await record(in: second)
    }
    #expect(try await sequences(of: first) == [15, 16, 17])
    for store in [first, second, try await open()] {
      #expect(try await store.evictedEvents() == EvictedEvents(bySize: 14))
    }
    var reader = try StoreReader(path: stand.scratch.path(), adapters: [:])
    #expect(try reader.evictedEvents() == EvictedEvents(bySize: 14))
    #expect(try await first.check().evictedEvents == EvictedEvents(bySize: 14))
    #expect(try await first.deliveryCounts().isEmpty, "they are no provider's")
  }

  @Test("X14 G3: a commit that fails evicts and counts nothing")
  func failure() async throws {
    let store = try await open(events: 3)
    try await record(3, in: store)
    let user = try await store.partition(of: "u-1")
    await #expect(throws: EngagementError.self) {
      _ = try await store.record(
        [stand.event(), stand.event(.custom, on: nil, ["a": "\u{0}"])], in: user)
    }
    #expect(try await sequences(of: store) == [1, 2, 3])
    #expect(try await store.evictedEvents() == EvictedEvents())
    try await record(in: store)
    #expect(try await sequences(of: store) == [2, 3, 4])
  }

  // MARK: Beside others

  @Test("X14 X20: an erased user's events are not counted, and make no room for others")
  func erasure() async throws {
    let store = try await open(events: 4)
    for user: User in ["u-1", "u-2", "u-1", "u-2"] { try await record(in: store, of: user) }
    _ = try await store.erase(try await store.partition(of: "u-1"), at: StoreStand.start)
    #expect(try await sequences(of: store) == [2, 4])
    try await record(in: store, of: "u-2")
    #expect(try await store.evictedEvents() == EvictedEvents())
    try await record(in: store, of: "u-2")
    #expect(try await sequences(of: store) == [4, 5, 6])
    #expect(try await store.evictedEvents() == EvictedEvents(bySize: 1))
  }

  @Test("X14 X20: an erased event keeps no older one behind it")
  func erasedOldest() async throws {
    let store = try await open(days: 2)
    pass(days: 5)
    try await record(in: store)
    pass(days: -5)
    try await record(in: store, of: "u-2")
    _ = try await store.erase(try await store.partition(of: "u-1"), at: StoreStand.start)
    pass(days: 3)
    for _ in 0..<2 { try await record(in: store, of: "u-2") }
    #expect(try await sequences(of: store) == [3, 4])
  }

  @Test("G19 X14: sequences go on where every event was evicted or erased")
  func increasing() async throws {
    let store = try await open(events: 1)
    try await record(3, in: store)
    _ = try await store.erase(try await store.partition(of: "u-1"), at: StoreStand.start)
    try await record(in: store)
    #expect(try await sequences(of: try await open()) == [4])
  }

  @Test("X14: an item whose delivery was evicted is not delivered again")
  func delivered() async throws {
    let store = try await open(events: 1)
    let user = try await store.partition(of: "u-1")
    _ = try await store.setConsent(.full, of: user)
    for ids in [["a"], ["a", "b"], [], ["a", "b"]] {
      _ = try await store.commit(
        [
          .items(Feed(.cards, in: "home"), .replace(.nothing), raw(ids.map { #"{"id":"\#($0)"}"# }))
        ],
        from: "paper", in: user, at: StoreStand.start)
    }
    let all = try await store.evictedEvents().bySize
    let last = try #require(try await sequences(of: store).last)
    #expect(all == last - 1)
    #expect(try stand.number("SELECT count(*) FROM delivered") == 2)
    let kinds = try await store.ledger().map(\.kind)
    #expect(kinds != [.delivered])
  }

  // MARK: Clocks

  @Test("X14: one commit by a clock that runs ahead makes no event too old")
  func ahead() async throws {
    let store = try await open(days: 90)
    try await record(3, in: store)
    pass(days: 36_500)
    try await record(in: store)
    pass(days: -36_500)
    for _ in 0..<3 { try await record(in: store) }
    #expect(try await sequences(of: store) == Array(1...7))
  }

  @Test("X14: one commit by a clock that runs behind makes no event too old")
  func behind() async throws {
    let store = try await open(days: 90)
    try await record(3, in: store)
    pass(days: -10_000)
    try await record(in: store)
    pass(days: 10_000)
    for _ in 0..<3 { try await record(in: store) }
    #expect(try await sequences(of: store) == Array(1...7))
  }

  // MARK: Work

  @Test("X14: a commit evicts at most a thousand events more than it records")
  func bounded() async throws {
    try await record(2_500, in: try await open())
    let store = try await open(events: 10)
    var left: [Int] = []
    for _ in 0..<3 {
      try await record(5, in: store)
      left.append(try await sequences(of: store).count)
    }
    #expect(left == [1_500, 500, 10])
    try await record(3_000, in: store)
    #expect(try await sequences(of: store).count == 10)
    #expect(try await store.evictedEvents() == EvictedEvents(bySize: 5_505))
  }
}
