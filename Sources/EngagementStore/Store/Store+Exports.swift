package import EngagementModel

extension Store {
  /// The salt with which exports hide who their users are.
  package func exportSalt() throws(EngagementError) -> String {
    try write { (tables, database) throws(EngagementError) in
      try tables.exports.salt(options.random, on: &database)
    }
  }

  /// The cursor of that name, which begins at the first event if there is none yet.
  package func exportCursor(
    named name: String, selecting selection: String, into folder: String? = nil,
    in environment: String
  ) throws(EngagementError) -> ExportCursor {
    try write { (tables, database) throws(EngagementError) in
      if let cursor = try tables.exports.cursor(named: name, in: environment, on: &database) {
        return cursor
      }
      let id = String(options.random(), radix: 16)
      let cursor = ExportCursor(name: name, id: id, selection: selection, folder: folder)
      try tables.exports.set(cursor, in: environment, on: &database)
      return cursor
    }
  }

  package func exportCursors(in environment: String) throws(EngagementError) -> [ExportCursor] {
    try read { (tables, database) throws(EngagementError) in
      try tables.exports.cursors(in: environment, on: &database)
    }
  }

  /// Moves the cursor on. Throws `conflict` if it is not where the caller has seen it.
  package func moveExportCursor(
    _ cursor: ExportCursor, to sequence: Int64, into folder: String? = nil, in environment: String
  ) throws(EngagementError) {
    try write { (tables, database) throws(EngagementError) in
      let now = try tables.exports.cursor(named: cursor.name, in: environment, on: &database)
      guard now == cursor else {
        throw EngagementError(
          .conflict,
          "Another export has moved the cursor \(cursor.name) meanwhile; run this one again.")
      }
      var moved = cursor
      moved.sequence = sequence
      moved.folder = folder ?? cursor.folder
      try tables.exports.set(moved, in: environment, on: &database)
    }
  }

  package func removeExportCursor(
    named name: String, in environment: String
  ) throws(EngagementError) {
    try write { (tables, database) throws(EngagementError) in
      try tables.exports.remove(named: name, in: environment, on: &database)
    }
  }
}
