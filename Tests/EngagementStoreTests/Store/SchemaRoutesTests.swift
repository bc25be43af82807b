import EngagementAdapterAPI
import EngagementModel
import Foundation
import Testing

@testable import EngagementStore

/// The tables of the fifth and sixth schemas: contents, assignments, showings and states of pushes.
@Suite(.timeLimit(.minutes(20))) struct SchemaRoutesTests {
  private let stand: StoreStand

  init() throws { stand = try StoreStand() }

  private static let names = [
    "content_copy", "content_mark", "assignment", "showing", "push_state", "unlisted_content",
  ]

  /// Writes an item and one row with the word into each of the new tables, as later commits do.
  private func fill(_ store: Store, _ user: Partition, _ word: String) async throws {
    _ = try await store.commit(
      [.items(.cards, .put, raw([#"{"id":"\#(word)-item"}"#]))], from: "paper", in: user,
      at: StoreStand.start)
    func blob(_ name: String) -> String { "CAST('\(word)-\(name)' AS BLOB)" }
    try stand.tamper(
      """
      INSERT INTO content_copy SELECT id, \(user.id), source, \(blob("key")), 1000 FROM item
      WHERE name = \(blob("item"));
      INSERT INTO content_mark SELECT \(user.id), \(blob("key")), source, name, 8, NULL, 5000
      FROM item WHERE name = \(blob("item"));
      INSERT INTO assignment VALUES (\(user.id), \(blob("experiment")), 1, '\(word)-arm', 2000, NULL);
      INSERT INTO showing
      VALUES (\(user.id), '\(word)-surface', \(blob("key")), 7, 3, 1, '\(word)-session', 2);
      INSERT INTO push_state VALUES (
        \(user.id), '\(word)-provider', 'production', 'failed', '\(word)-code', '\(word)-reason',
        \(blob("token")), 4000);
      INSERT INTO unlisted_content VALUES (\(user.id), \(blob("key")), 6000, '["\(word)-awaited"]');
      """)
  }

  private func count(_ table: String, of user: Partition.ID) throws -> Int64? {
    try stand.number("SELECT count(*) FROM \(table) WHERE partition = \(user)")
  }

  private func occurrences(of word: String) throws -> Int {
    try stand.scratch.names().filter {
      try stand.scratch.bytes($0).range(of: Data(word.utf8)) != nil
    }.count
  }

  @Test("X21 G14: an erasure leaves no byte of the new tables")
  func erased() async throws {
    let store = try await stand.open()
    let gone = try await store.partition(of: "canary-user")
    let stays = try await store.partition(of: "u-2")
    try await fill(store, gone, "canary")
    try await fill(store, stays, "keeper")
    #expect(try occurrences(of: "canary-token") > 0)
    let kept = try await store.held(for: stays)
    _ = try await store.erase(gone, at: StoreStand.start)
    _ = try await store.endErasure()
    #expect(try occurrences(of: "canary") == 0)
    for table in Self.names {
      #expect(try count(table, of: gone.id) == 0, "\(table)")
      #expect(try count(table, of: stays.id) == 1, "\(table)")
    }
    #expect(try await store.held(for: stays) == kept)
  }

  @Test("X21: an export lists what the new tables have of a user")
  func held() async throws {
    let store = try await stand.open()
    let user = try await store.partition(of: "u-1")
    try await fill(store, user, "word")
    let objects = try await store.held(for: user)
    func record(_ name: String) throws -> JSONObject {
      try #require(objects.first { $0["record"]?.string == name })
    }
    let key: JSON = "776f72642d6b6579"
    #expect(
      try record("contentCopy") == [
        "record": "contentCopy", "provider": "paper", "surface": "cards", "id": "word-item",
        "key": key, "since": "1970-01-01T00:00:01.000Z",
      ])
    #expect(
      try record("contentMark") == [
        "record": "contentMark", "provider": "paper", "surface": "cards", "id": "word-item",
        "key": key, "marks": ["dismissed"], "endsAt": "1970-01-01T00:00:05.000Z",
      ])
    #expect(
      try record("unlistedContent") == [
        "record": "unlistedContent", "key": key, "since": "1970-01-01T00:00:06.000Z",
        "awaited": ["word-awaited"],
      ])
    #expect(
      try record("assignment") == [
        "record": "assignment", "experiment": "word-experiment", "version": 1, "arm": "word-arm",
        "assignedAt": "1970-01-01T00:00:02.000Z",
      ])
    #expect(
      try record("showing") == [
        "record": "showing", "surface": "word-surface", "key": key, "day": 7, "shown": 3,
        "held": 1, "session": "word-session", "inSession": 2,
      ])
    #expect(
      try record("pushState") == [
        "record": "pushState", "provider": "word-provider", "environment": "production",
        "state": "failed", "code": "word-code", "reason": "word-reason",
        "token": "776f72642d746f6b656e", "changedAt": "1970-01-01T00:00:04.000Z",
      ])
  }

  @Test("X11: a purge keeps who was exposed")
  func purged() async throws {
    let store = try await stand.open()
    let user = try await store.partition(of: "u-1")
    try await fill(store, user, "canary")
    _ = try await store.purge(user, at: StoreStand.start)
    let back = try await store.partition(of: "u-1")
    #expect(back.id != user.id)
    for table in Self.names {
      #expect(try count(table, of: user.id) == 0, "\(table)")
      #expect(try count(table, of: back.id) == (table == "assignment" ? 1 : 0), "\(table)")
    }
    let arms = try await store.held(for: back).filter { $0["record"] == "assignment" }
    #expect(arms.map { $0["arm"]?.string } == ["canary-arm"])
  }

  @Test("X4 X11 X17 G10: a cache of the fourth schema becomes one of the sixth and keeps every row")
  func migrated() async throws {
    try stand.makeFixture(of: 4)
    var database = try stand.scratch.open(.readWrite)
    let before = try database.contents()
    try Schema.migrations.run(on: &database)
    var after = try database.contents()
    #expect(try database.schema == 6)
    for name in Self.names { #expect(after.removeValue(forKey: name) == [], "\(name)") }
    #expect(after == before)
    #expect(before["delivered"]?.isEmpty == false && before["ledger"]?.isEmpty == false)
    let store = try await CampaignStand(stand).open()
    #expect(store.recovery == nil)
    #expect(try await store.check().isSound)
  }

  @Test("G10 G12: a disk that fills up in the fifth migration leaves the fourth schema")
  func full() throws {
    try stand.makeFixture(of: 4)
    var database = try stand.scratch.open(.readWrite)
    let before = try database.contents()
    let pages = try #require(try database.connection.integer("PRAGMA page_count"))
    try database.connection.execute("PRAGMA max_page_count=\(pages + 3)")
    let error = failure { () throws(EngagementError) in
      try Schema.migrations.run(on: &database)
    }
    #expect(error?.underlying == "SQLITE_FULL" && error?.operation == "migrate routes")
    #expect(try database.schema == 4)
    #expect(try database.contents() == before)
    try database.connection.execute("PRAGMA max_page_count=100000")
    try Schema.migrations.run(on: &database)
    #expect(try database.schema == 6)
  }

  @Test("G9: no record of the new tables is taken for a pending row, a user or a count")
  func salvaged() async throws {
    let store = try await stand.open()
    let user = try await store.partition(of: "u-1")
    try await store.setPresentUser("u-1")
    try await store.accept(stand.act(.click, on: "a"), in: user)
    try await store.checkpoint()
    let before = Salvage(SalvagedRows(PageImages(stand.scratch.path())))
    let records = try self.records()
    // Names and numbers that would be a count, a user or a setting, if a record had their shape.
    for word in ["accepted", "user production", "outbox", "paper"] {
      try await fill(store, user, word)
    }
    try await store.checkpoint()
    #expect(before.rows == 1 && before.users == [user.id])
    var after = Salvage(SalvagedRows(PageImages(stand.scratch.path())))
    // The events of the items that `fill` lists.
    after.sequences["ledger"] = before.sequences["ledger"]
    #expect(after == before)
    #expect(try self.records() >= records + 4 * 7)
  }

  private func records() throws -> Int {
    var count = 0
    _ = PageRecords(PageImages(stand.scratch.path())).readAll { _ in count += 1 }
    return count
  }
}

/// What a salvage finds.
private struct Salvage: Equatable {
  let rows: Int
  let users: Set<Partition.ID>
  let present: [String: EngagementModel.User]
  let counts: [TransactionSummary.Counter: Int64]
  var sequences: [String: Int64]

  init(_ found: SalvagedRows) {
    rows = found.rows.count
    users = Set(found.users.keys)
    present = found.presentUsers
    counts = found.counts
    sequences = found.sequences
  }
}

extension Database {
  /// All rows of every table, as SQL texts.
  fileprivate mutating func contents() throws(EngagementError) -> [String: [String]] {
    let tables = try texts(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'sqlite_schema'")
    var contents: [String: [String]] = [:]
    for table in tables {
      let columns = try texts("SELECT name FROM pragma_table_info('\(table)')")
      let row = columns.map { "quote(\"\($0)\")" }.joined(separator: " || ', ' || ")
      contents[table] = try texts("SELECT \(row) FROM \"\(table)\"").sorted()
    }
    return contents
  }

  private mutating func texts(_ sql: String) throws(EngagementError) -> [String] {
    var statement = Statement(sql)
    return try all(&statement) { $0.text(0) }
  }
}
