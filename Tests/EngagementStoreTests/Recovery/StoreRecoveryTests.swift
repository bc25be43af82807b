import EngagementAdapterAPI
import EngagementModel
import Foundation
import TestSupport
import Testing

@testable import EngagementStore

private let providers: [ProviderID] = ["braze", "vibes"]
private let users: [User] = ["u-1", "u-2", .anonymous]

private func options(_ scratch: Scratch) -> Store.Options {
  Store.Options(path: scratch.path(), adapters: [:], wait: .seconds(2))
}

private func event(_ id: Int) -> EngagementEvent {
  EngagementEvent(
    id: EventID("e-\(id)"), kind: .custom, time: Scratch.noon, provider: providers[id % 2],
    name: "step", properties: ["text": .string(String(repeating: "\(id) ", count: 20))])
}

/// The comparable values of a pending row.
private struct Waiting: Hashable {
  let key: OperationKey
  let user: User
  let provider: ProviderID
  let work: OutboxRow.Work
  let acceptedAt: Date
  let attempts: Int
  let hasBatch: Bool

  init(_ row: OutboxRow, _ user: User) {
    key = row.key
    self.user = user
    provider = row.provider
    work = row.work
    acceptedAt = row.acceptedAt
    attempts = row.attempts
    hasBatch = row.batch != nil
  }
}

@Suite struct StoreRecoveryTests {
  // The suite holds the folder, so that it outlives the files that a test opens in it.
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Makes and closes a cache with rows of three users, some of them attempted as a batch.
  private func fill() async throws -> Set<Waiting> {
    let store = try await Store.open(options(scratch), at: Scratch.noon)
    for user in users { _ = try await store.partition(of: user, at: Scratch.noon) }
    try await store.setPresentUser("u-2")
    for (number, user) in users.enumerated() {
      let partition = try await store.partition(of: user, at: Scratch.noon)
      try await store.setConsent(user == "u-1" ? .denied : .full, of: partition)
      let intents = (0..<40).map { step in
        let id = number * 100 + step
        let key = OperationKey(UInt64(id), 7)
        return Intent(
          event: event(id),
          deliveries: [Intent.Delivery(to: providers[id % 2], .event(event(id)), key: key)])
      }
      _ = try await store.accept(intents, in: partition, at: Scratch.noon)
      let rows = try await store.pending(for: "braze", in: partition, limit: 3)
      try await store.begin(rows.map(\.id), as: rows.first?.id, waited: .seconds(1))
    }
    let all = try await waiting(in: store)
    try await store.suspend()
    return all
  }

  private func waiting(in store: Store) async throws -> Set<Waiting> {
    var all: Set<Waiting> = []
    for user in users {
      let partition = try await store.partition(of: user, at: Scratch.noon)
      for provider in providers {
        let rows = try await store.pending(for: provider, in: partition, limit: 1_000)
        all.formUnion(rows.map { Waiting($0, user) })
      }
    }
    return all
  }

  private func damage(page: Int, from start: Int = 0) throws {
    var bytes = try scratch.bytes()
    let range = 4096 * page + start..<4096 * (page + 1)
    bytes.replaceSubrange(range, with: Data(repeating: 0xa5, count: range.count))
    try scratch.write(bytes)
  }

  /// The root page of a table, counted from 0.
  private func root(of table: String) throws -> Int {
    var database = try scratch.open(.readOnly)
    let root = try database.first(
      "SELECT rootpage FROM sqlite_schema WHERE name = ?", .text(table)
    ) { $0.integer(0) }
    return Int(try #require(root)) - 1
  }

  @Test(
    "G9: damage to another table keeps every outbox row with its key, time, attempts and batch")
  func otherTable() async throws {
    let rows = try await fill()
    try damage(page: root(of: "ledger"))
    let store = try await Store.open(options(scratch), at: Scratch.noon)
    let recovery = try #require(store.recovery)
    #expect(recovery.savedRows == rows.count)
    #expect(!recovery.mayHaveLostRows)
    #expect(try await waiting(in: store) == rows)
    let deliveryCounts = try await store.deliveryCounts()
    #expect(deliveryCounts.values.allSatisfy { $0.isConserved && $0.pending > 0 })
    #expect(try await store.check().isSound)
  }

  @Test("G9 G13: recovery keeps the current user, and of the consents only a denial")
  func people() async throws {
    _ = try await fill()
    try damage(page: root(of: "ledger"))
    let store = try await Store.open(options(scratch), at: Scratch.noon)
    #expect(try await store.presentUser() == "u-2")
    for user in users {
      let partition = try await store.partition(of: user, at: Scratch.noon)
      #expect(try await store.consent(of: partition) == (user == "u-1" ? .denied : .unknown))
    }
  }

  @Test("G3 G19: recovery keeps batches together and continues the sequence numbers")
  func numbers() async throws {
    _ = try await fill()
    try damage(page: root(of: "ledger"))
    let store = try await Store.open(options(scratch), at: Scratch.noon)
    let partition = try await store.partition(of: "u-1", at: Scratch.noon)
    let rows = try await store.pending(for: "braze", in: partition, limit: 4)
    #expect(rows.map(\.attempts) == [1, 1, 1, 0])
    #expect(rows.map(\.batch) == [rows[0].id, rows[0].id, rows[0].id, nil])
    let other = try await store.partition(of: "u-2", at: Scratch.noon)
    let acceptance = try await store.accept(
      [Intent(event: event(999))], in: other, at: Scratch.noon)
    #expect(try #require(acceptance.events.first).sequence > 80)
  }

  @Test(
    "G8 G9: the cache opens after damage to any page, and holds only rows that were accepted",
    .timeLimit(.minutes(20)))
  func everyPage() async throws {
    let rows = try await fill()
    let image = try scratch.bytes()
    var recoveries = 0
    for page in stride(from: 0, to: image.count / 4096, by: Effort.percent < 50 ? 4 : 1) {
      let folder = try Scratch()
      var bytes = image
      // The header of the first page stays: without its application id the file is not ours.
      let start = 4096 * page + (page == 0 ? 100 : 0)
      bytes.replaceSubrange(
        start..<4096 * (page + 1), with: Data(repeating: 0xa5, count: 4096 * (page + 1) - start))
      try folder.write(bytes)
      let store = try await Store.open(options(folder), at: Scratch.noon)
      // The store reports later damage once, and the next call reopens the cache.
      let left: Set<Waiting>
      do {
        left = try await waiting(in: store)
      } catch {
        left = try await waiting(in: store)
      }
      #expect(left.isSubset(of: rows), "page \(page)")
      #expect(try await store.deliveryCounts().values.allSatisfy(\.isConserved), "page \(page)")
      if store.recovery != nil { recoveries += 1 }
    }
    #expect(recoveries > 1)
  }
}
