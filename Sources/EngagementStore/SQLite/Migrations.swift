import EngagementFormats
import EngagementModel

/// One step of the schema. It is never changed once it was released.
struct Migration: Hashable, Sendable {
  let name: String
  let sql: String
  /// SHA-256 of the SQL, in hex, written down when the step was released.
  let digest: String
  /// The hash of the shape that the step leads to, written down with it; nil where any will do.
  ///
  /// SQLite keeps the texts of `CREATE` as they were written, but rewrites those that `ALTER`
  /// renames, each of its versions in its own way: a step that renames leads to any shape.
  var shape: UInt64?

  /// Whether the SQL is still what was released.
  var isFrozen: Bool { SHA256.digest(of: sql).description == digest }
}

/// The steps of the schema in their order; new ones go to the end.
struct Migrations: Sendable {
  let steps: [Migration]

  init(_ steps: [Migration]) { self.steps = steps }

  /// The schema that the last step leads to.
  var newest: Int64 { Int64(steps.count) }

  /// Brings a file up to date, one transaction a step.
  ///
  /// A step that fails leaves the file at the one before; an error names it as its operation.
  func run(on database: inout Database) throws(EngagementError) {
    try requireShape(of: &database)
    guard try database.schema < newest else { return try database.refuseNewer() }
    // Not later: a new connection would not know what is set here.
    try database.renewIfSuspect()
    // Rebuilding a table would otherwise empty those that refer to it; the references are checked
    // at the end of each step instead.
    try database.connection.execute("PRAGMA foreign_keys=OFF")
    do throws(EngagementError) {
      while try step(on: &database) {}
      try database.connection.execute("PRAGMA foreign_keys=ON")
    } catch {
      try database.connection.execute("PRAGMA foreign_keys=ON")
      throw error
    }
  }

  /// Throws `damagedCache` for a file with other tables than its steps have made. SQLite does not
  /// find that: a flipped bit in the text of a table renames a column.
  func requireShape(of database: inout Database) throws(EngagementError) {
    let shape = try database.shape()
    // A newer schema is refused later; its tables are not compared here.
    guard shape.schema <= newest else { return }
    guard shape.schema >= 0, !shape.isEntangled else { throw .damagedCache }
    let known = shape.schema == 0 ? RowChecksum.ofNothing : steps[Int(shape.schema) - 1].shape
    guard let known else { return }
    guard shape.hash == known else { throw .damagedCache }
  }

  /// Takes the next step; another process may have taken some in the meantime.
  private func step(on database: inout Database) throws(EngagementError) -> Bool {
    try database.transaction { (database) throws(EngagementError) in
      try database.refuseNewer()
      let schema = try database.schema
      guard schema < newest else { return false }
      let migration = steps[Int(schema)]
      do throws(EngagementError) {
        try migration.apply(to: &database, reaching: schema + 1)
      } catch {
        var error = error
        error.operation = "migrate \(migration.name)"
        throw error
      }
      return true
    }
  }
}

extension Migration {
  fileprivate func apply(
    to database: inout Database, reaching schema: Int64
  ) throws(EngagementError) {
    try database.connection.execute(sql)
    guard !database.connection.isIdle else {
      throw EngagementError(.internalFailure, "A migration ends its own transaction")
    }
    guard try database.connection.text("PRAGMA foreign_key_check") == nil else {
      throw EngagementError(.conflict, "A migration leaves a reference to nothing")
    }
    try database.connection.execute("PRAGMA user_version=\(schema)")
  }
}
