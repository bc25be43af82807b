import EngagementFormats
import Foundation
import TestSupport
import Testing

@Suite("Writing ISO 8601 times")
struct ISO8601WritingTests {
  private static let autumn: Int64 = 1_790_845_200_000

  @Test(
    "a time is written in the requested style",
    arguments: [
      (autumn, .utc, "2026-10-01T09:00:00.000Z"),
      (autumn + 7, .utc, "2026-10-01T09:00:00.007Z"),
      (autumn, .day, "2026-10-01"),
      (autumn, .local(offset: 46_800), "2026-10-01T22:00:00.000+13:00"),
      (autumn, .local(offset: 0), "2026-10-01T09:00:00.000+00:00"),
      (autumn, .local(offset: -12_600), "2026-10-01T05:30:00.000-03:30"),
      (autumn, .local(offset: -1_800), "2026-10-01T08:30:00.000-00:30"),
      (autumn, .local(offset: 86_340), "2026-10-02T08:59:00.000+23:59"),
      (autumn, .compactLocal(offset: 46_800), "2026-10-01T22:00:00+1300"),
      (autumn + 999, .compactLocal(offset: -34_200), "2026-09-30T23:30:00-0930"),
      (-1, .compactLocal(offset: 0), "1969-12-31T23:59:59+0000"),
      (-1, .utc, "1969-12-31T23:59:59.999Z"),
      (-1, .day, "1969-12-31"),
      (-62_167_219_200_000, .utc, "0000-01-01T00:00:00.000Z"),
      (-62_167_219_200_000, .local(offset: 60), "0000-01-01T00:01:00.000+00:01"),
      (253_402_300_799_999, .utc, "9999-12-31T23:59:59.999Z"),
      (253_402_300_799_999, .local(offset: -60), "9999-12-31T23:58:59.999-00:01"),
    ] as [(Int64, ISO8601.Style, String)])
  func styles(_ milliseconds: Int64, _ style: ISO8601.Style, _ text: String) throws {
    let date = try #require(Epoch.date(milliseconds: milliseconds))
    #expect(ISO8601.text(of: date, as: style) == text)

    var bytes = Array(">".utf8)
    #expect(ISO8601.append(date, as: style, to: &bytes))
    #expect(String(decoding: bytes, as: UTF8.self) == ">" + text)

    let written = [UInt8](capacity: 29) { output in
      #expect(ISO8601.write(milliseconds: milliseconds, as: style, to: &output))
    }
    #expect(String(decoding: written, as: UTF8.self) == text)
  }

  @Test(
    "leftover seconds of an offset change neither the instant nor the form",
    arguments: [
      (1_172, "1890-01-01T00:19:00.000+00:19"), (-1_172, "1889-12-31T23:41:00.000-00:19"),
      (59, "1890-01-01T00:00:00.000+00:00"), (-59, "1890-01-01T00:00:00.000+00:00"),
    ])
  func oddSeconds(_ offset: Int, _ text: String) throws {
    let date = try #require(ISO8601.date(from: "1890-01-01T00:00:00Z"))
    #expect(ISO8601.text(of: date, as: .local(offset: offset)) == text)
    #expect(ISO8601.date(from: text) == date)
  }

  @Test(
    "a fraction of a millisecond rounds to the nearest, even into the next year",
    arguments: [
      (0.0124, "1970-01-01T00:00:00.012Z"), (0.0126, "1970-01-01T00:00:00.013Z"),
      (-0.0001, "1970-01-01T00:00:00.000Z"), (31_535_999.9996, "1971-01-01T00:00:00.000Z"),
    ])
  func rounding(_ seconds: Double, _ text: String) {
    #expect(ISO8601.text(of: Date(timeIntervalSince1970: seconds)) == text)
  }

  @Test(
    "a time outside four-digit years is not written",
    arguments: [
      .nan, .infinity, -.infinity, .greatestFiniteMagnitude, -.greatestFiniteMagnitude,
      253_402_300_800, 253_402_300_799.9999, -62_167_219_200.001,
    ] as [Double])
  func outside(_ seconds: Double) {
    let date = Date(timeIntervalSince1970: seconds)
    #expect(ISO8601.text(of: date) == nil)
    #expect(ISO8601.text(of: date, as: .compactLocal(offset: 46_800)) == nil)

    var bytes: [UInt8] = []
    #expect(!ISO8601.append(date, to: &bytes))
    #expect(bytes.isEmpty)
  }

  @Test("a local time outside the years 0000–9999 is not written")
  func outsideLocally() throws {
    let first = try #require(Epoch.date(milliseconds: Epoch.range.lowerBound))
    let last = try #require(Epoch.date(milliseconds: Epoch.range.upperBound))
    #expect(ISO8601.text(of: first, as: .local(offset: -60)) == nil)
    #expect(ISO8601.text(of: last, as: .local(offset: 60)) == nil)
  }

  @Test(
    "a time with an offset of a day or more is not written",
    arguments: [86_400, -86_400, .max, .min])
  func largeOffset(_ offset: Int) {
    let date = Date(timeIntervalSince1970: 0)
    #expect(ISO8601.text(of: date, as: .local(offset: offset)) == nil)
    #expect(ISO8601.text(of: date, as: .compactLocal(offset: offset)) == nil)
  }

  @Test(
    "a buffer that is too small or an invalid time gets no text", arguments: [Int64.min, 0, .max])
  func noRoom(_ milliseconds: Int64) {
    let written = [UInt8](capacity: 28) { output in
      #expect(!ISO8601.write(milliseconds: milliseconds, to: &output))
    }
    #expect(written.isEmpty)
  }

  @Test("random times survive a round trip in every style with milliseconds")
  func roundTrip() {
    var random = SeededGenerator(seed: 5)
    let day: Int64 = 86_400_000
    let inner = Epoch.range.lowerBound + day...Epoch.range.upperBound - day
    var wrong: [Int64] = []
    for _ in 0..<3_000 {
      let milliseconds = Int64.random(in: inner, using: &random)
      let offset = Int.random(in: -86_399...86_399, using: &random)
      guard let date = Epoch.date(milliseconds: milliseconds) else { continue }
      for style in [.utc, .local(offset: offset)] as [ISO8601.Style]
      where ISO8601.text(of: date, as: style).flatMap(ISO8601.date(from:)) != date {
        wrong.append(milliseconds)
      }
    }
    #expect(wrong.isEmpty)
  }
}
