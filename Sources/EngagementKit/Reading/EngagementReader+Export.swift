package import EngagementModel
import EngagementStore

/// What an export has written.
package struct EventCount: Hashable, Sendable {
  package var events = 0
  package var firstSequence: Int64?
  package var lastSequence: Int64?

  package init() {}
}

extension EngagementReader {
  /// Writes the next selected events, at most `limit` of them, each with the text that stands for its
  /// user. Returns how many; fewer than `limit` if there are no more now.
  package func writeEvents(
    _ selection: EventSelection, limit: Int, from source: String,
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
