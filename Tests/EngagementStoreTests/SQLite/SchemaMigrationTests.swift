import EngagementModel
import Foundation
import TestDisk
import Testing

@testable import EngagementStore

/// A test schema with digests, as a release records them.
private let released = Migrations([
  Migration(
    name: "lists", sql: "CREATE TABLE list (id INTEGER PRIMARY KEY) STRICT",
    digest: "6a9c1111aa73af0669bd6936fd32412efc2e6a4d97ac6f80d5a99619a6d23be6"),
  Migration(
    name: "notes",
    sql: """
      CREATE TABLE note (id INTEGER PRIMARY KEY, list INTEGER REFERENCES list ON DELETE CASCADE) STRICT;
      INSERT INTO list VALUES (1);
      INSERT INTO note VALUES (1, 1);
      """,
    digest: "b4901d09a5f7817bc037327856336be2a277c7ae3d9a5e08b68c1180b3407337"),
])

private func migration(_ sql: String) -> Migration { Migration(name: "next", sql: sql, digest: "") }

@Suite struct SchemaMigrationTests {
  // The suite holds the folder, so that it outlives the files that a test opens in it.
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test(
    "G10: a released migration matches its digest, and an edited one does not",
    arguments: released.steps)
  func frozen(migration: Migration) {
    #expect(migration.isFrozen)
    var edited = migration.sql
    edited.append(" ")
    #expect(!Migration(name: migration.name, sql: edited, digest: migration.digest).isFrozen)
  }

  @Test("G10: each migration step runs once and in order across reopens")
  func order() throws {
    for _ in 0..<3 {
      var database = try scratch.open(.create)
      try released.run(on: &database)
      #expect(try database.schema == 2)
      #expect(try database.first("SELECT count(*) FROM note") { $0.integer(0) } == 1)
    }
  }

  @Test(
    "G10: a failed migration step changes nothing, and its error names the step",
    arguments: [
      ("DELETE FROM note; CREATE TABLE list (a)", EngagementError.Code.internalFailure),
      ("DELETE FROM note; COMMIT", .internalFailure),
      ("DELETE FROM list", .conflict),
    ])
  func atomic(sql: String, code: EngagementError.Code) throws {
    var database = try scratch.open(.create)
    try released.run(on: &database)
    let next = Migrations(released.steps + [migration(sql)])
    let error = failure { () throws(EngagementError) in try next.run(on: &database) }
    #expect(error?.code == code)
    #expect(error?.operation == "migrate next")
    #expect(try database.schema == 2)
    #expect(try database.connection.integer("PRAGMA foreign_keys") == 1)
  }

  @Test("G10 G12: a disk that fills up during a migration leaves the previous schema")
  func full() throws {
    var database = try scratch.open(.create)
    try released.run(on: &database)
    try database.connection.execute("PRAGMA max_page_count=8")
    let next = Migrations(
      released.steps + [
        migration("CREATE TABLE blob (b BLOB) STRICT; INSERT INTO blob VALUES (zeroblob(1000000))")
      ])
    let error = failure { () throws(EngagementError) in try next.run(on: &database) }
    #expect(error?.underlying == "SQLITE_FULL")
    #expect(try database.schema == 2)
    try database.connection.execute("PRAGMA max_page_count=100000")
    try next.run(on: &database)
    #expect(try database.schema == 3)
  }

  @Test(
    "rebuilding a table keeps the rows that refer to it, even after a disk failure",
    arguments: [false, true])
  func rebuild(afterFailure: Bool) throws {
    var database = try scratch.open(.create)
    try released.run(on: &database)
    if afterFailure {
      let error = try FaultyDisk.failing(.write, under: scratch.folder.path) {
        failure { () throws(EngagementError) in
          try database.write("INSERT INTO list VALUES (2)")
        }
      }
      #expect(error?.code == .storage)
    }
    let next = Migrations(
      released.steps + [
        migration(
          """
          CREATE TABLE list2 (id INTEGER PRIMARY KEY, name TEXT) STRICT;
          INSERT INTO list2(id) SELECT id FROM list;
          DROP TABLE list;
          ALTER TABLE list2 RENAME TO list;
          """)
      ])
    try next.run(on: &database)
    #expect(try database.first("SELECT count(*) FROM note") { $0.integer(0) } == 1)
  }

  @Test("G10: a migration refuses a schema that another process made newer in the meantime")
  func overtaken() throws {
    var database = try scratch.open(.create, newestSchema: 2)
    var other = try scratch.open(.create, newestSchema: 3)
    try Migrations(released.steps + [migration("SELECT 1")]).run(on: &other)
    let error = failure { () throws(EngagementError) in try released.run(on: &database) }
    #expect(error?.code == .newerSchema)
  }
}
