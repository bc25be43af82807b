import EngagementModel
import Foundation

@testable import EngagementStore

/// A test cache with one table. Each row's id determines its valid body.
enum NoteCache {
  static let migrations = Migrations([
    Migration(
      name: "notes", sql: "CREATE TABLE note (id INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT",
      digest: "")
  ])

  static func body(_ id: Int64) -> String { "\(id):" + String(repeating: "\(id % 10)", count: 90) }

  /// Copies the valid rows, as the store copies the outbox.
  static func salvage(
    _ damaged: PageImages, into fresh: inout Database
  ) throws(EngagementError) -> StoreOpening.Salvage {
    let (found, isComplete) = notes(in: damaged)
    var insert = Statement("INSERT OR IGNORE INTO note VALUES (?, ?)")
    var saved = 0
    for id in found.sorted() {
      try fresh.run(&insert, .integer(id), .text(body(id)))
      saved += Int(fresh.changes)
    }
    return StoreOpening.Salvage(savedRows: saved, isComplete: isComplete)
  }

  /// The ids of the sound notes, and whether every page was readable.
  static func notes(in damaged: PageImages) -> (ids: Set<Int64>, isComplete: Bool) {
    var ids: Set<Int64> = []
    var isSound = true
    let isWhole = PageRecords(damaged).readAll { record in
      guard record.fields.count == 2, record.isNull(0), let id = record.row else { return }
      if record.text(1) == body(id) { ids.insert(id) } else { isSound = false }
    }
    return (ids, isWhole && isSound)
  }

  static func opening(
    at path: String, wait: Duration = .seconds(5)
  ) throws(EngagementError) -> StoreOpening {
    try StoreOpening(
      path: path, migrations: migrations, wait: wait,
      salvaging: { (damaged, fresh) throws(EngagementError) in
        try salvage(damaged, into: &fresh)
      })
  }
}

extension Scratch {
  static let noon = Date(timeIntervalSince1970: 1_789_992_000)

  /// Opens the cache of notes as its owner does.
  func openNotes(
    at now: Date = Scratch.noon, isSuspect: Bool = false, wait: Duration = .seconds(5)
  ) throws(EngagementError) -> StoreOpening.Opened {
    try NoteCache.opening(at: path(), wait: wait).open(at: now, isSuspect: isSuspect)
  }

  /// Fills the cache. The rows are in the file, or in the log with `keepingLog`.
  func fillNotes(_ count: Int64 = 200, keepingLog: Bool = false) throws(EngagementError) {
    var opened = try openNotes()
    try opened.database.transaction { (database) throws(EngagementError) in
      var insert = Statement("INSERT INTO note VALUES (?, ?)")
      for id in 1...count {
        try database.run(&insert, .integer(id), .text(NoteCache.body(id)))
      }
    }
    if !keepingLog { try opened.database.checkpoint(.truncate) }
  }

  func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
  }
}

extension Database {
  /// All notes by id.
  mutating func notes() throws(EngagementError) -> [Int64: String] {
    var notes: [Int64: String] = [:]
    var statement = Statement("SELECT id, body FROM note")
    _ = try all(&statement) { (row) throws(EngagementError) in
      notes[row.integer(0)] = row.text(1)
    }
    return notes
  }
}
