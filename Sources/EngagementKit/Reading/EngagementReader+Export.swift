public import EngagementModel
import EngagementStore

extension EngagementReader {
  /// What an export has written.
  public struct EventCount: Hashable, Sendable {
    public var events = 0
    public var firstSequence: Int64?
    public var lastSequence: Int64?

    public init() {}
  }
}

extension EngagementReader {
  /// Writes the next selected events of all users of the application's environment, at most `limit` of
  /// them. Returns how many were read; fewer than `limit` if there are no more now.
  ///
  /// To go on, set `selection.after` to the `lastSequence` of the count.
  ///
  /// - Parameters:
  ///   - source: What the events have as their source, such as `urn:uuid:` and an id of the installation.
  ///   - name: Gives a user a name in the export, such as a hash; nil for the anonymous user.
  public func writeEvents(
    _ selection: EventSelection, limit: Int = 4_096, from source: String,
    naming name: (User) -> String?, by encoder: inout some EventEncoder,
    counting count: inout EventCount
  ) throws(EngagementError) -> Int {
    let query = query
    return try read { (reader) throws(EngagementError) in
      let users = try reader.users(in: query.environment).mapValues(name)
      var rows = EventRows(source: source, users: users)
      var found = 0
      try reader.eachRow(of: selection, limit: limit) { row in
        found += 1
        let sequence = row.integer(.sequence)
        if rows.write(row, by: &encoder) {
          count.events += 1
          count.firstSequence = count.firstSequence ?? sequence
        }
        count.lastSequence = sequence
      }
      return found
    }
  }
}
