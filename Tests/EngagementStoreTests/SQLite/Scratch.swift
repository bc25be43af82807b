import EngagementModel
import Foundation

@testable import EngagementStore

/// A test's folder. It is deleted with the test.
final class Scratch: Sendable {
  let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "store-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit {
    // A folder that remains does not affect other tests.
    try? FileManager.default.removeItem(at: folder)
  }

  func path(_ name: String = "cache.sqlite") -> String { folder.appending(path: name).path }

  func bytes(_ name: String = "cache.sqlite") throws -> Data {
    try Data(contentsOf: folder.appending(path: name))
  }

  func write(_ bytes: Data, to name: String = "cache.sqlite") throws {
    try bytes.write(to: folder.appending(path: name))
  }

  func mode(of path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  /// A cache with one table, `note`.
  func notes(wait: Duration = .seconds(5)) throws -> Database {
    var database = try open(.create, wait: wait)
    try database.transaction { (database) throws(EngagementError) in
      try database.run("CREATE TABLE IF NOT EXISTS note (id INTEGER PRIMARY KEY, body ANY) STRICT")
    }
    return database
  }

  func open(
    _ mode: Database.Mode, newestSchema: Int64 = Schema.migrations.newest,
    wait: Duration = .seconds(5)
  ) throws(EngagementError) -> Database {
    try .open(at: path(), mode: mode, newestSchema: newestSchema, wait: wait)
  }
}

/// The error that the body throws.
func failure(
  of body: () throws(EngagementError) -> Void
) -> EngagementError? {
  do throws(EngagementError) {
    try body()
    return nil
  } catch {
    return error
  }
}

extension Database {
  mutating func write(
    _ sql: String, _ value: SQLValue...
  ) throws(EngagementError) {
    var statement = Statement(sql)
    let first = value.first
    try transaction { (database) throws(EngagementError) in
      if let first {
        try database.run(&statement, first)
      } else {
        try database.run(&statement)
      }
    }
  }

  mutating func count() throws(EngagementError) -> Int64? {
    try first("SELECT count(*) FROM note") { $0.integer(0) }
  }
}
