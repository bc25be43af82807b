import EngagementFormats
import EngagementPlatform

/// Which events a comparison was given, whether or not a figure needs them.
package struct EventCoverage: Sendable {
  private let times: Range<Int64>
  /// The events within the times, and those of them that have no user.
  private var (events, userless) = (0, 0)
  /// When the newest event happened, within the times or not.
  private var newest: Int64?

  /// - Parameter times: The events that count, in milliseconds since 1970.
  package init(at times: Range<Int64> = .min ..< .max) { self.times = times }

  /// What a database has counted.
  package init(at times: Range<Int64>, events: Int, userless: Int, newest: Int64?) {
    self.init(at: times)
    (self.events, self.userless, self.newest) = (events, userless, newest)
  }

  /// The events within the times.
  package var count: Int { events }

  /// Whether all events lie outside of the times.
  package var areAllOutside: Bool { events == 0 && newest != nil }

  /// Adds an event that is there once only.
  mutating func add(at time: Int64, hasUser: Bool) {
    guard times.contains(time) else { return }
    events += 1
    if !hasUser { userless += 1 }
  }

  /// Adds an event that may be there several times.
  mutating func note(_ time: Int64) { newest = max(newest ?? time, time) }

  /// What a reader of the comparison has to know.
  package var notes: [String] {
    [timeNote, userNote].compactMap(\.self)
  }

  private var timeNote: String? {
    guard events == 0, times.lowerBound != .min, let newest else { return nil }
    let moment = Epoch.date(milliseconds: newest).map { Figure.moment($0) } ?? "another time"
    return "No event lies in this time: the newest one is of \(moment)."
  }

  private var userNote: String? {
    guard userless > 0 else { return nil }
    guard events > 1 else { return "1 event has no user: its device counts as one person." }
    return userless == events
      ? "\(Figure.count(events)) events have no user: each device counts as one person."
      : "\(Figure.count(userless)) of \(Figure.count(events)) events have no user: for them each device counts "
        + "as one person."
  }
}
