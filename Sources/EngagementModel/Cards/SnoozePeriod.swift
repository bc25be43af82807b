public import EngagementPlatform

extension CardButton {
  /// How long a snooze button hides its card.
  public struct SnoozePeriod: Hashable, Sendable {
    /// Months of the calendar, whose length depends on the date.
    public var months: Int
    /// What comes after the months.
    public var seconds: Int

    public init(months: Int = 0, seconds: Int) {
      self.months = months
      self.seconds = seconds
    }

    /// The number of seconds from the date; nil beyond what the calendar has.
    public func seconds(from date: Date, in timeZone: TimeZone = .current) -> Int? {
      guard months != 0 else { return seconds }
      var calendar = Calendar(identifier: .gregorian)
      calendar.timeZone = timeZone
      let end = calendar.date(byAdding: .month, value: months, to: date)
      let length = end.flatMap { Int(exactly: $0.timeIntervalSince(date).rounded()) }
      guard let sum = length?.addingReportingOverflow(seconds), !sum.overflow else { return nil }
      return sum.partialValue
    }
  }
}
