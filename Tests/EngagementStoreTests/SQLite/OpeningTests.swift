import EngagementModel
import Foundation
import Testing

@testable import EngagementStore

@Suite struct OpeningTests {
  // The suite holds the folder, so that it outlives the files that a test opens in it.
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test("only the owner can access the cache folder and its files")
  func modes() throws {
    let path = scratch.path("new/cache.sqlite")
    var database = try Database.open(at: path, mode: .create, newestSchema: 1)
    try database.write("CREATE TABLE note (id INTEGER PRIMARY KEY, body ANY) STRICT")
    #expect(try scratch.mode(of: scratch.path("new")) == 0o700)
    for suffix in ["", "-wal", "-shm", ".lock"] {
      #expect(try scratch.mode(of: path + suffix) == 0o600, "\(suffix)")
    }
  }

  @Test("opening creates every missing folder above the cache, for the owner alone")
  func missingFolders() throws {
    let path = scratch.path("one/two/three/cache.sqlite")
    _ = try Database.open(at: path, mode: .create, newestSchema: 1)
    for folder in ["one", "one/two", "one/two/three"] {
      #expect(try scratch.mode(of: scratch.path(folder)) == 0o700, "\(folder)")
    }
  }

  @Test(
    "SQLite reports the expected value of every setting",
    arguments: [Database.Mode.create, .readWrite, .readOnly])
  func settings(mode: Database.Mode) throws {
    let kept = try scratch.notes()
    defer { withExtendedLifetime(kept.mode) {} }
    let database = try scratch.open(mode)
    for (name, value) in Connection.pragmas {
      #expect(try database.connection.integer("PRAGMA \(name)") == value, "\(name)")
    }
    #expect(try database.connection.text("PRAGMA journal_mode") == "wal")
    #expect(try database.connection.integer("PRAGMA busy_timeout") == 5000)
    #expect(try database.connection.integer("PRAGMA application_id") == 0x456e_674b)
    #expect(try database.connection.integer("PRAGMA query_only") == (mode == .readOnly ? 1 : 0))
    // The setting DEFENSIVE forbids this.
    try? database.connection.execute("PRAGMA writable_schema=ON")
    #expect(throws: EngagementError.self) {
      try database.connection.execute("DELETE FROM sqlite_schema")
    }
  }

  @Test("writers and readers see committed data after a reopen")
  func reopening() throws {
    do {
      var database = try scratch.notes()
      try database.write("INSERT INTO note(body) VALUES (?)", .text("a"))
    }
    var writer = try scratch.open(.readWrite)
    var reader = try scratch.open(.readOnly)
    #expect(try writer.count() == 1)
    #expect(try reader.count() == 1)
    try writer.write("INSERT INTO note(body) VALUES (?)", .text("b"))
    #expect(try reader.count() == 2)
    #expect(
      failure { () throws(EngagementError) in
        try reader.transaction { (_) throws(EngagementError) in }
      }?.underlying == "SQLITE_READONLY")
  }

  @Test(
    "only `create` makes a cache where none exists",
    arguments: [
      Database.Mode.readWrite, .readOnly,
    ])
  func missing(mode: Database.Mode) throws {
    #expect(failure { () throws(EngagementError) in _ = try scratch.open(mode) }?.code == .notFound)
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.folder.path).isEmpty)
    try scratch.write(Data())
    #expect(failure { () throws(EngagementError) in _ = try scratch.open(mode) }?.code == .notFound)
    #expect(try scratch.bytes().isEmpty)
  }

  @Test("an empty file left by an interrupted creation becomes a cache")
  func cutCreation() throws {
    try scratch.write(Data())
    var database = try scratch.notes()
    #expect(try database.count() == 0)
  }

  @Test(
    "a special SQLite name is treated as a plain file path",
    arguments: [":memory:", "file:x?mode=memory"])
  func specialNames(name: String) throws {
    #expect(try StoreFile(name).path == "./" + name)
  }

  @Test("an empty path or one with a NUL byte is refused", arguments: ["", "a\0b"])
  func badPaths(path: String) {
    let error = failure { () throws(EngagementError) in
      _ = try Database.open(at: path, mode: .create, newestSchema: 1)
    }
    #expect(error?.code == .invalidArgument)
  }
}
