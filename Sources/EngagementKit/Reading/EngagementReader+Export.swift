public import EngagementModel
import EngagementStore

/// An export of events, page by page: what it selects, and how far it has come.
public struct EventExport {
  /// `after` moves on with every page.
  public private(set) var selection: EventSelection
  /// The events that were written.
  public private(set) var events = 0
  /// The events that were read and not written.
  public private(set) var dropped: [EventSelection.Exclusion: Int] = [:]
  public private(set) var firstSequence: Int64?
  public private(set) var lastSequence: Int64?

  private let source: [UInt8]
  private let name: (User) -> String?
  private var users: [Int64: ExportedUser] = [:]
  /// The newest user whom `users` knows.
  private var newestUser: Int64 = -1

  /// - Parameters:
  ///   - source: What the events have as their source, such as `urn:uuid:` and an id of the installation.
  ///   - name: Gives a user a name in the export, such as a hash; nil for the anonymous user.
  public init(
    _ selection: EventSelection, from source: String, naming name: @escaping (User) -> String?
  ) {
    (self.selection, self.name) = (selection, name)
    self.source = Array(source.utf8)
  }

  /// Goes on with other sequences, when several readers share the work.
  public mutating func turn(to sequences: ClosedRange<Int64>) {
    (selection.after, selection.through) = (
      max(sequences.lowerBound, 1) - 1, sequences.upperBound
    )
  }

  fileprivate mutating func write(
    _ reader: inout StoreReader, of environment: String, limit: Int, to sink: inout some EventSink
  ) throws(EngagementError) -> Bool {
    let newest = try reader.newestUser()
    if newest != newestUser {
      users = try reader.users(in: environment).mapValues { .unnamed($0) }
      newestUser = newest
    }
    var rows = EventRows(selection, source: source, name: name)
    var found = 0
    let (after, through) = (selection.after, selection.through)
    try reader.eachRow(after: after, through: through, limit: limit) { row in
      found += 1
      let sequence = row.integer(.sequence)
      if let exclusion = rows.write(row, of: &users, to: &sink) {
        dropped[exclusion, default: 0] += 1
      } else {
        events += 1
        firstSequence = firstSequence ?? sequence
        lastSequence = sequence
      }
      selection.after = sequence
    }
    return found == limit
  }
}

extension EngagementReader {
  /// Changes whenever events are erased with their user, or become another user's. What was copied before
  /// has to be made again, if it is not to have them any more.
  public var ledgerRevision: String {
    get throws(EngagementError) {
      try read { (reader) throws(EngagementError) in try reader.ledgerState().rewriting }
    }
  }

  /// Reads the next events of all users, at most `limit` of them, and writes those that are selected.
  /// Returns whether there may be more.
  public func writeEvents(
    of export: inout EventExport, limit: Int = 4_096, to sink: inout some EventSink
  ) throws(EngagementError) -> Bool {
    let query = query
    return try read { (reader) throws(EngagementError) in
      try export.write(&reader, of: query.environment, limit: max(limit, 1), to: &sink)
    }
  }
}
