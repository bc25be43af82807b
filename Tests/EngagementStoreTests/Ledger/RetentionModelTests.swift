import EngagementModel
import Foundation
import TestSupport
import Testing

@testable import EngagementStore

/// The expected state of a ledger that evicts events.
private struct LedgerModel {
  struct Event: Equatable {
    let sequence: Int64
    let user: User
    let recorded: Date
  }

  let retention: LedgerRetention
  var events: [Event] = []
  var last: Int64 = 0
  var cursors: [String: Int64] = [:]
  var evicted = EvictedEvents()

  /// A write that records so many events, and then evicts.
  mutating func write(recording count: Int = 0, of user: User = .anonymous, at now: Date) {
    let newest = events.last?.recorded
    for _ in 0..<count {
      last += 1
      events.append(Event(sequence: last, user: user, recorded: now))
    }
    let present = newest.map { min($0, now) }
    let passed = retention.evictsWhatWasNotExported ? last : cursors.values.min() ?? 0
    while let oldest = events.first, oldest.sequence <= passed {
      if let present, let age = retention.maximumAge,
        oldest.recorded < present - age / .seconds(1)
      {
        evicted.byAge += 1
      } else if let size = retention.maximumEvents, last - oldest.sequence >= size {
        evicted.bySize += 1
      } else {
        break
      }
      events.removeFirst()
    }
  }
}

@Suite(.timeLimit(.minutes(20))) struct RetentionModelTests {
  private static let users: [User] = [.anonymous, "u-1", "u-2"]

  @Test(
    "X14: after any commits, exports, erasures and jumps of the clock, the ledger has what the rule says",
    arguments: 1...12)
  func walk(seed: Int) async throws {
    let stand = try StoreStand(seed: UInt64(seed))
    var random = SeededGenerator(seed: UInt64(seed) &* 7_919)
    let clock = Locked(StoreStand.start)
    let retention = LedgerRetention(
      maximumAge: random.chance(70) ? .seconds(100) : nil,
      maximumEvents: random.chance(70) ? 20 : nil, evictsWhatWasNotExported: random.chance(40))
    var model = LedgerModel(retention: retention)
    func open() async throws -> Store {
      try await stand.open(retention: retention, now: { clock.withLock(\.self) })
    }
    // Two of them, as two processes are.
    var stores = [try await open(), try await open()]
    for user in Self.users { _ = try await stores[0].partition(of: user) }

    for step in 0..<Effort.share(of: 300) {
      let place = random.below(2)
      let store = stores[place]
      let (user, name) = (random.pick(Self.users), random.pick(["a", "b"]))
      let now = clock.withLock(\.self)
      switch random.below(100) {
      case ..<55:
        let count = 1 + random.below(4)
        let partition = try await store.partition(of: user)
        _ = try await store.record((0..<count).map { _ in stand.event() }, in: partition)
        model.write(recording: count, of: user, at: now)
      case ..<70:
        let cursor = try await store.exportCursor(named: name, selecting: "all", in: "staging")
        let sequence = min(cursor.sequence + Int64(random.below(30)), model.last)
        if model.cursors[name] == nil {
          model.cursors[name] = 0
          model.write(at: now)
        }
        try await store.moveExportCursor(cursor, to: sequence, in: "staging")
        model.cursors[name] = sequence
        model.write(at: now)
      case ..<73:
        try await store.removeExportCursor(named: name, in: "staging")
        model.cursors[name] = nil
        model.write(at: now)
      case ..<77:
        _ = try await store.erase(try await store.partition(of: user), at: now)
        model.events.removeAll { $0.user == user }
        model.write(at: now)
        _ = try await store.partition(of: user)
        model.write(at: now)
      case ..<92: clock.withLock { $0 += Double(random.below(40)) }
      case ..<96:
        let jump = random.pick([-1e9, -200, -50, 50, 200, 1e9])
        clock.withLock { $0 += jump }
      default: stores[place] = try await open()
      }
      try await compare(stores[random.below(2)], model, "step \(step)")
    }
  }

  private func compare(
    _ store: Store, _ model: LedgerModel, _ step: Comment
  ) async throws {
    #expect(try await store.ledger().map(\.sequence) == model.events.map(\.sequence), step)
    #expect(try await store.evictedEvents() == model.evicted, step)
  }
}
