import EngagementModel
import EngagementPlatform
import EngagementStore

/// Decides whether the application's caps and quiet times hold a campaign back.
struct CapRules: Sendable {
  let caps: Options.Caps
  let counts: ShowingCounts
  let day: CountedDay
  let moment: CountedDay.Moment

  /// Why and until when something is held back.
  struct Hold: Hashable, Sendable {
    var reason: Reason
    /// Nil if no clock ends it.
    var until: Date?

    enum Reason: String, Hashable, Sendable {
      case perDay, perSession, contentPerDay, contentEver, quietTime
    }
  }

  /// What holds back a content that is due now; nil if nothing does.
  func hold(_ key: ContentKey) -> Hold? {
    func isReached(_ cap: Int?, _ count: Int?) -> Bool { cap.map { count ?? 0 >= $0 } ?? false }
    if isReached(caps.contentEver, counts.contents[key]) { return Hold(reason: .contentEver) }
    if let end = quietEnd { return Hold(reason: .quietTime, until: end) }
    if isReached(caps.perDay, counts.today) { return Hold(reason: .perDay, until: tomorrow) }
    if isReached(caps.contentPerDay, counts.contentsToday[key]) {
      return Hold(reason: .contentPerDay, until: tomorrow)
    }
    return isReached(caps.perSession, counts.inSession) ? Hold(reason: .perSession) : nil
  }

  private var tomorrow: Date {
    moment.date.addingTimeInterval((day.end - moment.uptime) / .seconds(1))
  }

  /// When the quiet time that it is now ends; nil if it is none.
  private var quietEnd: Date? {
    let (seconds, today) = moment.local
    let minutes = caps.quietTimes.compactMap { $0.end(at: Int(seconds / 60), onDay: today) }
    return minutes.max().map { moment.date.addingTimeInterval(Double($0) * 60 - seconds) }
  }
}

extension Options.QuietTime {
  /// When it ends, in minutes after midnight of the day; nil if it is not that time.
  fileprivate func end(at minute: Int, onDay day: Int) -> Int? {
    let isOvernight = end < start
    if minute >= start, isOvernight || minute < end, begins(onDay: day) {
      return isOvernight ? end + 24 * 60 : end
    }
    return isOvernight && minute < end && begins(onDay: day - 1) ? end : nil
  }

  private func begins(onDay day: Int) -> Bool {
    // 1970-01-01 was a Thursday.
    let index = ((day + 3) % 7 + 7) % 7
    return days.contains(.everyDay) || days.contains(Self.week[index])
  }

  private static let week: [PersonUpdate.Day] = [
    .monday, .tuesday, .wednesday, .thursday, .friday, .saturday, .sunday,
  ]
}

extension CapRules.Hold {
  /// Whether it can be presented later.
  func canEnd(under caps: Options.Caps) -> Bool {
    caps.held == .later && reason != .contentEver
  }
}
