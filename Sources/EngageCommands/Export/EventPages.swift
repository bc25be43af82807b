import EngagementAnalytics
import EngagementKit
import EngagementModel

/// The pages of an export: so many sequences each, from the first event to the last.
struct EventPages {
  private let start: Int64
  private let through: Int64
  private let size: Int64

  /// - Parameter start: The sequence before the first one.
  init(from start: Int64, through: Int64, size: Int) {
    (self.start, self.through, self.size) = (start, through, Int64(max(size, 1)))
  }

  var count: Int64 { (through - start + size - 1) / size }

  /// Reads the pages by several lanes and hands them over in their order. An export without events has
  /// one page without any.
  func read(
    by lanes: [EventLane], _ body: (EventPage, ExportEvents.Position) async throws -> Void
  ) async throws {
    guard count > 0 else {
      return try await body(EventPage(), ExportEvents.Position(through: through, isLast: true))
    }
    var ahead: [Task<EventPage, any Error>] = []
    do {
      var asked: Int64 = 0
      for number in 0..<count {
        // While a page is handed over, each lane reads one.
        while asked < count, asked <= number + Int64(lanes.count) {
          ahead.append(reading(asked, by: lanes))
          asked += 1
        }
        try Task.checkCancellation()
        let events = try await ahead.removeFirst().value
        let last = sequences(of: number).upperBound
        try await body(events, ExportEvents.Position(through: last, isLast: last == through))
      }
    } catch {
      // The lanes are done with the cache before the error is told.
      for task in ahead { task.cancel() }
      for task in ahead { _ = await task.result }
      throw error
    }
  }

  private func reading(_ number: Int64, by lanes: [EventLane]) -> Task<EventPage, any Error> {
    let sequences = sequences(of: number)
    let lane = lanes[Int(number % Int64(lanes.count))]
    return Task { try await lane.events(of: sequences) }
  }

  private func sequences(of number: Int64) -> ClosedRange<Int64> {
    let first = start + number * size + 1
    return first...min(first + size - 1, through)
  }
}

/// Reads pages of events from the cache, one after the other, beside other lanes.
actor EventLane {
  private let reader: EngagementReader
  private var export: EventExport
  private var filter: PersonalDataFilter
  /// What the last page took.
  private var room = EventPage.Room()

  /// - Parameter people: Whose personal data are left out here of the application's own events.
  init(
    _ reader: EngagementReader, _ selection: EventSelection, from source: String,
    cleaning people: PersonIDs?, naming name: @escaping @Sendable (User) -> String?
  ) {
    self.reader = reader
    export = EventExport(selection, from: source, naming: name)
    filter = PersonalDataFilter(of: people)
  }

  func events(of sequences: ClosedRange<Int64>) throws -> EventPage {
    try Task.checkCancellation()
    filter.page = EventPage(with: room)
    export.turn(to: sequences)
    while try reader.writeEvents(of: &export, limit: sequences.count + 1, to: &filter) {}
    room = filter.page.room
    return filter.takePage()
  }

  var result: ExportEvents.Result {
    ExportEvents.Result(
      events: export.events, excluded: export.dropped, firstSequence: export.firstSequence,
      lastSequence: export.lastSequence, cleaned: filter.cleaned, lostFields: filter.lostFields)
  }
}
