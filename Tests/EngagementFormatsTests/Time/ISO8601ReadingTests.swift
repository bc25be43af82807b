import EngagementFormats
import Foundation
import TestSupport
import Testing

@Suite("Reading ISO 8601 times")
struct ISO8601ReadingTests {
  @Test(
    "a time is read to the millisecond",
    arguments: [
      // RFC 3339, section 5.8
      ("1985-04-12T23:20:50.52Z", 482_196_050_520),
      ("1996-12-19T16:39:57-08:00", 851_042_397_000),
      ("1937-01-01T12:00:27.87+00:20", -1_041_337_172_130),
      // The forms of the vendors
      ("2019-07-10T15:06:55.012+00:00", 1_562_771_215_012),
      ("2019-07-10T15:06:55.012Z", 1_562_771_215_012),
      ("2019-07-10T15:06:55Z", 1_562_771_215_000),
      ("2026-10-01T22:00:00.000+13:00", 1_790_845_200_000),
      ("2026-10-01T22:00:00+1300", 1_790_845_200_000),
      ("2026-10-01T22:00:00+13", 1_790_845_200_000),
      ("2026-10-01T22:00:00-0030", 1_790_893_800_000),
      // RFC 3339, section 5.6: both letters in either case
      ("2019-07-10t15:06:55.012z", 1_562_771_215_012),
      // RFC 3339, section 4.3: an unknown offset
      ("2019-07-10T15:06:55-00:00", 1_562_771_215_000),
      ("2019-07-10T15:06:55,5Z", 1_562_771_215_500),
      ("1970-01-01T00:00:00.001Z", 1), ("1969-12-31T23:59:59.999Z", -1),
      ("2000-02-29T00:00:00Z", 951_782_400_000),
      ("0000-01-01T00:00:00Z", -62_167_219_200_000),
      ("9999-12-31T23:59:59.999Z", 253_402_300_799_999),
      ("9999-12-31T23:59:59.999+23:59", 253_402_214_459_999),
    ] as [(String, Int64)])
  func time(_ text: String, _ milliseconds: Int64) {
    #expect(ISO8601.date(from: text) == Epoch.date(milliseconds: milliseconds))
    #expect(ISO8601.milliseconds(from: Array(text.utf8).span.bytes) == milliseconds)
  }

  @Test(
    "digits after the milliseconds are cut off",
    arguments: [
      ("2019-07-10T15:06:55.0129Z", "2019-07-10T15:06:55.012Z"),
      ("2019-07-10T15:06:55.999999999999999999999999Z", "2019-07-10T15:06:55.999Z"),
      ("9999-12-31T23:59:59.9999999Z", "9999-12-31T23:59:59.999Z"),
      ("1969-12-31T23:59:59.9999Z", "1969-12-31T23:59:59.999Z"),
    ])
  func longFraction(_ text: String, _ printed: String) {
    #expect(ISO8601.date(from: text).flatMap { ISO8601.text(of: $0) } == printed)
  }

  @Test(
    "a leap second becomes the last millisecond before the next month",
    arguments: [
      ("1990-12-31T23:59:60Z", "1990-12-31T23:59:59.999Z"),
      ("1990-12-31T15:59:60-08:00", "1990-12-31T23:59:59.999Z"),
      ("2015-06-30T23:59:60.5Z", "2015-06-30T23:59:59.999Z"),
      ("2016-01-01T13:44:60+13:45", "2015-12-31T23:59:59.999Z"),
      ("9999-12-31T23:59:60Z", "9999-12-31T23:59:59.999Z"),
    ])
  func leapSecond(_ text: String, _ printed: String) {
    #expect(ISO8601.date(from: text).flatMap { ISO8601.text(of: $0) } == printed)
  }

  @Test(
    "text that is not a time gives nil",
    arguments: [
      "", "2019", "2019-07-10", "2019-07-10T", "2019-07-10T15:06:55", "2019-07-10T15:06Z",
      "2019-07-10 15:06:55Z", "2019-07-10_15:06:55Z", " 2019-07-10T15:06:55Z",
      "2019-07-10T15:06:55Z ", "2019-07-10T15:06:55Z\n", "2019-07-10T15:06:55Z\0",
      "20190710T150655Z", "2019-07-10T150655Z", "2019-7-10T15:06:55Z", "02019-07-10T15:06:55Z",
      "+2019-07-10T15:06:55Z", "-2019-07-10T15:06:55Z", "2019-W28-3T15:06:55Z",
      "2019-191T15:06:55Z", "2019-00-10T15:06:55Z", "2019-13-10T15:06:55Z",
      "2019-07-00T15:06:55Z", "2019-07-32T15:06:55Z", "2019-06-31T15:06:55Z",
      "2019-02-29T15:06:55Z", "1900-02-29T15:06:55Z", "2019-07-10T24:00:00Z",
      "2019-07-10T15:60:55Z", "2019-07-10T15:06:61Z", "2019-07-10T15:06:60Z",
      "1990-12-31T23:59:60+01:00", "1990-12-30T23:59:60Z", "1990-12-31T23:58:60Z",
      "2019-07-10T15:06:55.Z", "2019-07-10T15:06:55.Z12", "2019-07-10T15:06:55.1.2Z",
      "2019-07-10T15:06:55.", "2019-07-10T15:06:55.12", "2019-07-10T15:06:55+",
      "2019-07-10T15:06:55+1", "2019-07-10T15:06:55+01:", "2019-07-10T15:06:55+01:0",
      "2019-07-10T15:06:55+01::00",
      "2019-07-10T15:06:55+010", "2019-07-10T15:06:55+24:00", "2019-07-10T15:06:55+01:60",
      "2019-07-10T15:06:55+01:00:00", "2019-07-10T15:06:55ZZ", "2019-07-10T15:06:55Z+01:00",
      "2019-07-10T15:06:55 Z", "2019-07-10T15:06:55−01:00", "２０１９-07-10T15:06:55Z",
      "٢٠١٩-07-10T15:06:55Z", "1562771215", "0000-01-01T00:00:00+00:01",
      "9999-12-31T23:59:59-00:01",
    ])
  func noTime(_ text: String) {
    #expect(ISO8601.date(from: text) == nil)
    #expect(ISO8601.milliseconds(from: Array(text.utf8).span.bytes) == nil)
  }

  @Test(
    "a date without a time is its first instant in UTC",
    arguments: [
      ("2019-07-10", 1_562_716_800_000), ("1970-01-01", 0), ("2000-02-29", 951_782_400_000),
      ("0000-01-01", -62_167_219_200_000), ("9999-12-31", 253_402_214_400_000),
    ] as [(String, Int64)])
  func day(_ text: String, _ milliseconds: Int64) {
    #expect(ISO8601.day(from: text) == Epoch.date(milliseconds: milliseconds))
    #expect(ISO8601.day(from: text) != nil)
  }

  @Test(
    "text that is not a date gives nil",
    arguments: [
      "", "2019", "2019-07", "2019-07-1", "2019-07-10T", "2019-07-10T15:06:55Z", "2019-07-10Z",
      "20190710", "2019/07/10", "2019-02-30", "2100-02-29", "0000-00-00", "10000-01-01",
    ])
  func noDay(_ text: String) {
    #expect(ISO8601.day(from: text) == nil)
  }

  @Test("damaged text never traps, and accepted text survives a round trip")
  func damage() {
    var random = SeededGenerator(seed: 4)
    var wrong: [String] = []
    for _ in 0..<5_000 {
      let bytes = random.damaged("2019-07-10T15:06:55.012+00:00")
      _ = ISO8601.day(from: bytes.span.bytes)
      guard let date = ISO8601.date(from: bytes.span.bytes) else { continue }
      if ISO8601.text(of: date).flatMap(ISO8601.date(from:)) != date {
        wrong.append(String(decoding: bytes, as: UTF8.self))
      }
    }
    #expect(wrong.isEmpty)
  }
}
