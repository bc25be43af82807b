public import EngagementModel
import EngagementStore

extension EngagementReader {
  /// What an export has written, and what it has left out.
  public struct EventCount: Hashable, Sendable {
    public var events = 0
    public var dropped: [EventSelection.Exclusion: Int] = [:]
    public var firstSequence: Int64?
    public var lastSequence: Int64?

    public init() {}
  }
}

extension EngagementReader {
  /// Reads the next events of all users, at most `limit` of them, and writes those that are selected.
  /// Returns how many were read; fewer than `limit` if there are no more now.
  ///
  /// To go on, set `selection.after` to the `lastSequence` of the count.
  ///
  /// - Parameters:
  ///   - source: What the events have as their source, such as `urn:uuid:` and an id of the installation.
  ///   - name: Gives a user a name in the export, such as a hash; nil for the anonymous user.
  public func writeEvents(
    _ selection: EventSelection, limit: Int = 4_096, from source: String,
    naming name: (User) -> String?, to sink: inout some EventSink,
    counting count: inout EventCount
  ) throws(EngagementError) -> Int {
    let query = query
    return try read { (reader) throws(EngagementError) in
      let users = try reader.users(in: query.environment).mapValues(name)
      var rows = EventRows(selection, source: source, users: users)
      var found = 0
      try reader.eachRow(
        after: selection.after, through: selection.through, limit: limit
      ) { row in
        found += 1
        let sequence = row.integer(.sequence)
        if let exclusion = rows.write(row, to: &sink) {
          count.dropped[exclusion, default: 0] += 1
        } else {
          count.events += 1
          count.firstSequence = count.firstSequence ?? sequence
        }
        count.lastSequence = sequence
      }
      return found
    }
  }
}
