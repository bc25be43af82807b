import EngagementAdapterAPI
import EngagementModel
import Foundation
import TestSupport
import Testing

@testable import EngagementStore

/// The totals of a ledger, counted from all of its events.
private func countedTotals(
  of entries: [LedgerEntry], providers: [String]
) -> [EventTotal] {
  providers.compactMap { provider in
    let own = entries.filter { ($0.event.provider?.rawValue ?? "") == provider }
    guard !own.isEmpty else { return nil }
    let people = { (kind: EngagementEvent.Kind) in
      Set(own.filter { $0.event.kind == kind }.map(\.partition))
    }
    let kinds = Set(own.map(\.event.kind)).sorted()
    var total = EventTotal(environment: Array("production".utf8), provider: Array(provider.utf8))
    total.kinds = kinds.map { kind in
      EventTotal.Kind(
        name: Array(kind.rawValue.utf8), events: own.count { $0.event.kind == kind },
        people: people(kind).count)
    }
    let (delivered, seen) = (people(.delivered), people(.impression))
    total.delivered = delivered.count
    total.seen = delivered.intersection(seen).count
    total.clicked = delivered.intersection(seen).intersection(people(.click)).count
    return total
  }
}

extension StoreStand {
  fileprivate var rollupPath: String { scratch.path() + "-rollup" }

  fileprivate func reader() throws(EngagementError) -> StoreReader {
    try StoreReader(path: scratch.path(), adapters: [:])
  }

  fileprivate func event(_ kind: EngagementEvent.Kind, of provider: String) -> EngagementEvent {
    EngagementEvent(
      id: EventID(key().id(0)), kind: kind, time: Self.start, zoneOffset: 0, session: nil,
      provider: provider.isEmpty ? nil : ProviderID(provider), item: nil, name: nil,
      properties: [:])
  }

  fileprivate func click() -> EngagementEvent { event(.click, of: "paper") }
}

@Suite(.timeLimit(.minutes(20))) struct RollupTests {
  private static let providers = ["", "paper", "stone"]

  @Test(
    "X12: after any recordings, erasures, evictions and losses of its file, a rollup has what a full scan has",
    arguments: 1...12)
  func walk(seed: Int) async throws {
    let stand = try StoreStand(seed: UInt64(seed))
    var random = SeededGenerator(seed: UInt64(seed) &* 7_717)
    let retention = LedgerRetention(
      maximumEvents: random.chance(70) ? 40 : nil, evictsWhatWasNotExported: true)
    let store = try await stand.open(retention: retention, now: { StoreStand.start })
    let users: [User] = [.anonymous] + (0..<9).map { User(UserID("u-\($0)")) }
    var readers = 0
    var reader = try stand.reader()
    for step in 0..<Effort.share(of: 300) {
      let user = random.pick(users)
      switch random.below(100) {
      case ..<60:
        let partition = try await store.partition(of: user)
        let events = (0..<random.below(6)).map { _ in
          stand.event(
            random.pick([.delivered, .impression, .click, .custom]),
            of: random.pick(Self.providers))
        }
        _ = try await store.record(events, in: partition)
      case ..<66:
        _ = try await store.erase(try await store.partition(of: user), at: StoreStand.start)
      case ..<70:
        _ = try await store.purge(try await store.partition(of: user), at: StoreStand.start)
      case ..<75: try? FileManager.default.removeItem(atPath: stand.rollupPath)
      case ..<80: try Self.damage(stand.rollupPath, &random)
      case ..<85: reader = try stand.reader()
      default:
        readers += 1
        let found = try reader.eventTotals(in: "production", segmentSize: 8)
        let entries = try reader.entries(after: 0, limit: .max)
        #expect(found == countedTotals(of: entries, providers: Self.providers), "step \(step)")
      }
    }
    #expect(readers > 0)
  }

  /// Changes a byte, or cuts the file.
  private static func damage(_ path: String, _ random: inout SeededGenerator) throws {
    guard var bytes = FileManager.default.contents(atPath: path), !bytes.isEmpty else { return }
    let place = random.below(bytes.count)
    if random.chance(50) {
      bytes[place] ^= 1 << UInt8(random.below(8))
    } else {
      bytes = bytes[..<place]
    }
    try bytes.write(to: URL(fileURLWithPath: path))
  }

  @Test("X12: a rollup of another cache is not believed")
  func anotherCache() async throws {
    let (first, second) = (try StoreStand(seed: 1), try StoreStand(seed: 2))
    for (stand, count) in [(first, 3), (second, 5)] {
      let store = try await stand.open(now: { StoreStand.start })
      let partition = try await store.partition(of: "u-1")
      _ = try await store.record(
        (0..<count).map { _ in stand.click() }, in: partition)
      var reader = try stand.reader()
      #expect(try reader.eventTotals(in: "production").first?.kinds.first?.events == count)
    }
    try FileManager.default.removeItem(atPath: second.rollupPath)
    try FileManager.default.copyItem(
      atPath: first.rollupPath, toPath: second.rollupPath)
    var reader = try second.reader()
    #expect(try reader.eventTotals(in: "production").first?.kinds.first?.events == 5)
  }

  @Test("X12: a caught-up rollup is read from its file, and only new events are counted")
  func incremental() async throws {
    let stand = try StoreStand(seed: 3)
    let store = try await stand.open(now: { StoreStand.start })
    let partition = try await store.partition(of: "u-1")
    func clicks() throws -> Int? {
      var reader = try stand.reader()
      return try reader.eventTotals(in: "production").first?.kinds.first?.events
    }
    _ = try await store.record(
      (0..<3).map { _ in stand.click() }, in: partition)
    _ = try await store.record([stand.event(.custom, of: "paper")], in: partition)
    #expect(try clicks() == 3)
    // What is counted is not read again: a forged count stays, as the file says that it is caught up.
    let file = RollupFile(besideCacheAt: stand.scratch.path())
    let kept = try #require(file.rollup())
    var forged = kept
    forged.count(
      sequence: 3, person: partition.id, environment: Array("production".utf8),
      provider: Array("paper".utf8).span.bytes, kind: Array("click".utf8).span.bytes)
    file.replace(forged, forged.totals(), random: 1)
    #expect(try clicks() == 4)
    _ = try await store.record([stand.click()], in: partition)
    #expect(try clicks() == 5)
  }

  @Test("X12: a rollup whose numbers are beyond the ledger is made again")
  func forged() async throws {
    let stand = try StoreStand(seed: 6)
    let store = try await stand.open(
      retention: LedgerRetention(maximumEvents: 3, evictsWhatWasNotExported: true),
      now: { StoreStand.start })
    let partition = try await store.partition(of: "u-1")
    func clicks() throws -> Int? {
      var reader = try stand.reader()
      return try reader.eventTotals(in: "production").first?.kinds.first?.events
    }
    for count in 1...3 {
      _ = try await store.record([stand.click()], in: partition)
      #expect(try clicks() == count)
    }
    let file = RollupFile(besideCacheAt: stand.scratch.path())
    let kept = try #require(file.rollup())
    let forged = EventRollup(
      kept.state, kept.series.all, kept.segments.map { .init(start: 1, counts: $0.counts) },
      segmentSize: .max)
    file.replace(forged, forged.totals(), random: 1)
    #expect(file.rollup() == nil)
    _ = try await store.record([stand.click()], in: partition)
    #expect(try clicks() == 3)
  }

  @Test("X12: the file of a rollup is its owner's alone and has no name of a user")
  func privacy() async throws {
    let stand = try StoreStand(seed: 4)
    let store = try await stand.open(now: { StoreStand.start })
    let partition = try await store.partition(of: "someone@example.org")
    _ = try await store.record([stand.click()], in: partition)
    var reader = try stand.reader()
    _ = try reader.eventTotals(in: "production")
    let path = stand.rollupPath
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    let bytes = try #require(FileManager.default.contents(atPath: path))
    #expect(bytes.range(of: Data("someone".utf8)) == nil)
  }

  @Test("X12: where no file can be written beside the cache, totals are counted without one")
  func noFile() async throws {
    let stand = try StoreStand(seed: 5)
    let store = try await stand.open(now: { StoreStand.start })
    let partition = try await store.partition(of: "u-1")
    _ = try await store.record([stand.click()], in: partition)
    // A folder has the name.
    try FileManager.default.createDirectory(
      atPath: stand.rollupPath, withIntermediateDirectories: false)
    for _ in 0..<2 {
      var reader = try stand.reader()
      #expect(try reader.eventTotals(in: "production").first?.kinds.first?.events == 1)
    }
  }
}

@Suite struct IDSetTests {
  @Test("X12: a set of ids has what was inserted, in any order", arguments: 1...20)
  func model(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    func ids() -> Set<Int64> {
      Set(
        (0..<random.below(60)).map { _ in Int64(random.below(random.pick([70, 9_000, 1 << 40]))) })
    }
    let (left, right) = (ids(), ids())
    func set(_ ids: Set<Int64>) -> IDSet {
      var set = IDSet()
      for id in ids { set.insert(id) }
      return set
    }
    var union = set(left)
    union.formUnion(set(right))
    #expect(union == set(left.union(right)))
    #expect(union.count == left.union(right).count)
    #expect(set(left).intersection(set(right)).count == left.intersection(right).count)
    #expect(IDSet(numbers: union.numbers, words: union.words) == union)
    #expect(IDSet(numbers: [2, 1], words: Array(repeating: 1, count: 128)) == nil)
    #expect(IDSet(numbers: [1], words: []) == nil)
  }
}
