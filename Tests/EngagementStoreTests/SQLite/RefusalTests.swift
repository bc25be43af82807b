import CSQLite
import EngagementModel
import Foundation
import TestDisk
import Testing

@testable import EngagementStore

private let modes: [Database.Mode] = [.create, .readWrite, .readOnly]

@Suite struct RefusalTests {
  // The suite holds the folder, so that it outlives the files that a test opens in it.
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// The file of a closed cache with an empty log.
  private func cache(schema: Int64 = 1) throws -> Data {
    do {
      var database = try scratch.notes()
      try database.write("PRAGMA user_version=\(schema)")
      for number in 0..<200 {
        try database.write(
          "INSERT INTO note(body) VALUES (?)", .text(String(repeating: "\(number)", count: 100)))
      }
      try database.checkpoint(.truncate)
    }
    return try scratch.bytes()
  }

  private func refusal(_ mode: Database.Mode, in other: Scratch? = nil) -> EngagementError? {
    failure { () throws(EngagementError) in _ = try (other ?? scratch).open(mode) }
  }

  @Test("G10: a cache with a newer schema is refused and left unchanged", arguments: modes)
  func newer(mode: Database.Mode) throws {
    let bytes = try cache(schema: Schema.migrations.newest + 1)
    #expect(refusal(mode)?.code == .newerSchema)
    #expect(try scratch.bytes() == bytes)
  }

  @Test("G10: a newer schema recorded only in the log is refused too", arguments: modes)
  func newerInLog(mode: Database.Mode) throws {
    let bytes = try cache()
    var database = try scratch.open(.readWrite)
    try database.write("PRAGMA user_version=\(Schema.migrations.newest + 1)")
    let log = try scratch.bytes("cache.sqlite-wal")
    #expect(refusal(mode)?.code == .newerSchema)
    #expect(try scratch.bytes() == bytes)
    #expect(try scratch.bytes("cache.sqlite-wal") == log)
  }

  @Test("another application's database is refused and left unchanged", arguments: modes)
  func foreign(mode: Database.Mode) throws {
    var handle: OpaquePointer?
    #expect(sqlite3_open(scratch.path(), &handle) == SQLITE_OK)
    #expect(
      sqlite3_exec(
        handle, "PRAGMA journal_mode=WAL; PRAGMA application_id=7; CREATE TABLE t(a)", nil, nil, nil
      )
        == SQLITE_OK)
    let (bytes, log) = (try scratch.bytes(), try scratch.bytes("cache.sqlite-wal"))
    #expect(refusal(mode)?.code == .unreadable)
    #expect(try scratch.bytes() == bytes)
    #expect(try scratch.bytes("cache.sqlite-wal") == log)
    #expect(!FileManager.default.fileExists(atPath: scratch.path() + ".lock"))
    sqlite3_close(handle)
  }

  @Test(
    "a file that is not a database is refused and left unchanged",
    arguments: [
      Data("hello".utf8), Data(repeating: 0, count: 8192), Data("SQLite format 3\0".utf8),
    ])
  func noDatabase(bytes: Data) throws {
    try scratch.write(bytes)
    for mode in modes {
      #expect(refusal(mode)?.code == .unreadable)
      #expect(try scratch.bytes() == bytes)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.folder.path).count == 1)
  }

  @Test(
    "G9: a cache with a damaged header is reported as damaged and left unchanged", arguments: modes)
  func damagedStart(mode: Database.Mode) throws {
    var bytes = try cache()
    bytes[0] ^= 0xff
    try scratch.write(bytes)
    #expect(refusal(mode)?.isDamagedCache == true)
    #expect(try scratch.bytes() == bytes)
  }

  @Test("G9: a truncated cache is reported as damaged", arguments: modes)
  func cut(mode: Database.Mode) throws {
    let bytes = try cache()
    let half = bytes.prefix(4096 * 2)
    try scratch.write(half)
    #expect(refusal(mode)?.isDamagedCache == true)
    #expect(try scratch.bytes() == half)
  }

  @Test("G9: an emptied cache with a log is reported as damaged, and the log is kept")
  func emptied() throws {
    _ = try cache()
    var database = try scratch.open(.readWrite)
    try database.write("INSERT INTO note(body) VALUES (1)")
    let log = try scratch.bytes("cache.sqlite-wal")
    let other = try Scratch()
    defer { withExtendedLifetime(other) {} }
    try other.write(Data())
    try other.write(log, to: "cache.sqlite-wal")
    #expect(refusal(.create, in: other)?.isDamagedCache == true)
    #expect(try other.bytes("cache.sqlite-wal") == log)
  }

  @Test("G9: verification finds damage inside a page", arguments: [1, 2, 3])
  func damagedPage(page: Int) throws {
    var bytes = try cache()
    for index in 0..<64 { bytes[page * 4096 + index] = 0xa5 }
    try scratch.write(bytes)
    let error = failure { () throws(EngagementError) in
      let database = try scratch.open(.readWrite)
      try database.verify()
    }
    #expect(error?.isDamagedCache == true)
    #expect(try scratch.bytes() == bytes)
  }

  @Test(
    "a folder, a pipe and a device are refused as caches",
    arguments: ["folder", "pipe", "/dev/null"])
  func noFile(kind: String) throws {
    switch kind {
    case "folder":
      try FileManager.default.createDirectory(
        atPath: scratch.path(), withIntermediateDirectories: false)
    case "pipe": #expect(mkfifo(scratch.path(), 0o600) == 0)
    default: #expect(symlink(kind, scratch.path()) == 0)
    }
    for mode in modes { #expect(refusal(mode)?.code == .unreadable) }
  }

  @Test("G12: a read error reports the cache as unreadable instead of empty", arguments: modes)
  func failingDisk(mode: Database.Mode) throws {
    let bytes = try cache()
    let error = try FaultyDisk.failing(.read, under: scratch.folder.path) { refusal(mode) }
    #expect(error?.code == .unreadable)
    #expect(error?.underlying == "SQLITE_IOERR_CORRUPTFS")
    #expect(try scratch.bytes() == bytes)
    var database = try scratch.open(mode)
    #expect(try database.count() == 200)
  }

  @Test("a cache file that fails to open is reported as unreadable", arguments: modes)
  func noPermission(mode: Database.Mode) throws {
    _ = try cache()
    let error = try FaultyDisk.failing(.open, under: scratch.folder.path) { refusal(mode) }
    #expect(error?.code == .unreadable)
  }
}
