import EngagementModel
import Foundation
import Testing

@testable import EngagementStore

@Suite("a cache that is gone, or something else that has its name")
struct GoneCacheTests {
  private let scratch: Scratch

  init() throws {
    scratch = try Scratch()
    try scratch.fillNotes()
  }

  private func removeCache() throws {
    for suffix in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: scratch.path("cache.sqlite\(suffix)"))
    }
  }

  private func recovery() throws -> Recovery? { try scratch.openNotes().recovery }

  @Test("G9: that a cache is gone is told once", arguments: [true, false])
  func gone(isEmptied: Bool) throws {
    try removeCache()
    if isEmptied { try scratch.write(Data()) }
    let found = try recovery()
    let told = try #require(found)
    #expect(
      told
        == Recovery(setAside: nil, savedRows: 0, mayHaveLostRows: true, mayHaveLostValues: true))
    #expect(try recovery() == nil)
  }

  @Test("a cache that was never there is no lost one")
  func first() throws {
    try removeCache()
    try FileManager.default.removeItem(atPath: scratch.path("cache.sqlite.lock"))
    #expect(try recovery() == nil)
  }

  @Test("G9: a lock file that is emptied or noise is marked again", arguments: ["", "noise"])
  func mark(content: String) throws {
    try scratch.write(Data(content.utf8), to: "cache.sqlite.lock")
    #expect(try recovery() == nil)
    try removeCache()
    #expect(try recovery() != nil)
  }

  /// What can have a name without being a file.
  enum Stranger: String, CaseIterable {
    case pipe
    case socket
    case linkToNothing
    case linkToItself
    case linkToDevice

    func take(_ path: String) throws {
      switch self {
      case .pipe: #expect(mkfifo(path, 0o600) == 0)
      case .socket: #expect(mknod(path, S_IFSOCK | 0o600, 0) == 0)
      case .linkToNothing: #expect(symlink("nothing", path) == 0)
      case .linkToItself: #expect(symlink(path, path) == 0)
      case .linkToDevice: #expect(symlink("/dev/full", path) == 0)
      }
    }
  }

  @Test("G9: what took the cache's name is set aside", arguments: Stranger.allCases)
  func stranger(_ stranger: Stranger) throws {
    try removeCache()
    try stranger.take(scratch.path())
    let found = try recovery()
    let told = try #require(found)
    #expect(told.mayHaveLostRows && told.savedRows == 0)
    let place = try #require(told.setAside)
    var status = stat()
    #expect(lstat(place, &status) == 0 && status.st_mode & S_IFMT != S_IFREG)
    #expect(try recovery() == nil)
  }

  @Test("G9: the log beside it is read nevertheless")
  func log() throws {
    let other = try Scratch()
    try other.fillNotes(keepingLog: true)
    try FileManager.default.removeItem(atPath: other.path())
    try Stranger.pipe.take(other.path())
    var opened = try other.openNotes()
    let found = opened.recovery
    #expect(found?.setAside != nil)
    #expect(try opened.database.notes().count == 200)
  }

  @Test("what has the name where no cache was made is not moved", arguments: Stranger.allCases)
  func others(_ stranger: Stranger) throws {
    try removeCache()
    try FileManager.default.removeItem(atPath: scratch.path("cache.sqlite.lock"))
    try stranger.take(scratch.path())
    #expect(throws: EngagementError.self) { _ = try recovery() }
    #expect(try !scratch.names().contains { $0.contains("corrupt") })
  }

  @Test("a folder in the cache's place is not moved")
  func folder() throws {
    try removeCache()
    try FileManager.default.createDirectory(
      atPath: scratch.path(), withIntermediateDirectories: false)
    #expect(throws: EngagementError.self) { _ = try recovery() }
    #expect(try !scratch.names().contains { $0.contains("corrupt") })
  }
}

@Suite("a cache whose file or log is no database any more")
struct OverwrittenCacheTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test("G9: a file of zeros, of noise or of another program is set aside", arguments: 0...2)
  func file(kind: Int) throws {
    try scratch.fillNotes()
    let count = try scratch.bytes().count
    let bytes =
      switch kind {
      case 0: Data(count: count)
      case 1: Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ 13) })
      default: Data("SQLite format 3\0".utf8) + Data(count: count)
      }
    try scratch.write(bytes)
    let found = try scratch.openNotes().recovery
    let told = try #require(found)
    #expect(told.mayHaveLostRows)
    #expect(try Data(contentsOf: URL(filePath: try #require(told.setAside))) == bytes)
    #expect(try scratch.openNotes().recovery == nil)
  }

  @Test(
    "G9: a log that is no log any more is damage, and is told",
    arguments: [Data(count: 9_000), Data("hello".utf8), Data(repeating: 0xa5, count: 40_000)])
  func log(bytes: Data) throws {
    try scratch.fillNotes()
    try scratch.write(bytes, to: "cache.sqlite-wal")
    var opened = try scratch.openNotes()
    let found = opened.recovery
    let told = try #require(found)
    #expect(told.mayHaveLostRows && told.savedRows == 200)
    #expect(try opened.database.notes().count == 200)
  }

  @Test(
    "G9: something else in the place of the log or of its index is set aside",
    arguments: ["-wal", "-shm"], GoneCacheTests.Stranger.allCases)
  func stray(suffix: String, stranger: GoneCacheTests.Stranger) throws {
    try scratch.fillNotes()
    let path = scratch.path("cache.sqlite\(suffix)")
    try? FileManager.default.removeItem(atPath: path)
    try stranger.take(path)
    var opened = try scratch.openNotes()
    let found = opened.recovery
    let told = try #require(found)
    #expect(told.savedRows == 200 && told.mayHaveLostRows == (suffix == "-wal"))
    #expect(try opened.database.notes().count == 200)
    #expect(try scratch.openNotes().recovery == nil)
  }
}
