import EngagementFormats
import Foundation
import TestSupport
import Testing

/// The C library's calendar is the oracle: `timegm` and `gmtime_r` know no zone and no locale.
@Suite("The calendar")
struct CivilDayTests {
  @Test("random times of ten thousand years are written as in the C library")
  func writesAsOracle() {
    var random = SeededGenerator(seed: 2)
    let wrong = (0..<5_000).map { _ in Int64.random(in: Epoch.range, using: &random) }
      .filter { Epoch.date(milliseconds: $0).flatMap { ISO8601.text(of: $0) } != text(of: $0) }
    #expect(wrong.isEmpty)
  }

  @Test("random times of ten thousand years are read as in the C library")
  func readsAsOracle() {
    var random = SeededGenerator(seed: 3)
    let wrong = (0..<5_000).map { _ in Int64.random(in: Epoch.range, using: &random) }
      .filter {
        ISO8601.date(from: text(of: $0)).flatMap(Epoch.milliseconds(of:)) != $0
      }
    #expect(wrong.isEmpty)
  }

  @Test("days around the ends of February and of the year are right in every year")
  func turningPoints() {
    var wrong: [String] = []
    for year in 0...9_999 {
      for (month, day) in [(1, 1), (2, 28), (2, 29), (3, 1), (12, 31)] {
        let text = String(year + 10_000).dropFirst() + "-\(two(month))-\(two(day))"
        let read = ISO8601.day(from: String(text))
        if read.flatMap(Epoch.wholeSeconds(of:)) != seconds(year, month, day) {
          wrong.append("\(text)")
        }
        if let read, ISO8601.text(of: read, as: .day) != String(text) { wrong.append("\(text)") }
      }
    }
    #expect(wrong.isEmpty)
  }

  /// Nil where the C library moves the day into another month.
  private func seconds(_ year: Int, _ month: Int, _ day: Int) -> Int64? {
    var fields = tm()
    fields.tm_year = Int32(year - 1_900)
    fields.tm_mon = Int32(month - 1)
    fields.tm_mday = Int32(day)
    let seconds = timegm(&fields)
    return fields.tm_mday == Int32(day) ? Int64(seconds) : nil
  }

  private func text(of milliseconds: Int64) -> String {
    let fraction = (milliseconds % 1_000 + 1_000) % 1_000
    var seconds = time_t((milliseconds - fraction) / 1_000)
    var fields = tm()
    gmtime_r(&seconds, &fields)
    let year = String(Int(fields.tm_year) + 1_900 + 10_000).dropFirst()
    let date = "\(year)-\(two(Int(fields.tm_mon) + 1))-\(two(Int(fields.tm_mday)))"
    let time = [fields.tm_hour, fields.tm_min, fields.tm_sec].map { two(Int($0)) }
    return "\(date)T\(time.joined(separator: ":")).\(String(fraction + 1_000).dropFirst())Z"
  }

  private func two(_ number: Int) -> String { String(String(number + 100).dropFirst()) }
}
