import EngagementAdapterAPI
import EngagementModel
import Foundation
import TestDisk
import Testing

@testable import EngagementStore

extension Store {
  /// Runs the query twice in one read, with the body in between.
  fileprivate func twice(
    _ sql: String, between body: @Sendable () -> Void
  ) throws(EngagementError) -> [Int64?] {
    try read { (_, database) throws(EngagementError) in
      let first = try database.connection.integer(sql)
      body()
      return [first, try database.connection.integer(sql)]
    }
  }
}

@Suite(.timeLimit(.minutes(20))) struct StoreTests {
  private let stand: StoreStand

  init() throws { stand = try StoreStand() }

  @Test(
    "G1 G5 G12: a failed disk write stores nothing of the action, and the next call works",
    arguments: [FaultyDisk.Fault.write, .lateWrite, .lateWriteOnce])
  func failing(fault: FaultyDisk.Fault) async throws {
    let store = try await stand.open()
    let user = try await store.partition(of: "u-1")
    _ = try await store.commit(
      [.list([#"{"id":"a"}"#, #"{"id":"b"}"#])], from: "paper", in: user, at: StoreStand.start)
    try await store.accept(stand.act(.dismiss, on: "b"), in: user)
    let rows = try await store.waiting(in: user)
    let ledger = try await store.ledger()
    _ = try await FaultyDisk.failing(fault, under: stand.scratch.folder.path) {
      await #expect { try await store.accept(stand.act(.dismiss, on: "a"), in: user) } throws: {
        ($0 as? EngagementError)?.code == .storage
      }
    }
    #expect(try await store.waiting(in: user) == rows)
    #expect(try await store.ledger() == ledger)
    #expect(try await store.visible(in: user) == ["a"])
    try await store.accept(stand.act(.dismiss, on: "a"), in: user)
    #expect(try await store.visible(in: user).isEmpty)
    #expect(try await store.deliveryCounts()["paper"]?.accepted == 2)
    #expect(try await store.check().isSound)
  }

  @Test("G14: nothing is committed for a user who was erased, and no user is made for it")
  func erased() async throws {
    let store = try await stand.open()
    let user = try await store.partition(of: "u-9")
    _ = try await store.erase(user, at: StoreStand.start)
    await #expect {
      try await store.commit(
        [.keep(.user, "name", "value")], from: "paper", in: user, at: StoreStand.start)
    } throws: { ($0 as? EngagementError)?.code == .notFound }
    #expect(try await store.knownPartition(of: "u-9") == nil)
  }

  @Test("an answer about one item does not count as a refresh of its feed")
  func oneItem() async throws {
    let store = try await stand.open()
    let user = try await store.partition(of: "u-1")
    let list: [Change] = [.list([#"{"id":"a"}"#, #"{"id":"b"}"#])]
    _ = try await store.commit(list, from: "paper", in: user, at: StoreStand.start)
    let later = StoreStand.start.addingTimeInterval(60)
    let one: [Change] = [.items(Feed(.cards, in: "home"), .put, [])]
    func refreshed() async throws -> Date? {
      try await store.cards(
        in: FeedKey("paper", Feed(.cards, in: "home")), of: user, at: later
      ).refreshedAt
    }
    let first = try await refreshed()
    _ = try await store.commit(one, from: "paper", in: user, at: later, isOfOneItem: true)
    #expect(try await refreshed() == first)
    _ = try await store.commit(one, from: "paper", in: user, at: later)
    #expect(try await refreshed() != first)
  }

  @Test("G11 X6: a second store on the same file waits for the first and sees its writes")
  func two() async throws {
    let (one, two) = (try await stand.open(), try await stand.open())
    let user = try await one.partition(of: "u-1")
    _ = try await one.commit(
      [.list([#"{"id":"a"}"#, #"{"id":"b"}"#])], from: "paper", in: user, at: StoreStand.start)
    #expect(try await two.visible(in: user) == ["a", "b"])
    try await two.accept(stand.act(.dismiss, on: "a"), in: user)
    #expect(try await one.visible(in: user) == ["b"])
    try await withThrowingTaskGroup(of: Void.self) { group in
      for store in [one, two] {
        group.addTask {
          for number in 0..<25 {
            try await store.accept(stand.act(.click, on: "\(number)"), in: user)
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try await one.waiting(in: user) == two.waiting(in: user))
    // The first are that the list of cards has changed and that two were delivered.
    #expect(try await one.ledger().map(\.sequence) == (1...54).map { Int64($0) })
    #expect(try await two.deliveryCounts()["paper"]?.accepted == 51)
  }

  @Test("G12: tidying keeps the log short and does not wait for a reader")
  func tidy() async throws {
    let store = try await stand.open()
    let user = try await store.partition(of: "u-1")
    let file = try StoreFile(stand.scratch.path())
    #expect(try await !store.tidy(), "a short log needs no tidying")
    func fill(_ round: Int) async throws {
      let text = String(repeating: "\(round % 10)", count: 4_000)
      let items = (0..<600).map { #"{"id":"\#($0)","x":"\#(text)"}"# }
      _ = try await store.commit(
        [.list(items)], from: "paper", in: user, at: StoreStand.start)
    }
    var longest: Int64 = 0
    for round in 0..<8 {
      try await fill(round)
      longest = max(longest, try file.logSize())
      _ = try await store.tidy()
    }
    try await store.accept(stand.act(.click, on: "1"), in: user)
    #expect(longest > Connection.retainedLogSize && longest < 4 * Connection.retainedLogSize)
    #expect(try file.logSize() <= 2 * Connection.retainedLogSize)

    let reader = try Database.open(
      at: stand.scratch.path(), mode: .readOnly, newestSchema: Schema.migrations.newest)
    try reader.connection.execute("BEGIN")
    let before = try reader.connection.integer("SELECT count(*) FROM ledger")
    try await fill(8)
    try await fill(9)
    #expect(try await store.tidy(), "tidying does not wait for the reader")
    #expect(try reader.connection.integer("SELECT count(*) FROM ledger") == before)
    reader.endReading()
    #expect(try await store.check().isSound)
    #expect(try await store.visible(in: user).count == 600)
  }

  @Test("repeating the same calls writes nothing to the log")
  func silent() async throws {
    let store = try await stand.open()
    let user = try await store.partition(of: "u-1")
    let changes: [Change] = [
      .keep(.installation, "device", "d"), .person(nil), .throttled(nil, until: StoreStand.start),
      .ignored(EngagementError(.permissionDenied, "another host")),
      .secret(.user, "t", Secret("s")),
    ]
    _ = try await store.commit(changes, from: "paper", in: user, at: StoreStand.start)
    let before = try stand.scratch.bytes("cache.sqlite-wal")
    let report = try await store.commit(changes, from: "paper", in: user, at: StoreStand.start)
    #expect(report.ignored.count == 1)
    _ = try await store.accept([], in: user, at: StoreStand.start)
    try await store.setConsent(.unknown, of: user)
    _ = try await store.partition(of: "u-1")
    #expect(try stand.scratch.bytes("cache.sqlite-wal") == before)
  }

  @Test("G10: a cache with a newer schema is refused and left unchanged, byte for byte")
  func newer() async throws {
    try await stand.open().suspend()
    try stand.tamper("PRAGMA user_version=99")
    let before = try ["cache.sqlite", "cache.sqlite-wal"].map { try stand.scratch.bytes($0) }
    await #expect {
      _ = try await stand.open()
    } throws: {
      ($0 as? EngagementError)?.code == .newerSchema
    }
    #expect(try ["cache.sqlite", "cache.sqlite-wal"].map { try stand.scratch.bytes($0) } == before)
  }

  @Test("suspending empties the log, and the next call reopens the cache")
  func suspended() async throws {
    let store = try await stand.open()
    let user = try await store.partition(of: "u-1")
    try await store.accept(stand.act(.click, on: "a"), in: user)
    try await store.suspend()
    #expect(try stand.scratch.bytes("cache.sqlite-wal").isEmpty)
    try await store.suspend()
    #expect(try await store.waiting(in: user).count == 1)
    try await store.resume()
    #expect(try await store.check().isSound)
  }

  @Test("one commit applies an answer's wanted, settled and abandoned changes")
  func answer() async throws {
    let store = try await stand.open()
    let user = try await store.partition(of: "u-1")
    let event = stand.event(.click, on: "a")
    try await store.accept(stand.track(event), stand.act(.dismiss, on: "b"), in: user)
    let keys = try await store.waiting(in: user).map(\.key)
    let report = try await store.commit(
      [.settled([event.id, "unknown"]), .abandoned(.cards, reason: "moved"), .wanted(.inbox)],
      from: "paper", in: user, at: StoreStand.start)
    #expect(report.ended.map(\.key) == keys)
    #expect(report.ended.map(\.ending.name) == ["delivered", "rejected"])
    #expect(report.hasNewRows)
    #expect(try await store.waiting(in: user).map(\.work) == [.operation(.inbox)])
  }

  @Test("G17: the ledger reports each quarantined item once, by index and surface")
  func quarantined() async throws {
    let store = try await stand.open()
    let user = try await store.partition(of: "u-1")
    for _ in 0..<2 {
      _ = try await store.commit(
        [.list([#"{"id":"a"}"#, #"{"x":"canary"}"#])], from: "paper", in: user,
        at: StoreStand.start)
    }
    let told = try await store.ledger().filter { $0.kind == .itemQuarantined }
    #expect(told.count == 1)
    #expect(told[0].properties["index"] == 1)
    #expect(told[0].properties["surface"] == "cards")
  }

  @Test("every released migration still matches its digest", arguments: Schema.migrations.steps)
  func frozen(step: Migration) { #expect(step.isFrozen) }

  @Test("G11: one read sees a single snapshot while another process writes")
  func oneReading() async throws {
    let store = try await stand.open()
    _ = try await store.partition(of: "u-1")
    let (sql, stand) = ("SELECT count(*) FROM setting", stand)
    let counts = try await store.twice(sql) {
      #expect(throws: Never.self) { try stand.tamper("INSERT INTO setting VALUES ('a', 'b')") }
    }
    #expect(counts == [0, 0])
    #expect(try await store.twice(sql) {} == [1, 1])
    #expect(try await store.partition(of: "u-2").id > 0, "a write after the read works")
  }

  @Test("releasing a user drops their memory, and the next read loads it again")
  func release() async throws {
    let store = try await stand.open()
    let (one, two) = (
      try await store.partition(of: "u-1"), try await store.partition(of: "u-2")
    )
    for user in [one, two] {
      _ = try await store.commit(
        [.list([#"{"id":"a"}"#]), .keep(.user, "mark", "7")], from: "paper", in: user,
        at: StoreStand.start)
    }
    #expect(await store.partitionsInMemory == [one.id, two.id])
    await store.release(one)
    #expect(await store.partitionsInMemory == [two.id])
    #expect(try await store.visible(in: one) == ["a"])
    #expect(try await store.memory(of: "paper", in: one).values[.user, "mark"] == "7")
  }
}
