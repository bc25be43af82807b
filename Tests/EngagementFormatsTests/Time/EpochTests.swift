import EngagementFormats
import Foundation
import TestSupport
import Testing

@Suite("Epoch")
struct EpochTests {
  @Test(
    "whole milliseconds survive a round trip and equal Foundation's time",
    arguments: [
      0, 1, -1, 12, 999, -999, 1_562_771_215_012, -62_167_219_200_000, 253_402_300_799_999,
    ] as [Int64])
  func milliseconds(_ milliseconds: Int64) throws {
    let date = try #require(Epoch.date(milliseconds: milliseconds))
    #expect(Epoch.milliseconds(of: date) == milliseconds)
    #expect(date == Date(timeIntervalSince1970: Double(milliseconds) / 1_000))
  }

  @Test("random milliseconds of ten thousand years survive a round trip")
  func randomMilliseconds() {
    var random = SeededGenerator(seed: 1)
    let lost = (0..<10_000).map { _ in Int64.random(in: Epoch.range, using: &random) }
      .filter { Epoch.date(milliseconds: $0).flatMap(Epoch.milliseconds(of:)) != $0 }
    #expect(lost.isEmpty)
  }

  @Test(
    "milliseconds outside the years 0000–9999 give nil",
    arguments: [-62_167_219_200_001, 253_402_300_800_000, .min, .max] as [Int64])
  func outside(_ milliseconds: Int64) {
    #expect(Epoch.date(milliseconds: milliseconds) == nil)
  }

  @Test(
    "fractional seconds round to the nearest millisecond",
    arguments: [
      (1_562_771_215.012, 1_562_771_215_012), (0.0004, 0), (0.0006, 1), (-0.0006, -1), (5, 5_000),
      (-1.5, -1_500), (-62_167_219_200, -62_167_219_200_000),
    ] as [(Double, Int64)])
  func seconds(_ seconds: Double, _ milliseconds: Int64) throws {
    #expect(Epoch.date(seconds: seconds) == Epoch.date(milliseconds: milliseconds))
    #expect(Epoch.date(seconds: seconds) != nil)
  }

  @Test(
    "seconds that are not a valid time give nil",
    arguments: [
      .nan, .infinity, -.infinity, 1e300, -1e300, .greatestFiniteMagnitude, 253_402_300_800,
      -62_167_219_200.001,
    ] as [Double])
  func noSeconds(_ seconds: Double) {
    #expect(Epoch.date(seconds: seconds) == nil)
    #expect(Epoch.milliseconds(of: Date(timeIntervalSince1970: seconds)) == nil)
    #expect(Epoch.seconds(of: Date(timeIntervalSince1970: seconds)) == nil)
    #expect(Epoch.wholeSeconds(of: Date(timeIntervalSince1970: seconds)) == nil)
  }

  @Test("whole seconds survive a round trip")
  func wholeSeconds() throws {
    let date = try #require(Epoch.date(wholeSeconds: 1_562_771_215))
    #expect(Epoch.wholeSeconds(of: date) == 1_562_771_215)
  }

  @Test(
    "whole seconds outside the valid years give nil",
    arguments: [.min, .max, 253_402_300_800, 1_562_771_215_012] as [Int64])
  func noWholeSeconds(_ seconds: Int64) {
    #expect(Epoch.date(wholeSeconds: seconds) == nil)
  }

  @Test(
    "whole seconds round down on both sides of 1970",
    arguments: [(1_999, 1), (2_000, 2), (-1, -1), (-1_000, -1), (-1_001, -2)] as [(Int64, Int64)])
  func roundedDown(_ milliseconds: Int64, _ seconds: Int64) throws {
    let date = try #require(Epoch.date(milliseconds: milliseconds))
    #expect(Epoch.wholeSeconds(of: date) == seconds)
  }

  @Test("seconds with milliseconds print exactly")
  func fraction() throws {
    let date = try #require(Epoch.date(milliseconds: 1_562_771_215_012))
    #expect(Epoch.seconds(of: date)?.description == "1562771215.012")
  }
}
