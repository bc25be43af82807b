import EngagementAdapterAPI
import EngagementModel
import Foundation
import TestSupport
import Testing

@testable import EngagementStore

/// Caches with a damaged schema: SQLite accepts any definition that it can parse.
@Suite(.timeLimit(.minutes(20))) struct SchemaDamageTests {
  // The suite holds the folder, so that it outlives the files that a test opens in it.
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private static func options(_ scratch: Scratch) -> Store.Options {
    Store.Options(path: scratch.path(), adapters: [:], wait: .seconds(2))
  }

  private func open() async throws -> Store {
    try await Store.open(Self.options(scratch), at: Scratch.noon)
  }

  /// Makes and closes a cache with one pending row.
  private func fill() async throws {
    let store = try await open()
    let partition = try await store.partition(of: "u-1", at: Scratch.noon)
    let event = EngagementEvent(
      id: "e-1", kind: .custom, time: Scratch.noon, provider: "braze", name: "step")
    let delivery = Intent.Delivery(to: "braze", .event(event), key: OperationKey(1, 2))
    _ = try await store.accept(
      [Intent(event: event, deliveries: [delivery])], in: partition, at: Scratch.noon)
    try await store.suspend()
  }

  /// The number of pending rows, after a check of the cache.
  private func waiting(in store: Store) async throws -> Int {
    let partition = try await store.partition(of: "u-1", at: Scratch.noon)
    #expect(try await store.check().isSound)
    return try await store.pending(for: "braze", in: partition, limit: 10).count
  }

  /// Replaces the text in the file.
  private func replace(_ text: String, with other: String) throws {
    var bytes = try scratch.bytes()
    let range = try #require(bytes.range(of: Data(text.utf8)))
    bytes.replaceSubrange(range, with: Data(other.utf8))
    try scratch.write(bytes)
  }

  @Test(
    "G8 G9: a damaged definition of another table triggers recovery and keeps the outbox rows",
    arguments: [
      // A valid table with another column.
      ("type TEXT NOT NULL", "typf TEXT NOT NULL"),
      // Not a table.
      ("CREATE TABLE ledger", "CREATE TABME ledger"),
      ("CREATE TABLE ledger", "CREATE TABLE\u{1}ledger"),
      // A missing table, and a renamed one.
      ("tableledgerledger", "tablfledgerledger"), ("tableledgerledger", "tableledgesledgex"),
    ])
  func otherTable(text: String, other: String) async throws {
    try await fill()
    try replace(text, with: other)
    let store = try await open()
    let recovery = try #require(store.recovery)
    #expect(recovery.savedRows == 1)
    #expect(try await waiting(in: store) == 1)
    try await store.suspend()
    #expect(try await open().recovery == nil)
  }

  @Test("G9 X14: people have the same hashes in exports after a recovery")
  func exportSalt() async throws {
    try await fill()
    let store = try await open()
    let salt = try await store.exportSalt()
    try await store.suspend()
    try replace("CREATE TABLE ledger", with: "CREATE TABME ledger")
    let recovered = try await open()
    #expect(recovered.recovery != nil)
    #expect(try await recovered.exportSalt() == salt)
  }

  @Test("G8 G9: a damaged outbox definition costs no row")
  func outbox() async throws {
    try await fill()
    try replace("surface TEXT,", with: "surfade TEXT,")
    let store = try await open()
    #expect(try #require(store.recovery).lostRows == 0)
    #expect(try await waiting(in: store) == 1)
  }

  @Test(
    "G8 G9: with any bit of the first page flipped, the cache keeps its row or reports a recovery"
  )
  func everyBit() async throws {
    try await fill()
    let image = try scratch.bytes()
    let steps = Effort.percent < 50 ? 401 : 67
    // Damage to the magic text, the application id or the schema version makes the file another
    // program's or a newer one, so those bytes before byte 100 are left out.
    let fields = [16, 18, 19, 21, 44, 47, 56, 59].map { $0 * 8 + 2 }
    for bit in fields + Array(stride(from: 100 * 8, to: 4_096 * 8, by: steps)) {
      var bytes = image
      bytes[bit / 8] ^= 1 << UInt8(bit % 8)
      let folder = try Scratch()
      try folder.write(bytes)
      let store = try await Store.open(Self.options(folder), at: Scratch.noon)
      let count: Int
      do {
        count = try await waiting(in: store)
      } catch {
        // The store reports later damage once, and the next call reopens the cache.
        #expect((error as? EngagementError)?.code == .storage, "bit \(bit)")
        count = try await waiting(in: store)
      }
      #expect(count <= 1 && (count == 1 || store.recovery != nil), "bit \(bit)")
    }
  }

  @Test("G10: a cache with a newer schema is refused untouched, whatever tables it has")
  func newer() async throws {
    try await fill()
    do {
      var database = try scratch.open(.readWrite)
      try database.write("CREATE TABLE later (id INTEGER PRIMARY KEY) STRICT")
      try database.write("PRAGMA user_version=\(Schema.migrations.newest + 1)")
      try database.checkpoint(.truncate)
    }
    let bytes = try scratch.bytes()
    await #expect(throws: EngagementError.self) { try await self.open() }
    #expect(try scratch.bytes() == bytes)
    #expect(try scratch.names().allSatisfy { !$0.contains("corrupt") })
  }

  @Test(
    "G9 G10: a version beside another wrong field of the header is damage, and no newer schema",
    arguments: [27, 50, 58, 93])
  func damagedVersion(field: Int) async throws {
    try await fill()
    var bytes = try scratch.bytes()
    // Two bits make the version 4,096, which a release could have.
    for (byte, bit) in [(62, 4), (63, 0), (field, 3)] { bytes[byte] ^= 1 << UInt8(bit) }
    let folder = try Scratch()
    try folder.write(bytes)
    let store = try await Store.open(Self.options(folder), at: Scratch.noon)
    #expect(try await waiting(in: store) == 1 && store.recovery != nil)
  }

  @Test("G9 G10: one flipped bit of the version is damage, and no newer schema", arguments: 0..<32)
  func flippedVersion(bit: Int) async throws {
    try await fill()
    var bytes = try scratch.bytes()
    bytes[63 - bit / 8] ^= 1 << UInt8(bit % 8)
    let folder = try Scratch()
    try folder.write(bytes)
    let store = try await Store.open(Self.options(folder), at: Scratch.noon)
    #expect(try await waiting(in: store) == 1 && store.recovery != nil)
  }

  @Test("G9 G10: every table and index of a cache is known as one that a step makes")
  func known() async throws {
    try await fill()
    var database = try scratch.open(.readWrite)
    var texts = Statement("SELECT sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'")
    let all = try database.all(&texts) { $0.text(0) }
    #expect(all.count > 10 && all.allSatisfy(Schema.makes))
    #expect(!Schema.makes(all[0].replacing("INTEGER", with: "TEXT")))
  }

  @Test("G9: a reader reports a damaged schema and repairs nothing")
  func reader() async throws {
    try await fill()
    try replace("type TEXT NOT NULL", with: "typf TEXT NOT NULL")
    let bytes = try scratch.bytes()
    let error = failure { () throws(EngagementError) in
      _ = try StoreReader(path: scratch.path(), adapters: [:])
    }
    #expect(error?.isDamagedCache == true)
    #expect(try scratch.bytes() == bytes)
  }

  @Test(
    "G10: each released migration produces the schema shape recorded for it",
    arguments: [1, 2, 3, 4, 5])
  func shapes(step: Int) throws {
    let migrations = Migrations(Array(Schema.migrations.steps.prefix(step)))
    var database = try scratch.open(.create)
    try migrations.run(on: &database)
    let shape = try database.shape()
    #expect(shape.schema == Int64(step))
    #expect(shape.hash == migrations.steps[step - 1].shape)
    #expect(!shape.isEntangled)
    #expect(Schema.migrations.steps.allSatisfy { $0.shape != nil })
  }
}
