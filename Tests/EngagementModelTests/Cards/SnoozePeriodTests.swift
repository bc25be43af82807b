import EngagementFormats
import EngagementModel
import Foundation
import Testing

@Suite("periods of snooze buttons") struct SnoozePeriodTests {
  private struct Row: CustomTestStringConvertible {
    var start: String
    var months: Int
    var end: String

    var testDescription: String { "\(start) + \(months)" }
  }

  @Test(
    "A15: a month ends on the same day of the next one, or on its last day, by the clock on the wall",
    arguments: [
      Row(start: "2026-03-15T10:00:00Z", months: 1, end: "2026-04-15T09:00:00Z"),
      Row(start: "2026-01-31T10:00:00Z", months: 1, end: "2026-02-28T10:00:00Z"),
      Row(start: "2028-01-31T10:00:00Z", months: 1, end: "2028-02-29T10:00:00Z"),
      Row(start: "2026-12-31T23:30:00Z", months: 12, end: "2027-12-31T23:30:00Z"),
    ])
  private func months(_ row: Row) throws {
    let start = try #require(ISO8601.date(from: row.start))
    let end = try #require(ISO8601.date(from: row.end))
    let berlin = try #require(TimeZone(identifier: "Europe/Berlin"))
    let period = CardButton.SnoozePeriod(months: row.months, seconds: 5)
    #expect(period.seconds(from: start, in: berlin) == Int(end.timeIntervalSince(start)) + 5)
  }

  @Test("A15: a period without months has its seconds, and one beyond every calendar has none")
  func limits() {
    let start = Date(timeIntervalSince1970: 1_800_000_000)
    #expect(CardButton.SnoozePeriod(seconds: 60).seconds(from: start) == 60)
    #expect(CardButton.SnoozePeriod(months: 1, seconds: .max).seconds(from: start) == nil)
  }
}
