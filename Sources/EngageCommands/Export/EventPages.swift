import EngagementAnalytics
import EngagementKit
import EngagementModel

/// Reads the events of an export from the cache, a page at a time.
actor EventPages {
  private let reader: EngagementReader
  private var export: EventExport
  private let limit: Int
  private let through: Int64
  private var isAtEnd = false
  /// What the last page took.
  private var room = EventPage.Room()

  init(_ export: sending EventExport, of reader: EngagementReader, limit: Int) {
    through = export.selection.through
    (self.reader, self.export, self.limit) = (reader, export, limit)
  }

  /// The next events; nil after the last page.
  func next() throws(EngagementError) -> (events: EventPage, page: ExportEvents.Page)? {
    guard !isAtEnd else { return nil }
    var events = EventPage(with: room)
    isAtEnd = try !reader.writeEvents(of: &export, limit: limit, to: &events)
    room = events.room
    let reached = isAtEnd ? through : export.selection.after
    return (events, ExportEvents.Page(through: reached, isLast: isAtEnd))
  }

  /// What was read.
  var result: ExportEvents.Result {
    ExportEvents.Result(
      events: export.events, excluded: export.dropped, firstSequence: export.firstSequence,
      lastSequence: export.lastSequence, through: through)
  }
}
