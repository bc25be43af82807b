package import EngagementPlatform

/// How often the triggers of a campaign fired and how often it was presented, for one user.
package struct CampaignCounts: Hashable, Sendable {
  /// How many times its triggers fired.
  package var fired: Int
  /// How many times it was presented in this session of use.
  package var inSession: Int
  /// When it was presented, the earliest first.
  package var presentations: [Date]

  package init(fired: Int = 0, inSession: Int = 0, presentations: [Date] = []) {
    self.fired = fired
    self.inSession = inSession
    self.presentations = presentations
  }

  /// Presentations on this day of the moment's time zone.
  package func presentationsToday(at moment: CampaignMoment) -> Int {
    presentations(since: moment.startOfDay(before: 0))
  }

  /// Presentations at that time and later. After the clock was set back, those from before count
  /// too, so that the clock cannot make a campaign due again.
  func presentations(since seconds: Int64) -> Int {
    let start = Date(timeIntervalSince1970: Double(seconds))
    var first = presentations.count
    while first > 0, presentations[first - 1] >= start { first -= 1 }
    return presentations.count - first
  }
}

/// A time, and the time zone that days and weeks are counted by.
package struct CampaignMoment: Hashable, Sendable {
  package var now: Date
  /// The seconds that the time zone is ahead of UTC.
  package var zoneOffset: Int

  package init(_ now: Date, zoneOffset: Int = 0) {
    self.now = now
    self.zoneOffset = zoneOffset
  }

  private var seconds: Int64 {
    Int64(exactly: now.timeIntervalSince1970.rounded(.down)) ?? 0
  }

  /// The second that many seconds ago.
  func seconds(before count: Int, each length: Int64) -> Int64 {
    let (span, overflow) = Int64(count).multipliedReportingOverflow(by: length)
    return overflow ? .min : seconds.subtractingReportingOverflow(span).partialValue
  }

  /// The first second of the day that many days ago.
  func startOfDay(before days: Int) -> Int64 {
    let (local, day) = (seconds + Int64(zoneOffset), Self.day)
    let today = local - (local % day + day) % day
    return Self.start(today, minus: days, each: day, zoneOffset)
  }

  /// The first second of the week that many weeks ago. Weeks begin on Monday.
  func startOfWeek(before weeks: Int) -> Int64 {
    // 1970-01-01 was a Thursday, three days after a Monday.
    let (local, week) = (seconds + Int64(zoneOffset) + 3 * Self.day, 7 * Self.day)
    let monday = local - (local % week + week) % week - 3 * Self.day
    return Self.start(monday, minus: weeks, each: week, zoneOffset)
  }

  private static let day: Int64 = 24 * 3_600

  private static func start(
    _ local: Int64, minus count: Int, each length: Int64, _ zoneOffset: Int
  ) -> Int64 {
    let (span, overflow) = Int64(count).multipliedReportingOverflow(by: length)
    return overflow ? .min : local - span - Int64(zoneOffset)
  }
}

extension Campaign.Limit {
  /// Whether the limit allows one more presentation. `counts` includes the event that fired the
  /// campaign's triggers just now.
  func allows(_ counts: CampaignCounts, at moment: CampaignMoment) -> Bool {
    switch kind {
    case .session: counts.inSession < limit
    case .ever: counts.presentations.count < limit
    case .day: counts.presentations(since: moment.startOfDay(before: 0)) < limit
    case .seconds, .minutes, .hours, .days, .weeks:
      start(at: moment).map { counts.presentations(since: $0) < limit } ?? false
    case .onEvery: limit > 0 && counts.fired % limit == 0
    case .onExactly: counts.fired == limit
    case .unreadable: false
    }
  }

  /// Whether the limit counts fired triggers, not presentations.
  var countsTriggers: Bool {
    switch kind {
    case .onEvery, .onExactly: true
    case .session, .seconds, .minutes, .hours, .day, .days, .weeks, .ever, .unreadable: false
    }
  }

  /// The first second of the periods that count; nil for a limit of other periods or of none.
  private func start(at moment: CampaignMoment) -> Int64? {
    guard let frequency, frequency > 0 else { return nil }
    return switch kind {
    case .seconds: moment.seconds(before: frequency, each: 1)
    case .minutes: moment.seconds(before: frequency, each: 60)
    case .hours: moment.seconds(before: frequency, each: 3_600)
    case .days: moment.startOfDay(before: frequency - 1)
    case .weeks: moment.startOfWeek(before: frequency - 1)
    case .session, .day, .ever, .onEvery, .onExactly, .unreadable: nil
    }
  }
}
