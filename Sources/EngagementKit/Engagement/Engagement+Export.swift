public import EngagementModel
import EngagementStore

extension Engagement {
  /// A random text that this cache has made once, and that no vendor is told: the key of the hashes that
  /// stand for users in exports, where the application has none of its own.
  public func exportSalt() async throws(EngagementError) -> String {
    try await dependencies.store.exportSalt()
  }

  /// The cursor of that name, which begins at the first event if there is none yet.
  ///
  /// - Parameters:
  ///   - selection: What the export selects. Throws `conflict` if the cursor was begun with another one: it
  ///     would have passed over events that are selected now.
  ///   - folder: Where the export goes, for a cursor that is begun. One that is there keeps its own.
  public func exportCursor(
    named name: String, selecting selection: String, into folder: String? = nil
  ) async throws(EngagementError) -> ExportCursor {
    guard ExportCursor.isName(name) else {
      throw EngagementError(
        .invalidArgument,
        "\"\(name)\" is no name of a cursor: it takes up to 64 letters, digits, hyphens and dots.")
    }
    let cursor = try await dependencies.store.exportCursor(
      named: name, selecting: selection, into: folder, in: dependencies.environment)
    guard cursor.selection == selection else {
      throw EngagementError(
        .conflict,
        "The cursor \(name) was begun with \(cursor.selection), and not with \(selection). "
          + "Take the same options, or another name.")
    }
    return cursor
  }

  /// The cursors of all exports.
  public var exportCursors: [ExportCursor] {
    get async throws(EngagementError) {
      try await dependencies.store.exportCursors(in: dependencies.environment)
    }
  }

  /// Moves the cursor on, once what was exported is safe. Throws `conflict` if it is no longer where
  /// the caller has seen it.
  ///
  /// - Parameter folder: Where the export goes now; nil to leave that.
  public func moveExportCursor(
    _ cursor: ExportCursor, to sequence: Int64, into folder: String? = nil
  ) async throws(EngagementError) {
    try await dependencies.store.moveExportCursor(
      cursor, to: sequence, into: folder, in: dependencies.environment)
  }

  /// Forgets the cursor. An export of that name begins at the first event again.
  public func removeExportCursor(named name: String) async throws(EngagementError) {
    try await dependencies.store.removeExportCursor(named: name, in: dependencies.environment)
  }
}
