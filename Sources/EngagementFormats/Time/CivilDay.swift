/// A day of the Gregorian calendar, extended back to year 0000 as in ISO 8601.
struct CivilDay: Equatable {
  let year: Int
  let month: Int
  let day: Int

  /// Nil if the calendar has no such day or the year is outside 0000–9999.
  init?(year: Int, month: Int, day: Int) {
    guard 0...9999 ~= year, 1...12 ~= month, day >= 1,
      day <= Self.length(ofMonth: month, in: year)
    else { return nil }
    self.year = year
    self.month = month
    self.day = day
  }

  /// The day that is `daysSinceEpoch` days after 1970-01-01. Valid for the years 0000–9999.
  ///
  /// Years start in March here, so that the leap day is the last day of its year. They are grouped
  /// in cycles of 400 years, which all have the same number of days.
  init(daysSinceEpoch: Int) {
    let days = daysSinceEpoch + Self.daysBeforeEpoch
    let (cycle, dayOfCycle) = days.quotientAndRemainder(dividingBy: Self.daysPerCycle)
    let leapDays = dayOfCycle / 1_460 - dayOfCycle / 36_524 + dayOfCycle / 146_096
    let yearOfCycle = (dayOfCycle - leapDays) / 365
    let dayOfYear = dayOfCycle - Self.days(beforeYear: yearOfCycle)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    day = dayOfYear - Self.days(beforeMonthFromMarch: monthFromMarch) + 1
    month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    year = (cycle - 1) * 400 + yearOfCycle + (month <= 2 ? 1 : 0)
  }

  /// The number of days since 1970-01-01.
  var daysSinceEpoch: Int {
    // January of year 0000 belongs to the March year before it. One added cycle keeps the dividend
    // positive.
    let yearFromMarch = (month <= 2 ? year - 1 : year) + 400
    let monthFromMarch = month <= 2 ? month + 9 : month - 3
    return Self.days(beforeYear: yearFromMarch)
      + Self.days(beforeMonthFromMarch: monthFromMarch) + day - 1 - Self.daysBeforeEpoch
  }

  private static let daysPerCycle = 146_097
  /// The days from the first of March of year -400 to 1970-01-01.
  private static let daysBeforeEpoch = 865_565

  private static func days(beforeYear year: Int) -> Int {
    365 * year + year / 4 - year / 100 + year / 400
  }

  /// From March on, the lengths of the months repeat as 31, 30, 31, 30, 31: 153 days in five.
  private static func days(beforeMonthFromMarch month: Int) -> Int {
    (153 * month + 2) / 5
  }

  private static func length(ofMonth month: Int, in year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}
