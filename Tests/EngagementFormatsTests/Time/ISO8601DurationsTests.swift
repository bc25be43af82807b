import EngagementFormats
import TestSupport
import Testing

@Suite("ISO 8601 durations")
struct ISO8601DurationsTests {
  @Test(
    "a duration in fixed units is read",
    arguments: [
      ("PT3600S", .seconds(3_600)), ("P1D", .seconds(86_400)), ("PT30M", .seconds(1_800)),
      ("P1DT2H", .seconds(93_600)), ("P2W", .seconds(1_209_600)), ("PT0S", .zero),
      ("P0D", .zero), ("PT36H", .seconds(129_600)), ("PT1H30S", .seconds(3_630)),
      ("P1DT1H1M1S", .seconds(90_061)), ("PT0007S", .seconds(7)),
      ("PT0.25S", .milliseconds(250)), ("PT0,5H", .seconds(1_800)), ("P1.5D", .seconds(129_600)),
      ("P0.5W", .seconds(302_400)), ("PT1M0.001S", .milliseconds(60_001)),
      ("PT0.000000000000000001S", Duration(secondsComponent: 0, attosecondsComponent: 1)),
      ("PT0.0000000000000000019S", Duration(secondsComponent: 0, attosecondsComponent: 1)),
      ("-PT60S", .seconds(-60)), ("-P1DT0.5S", .milliseconds(-86_400_500)), ("-PT0S", .zero),
      ("PT9223372036854775807S", .seconds(Int64.max)),
      ("-PT9223372036854775807S", .seconds(-Int64.max)),
    ] as [(String, Duration)])
  func duration(_ text: String, _ duration: Duration) {
    #expect(ISO8601.duration(from: text) == duration)
    #expect(ISO8601.duration(from: Array(text.utf8).span.bytes) == duration)
  }

  @Test(
    "years and months are refused because their length varies",
    arguments: ["P1Y", "P1M", "P0Y", "P1Y2M3DT4H", "P0M"])
  func calendarUnits(_ text: String) {
    #expect(ISO8601.duration(from: text) == nil)
  }

  @Test(
    "A15: years and months are read apart from what has a fixed length",
    arguments: [
      ("P1M", 1, .zero), ("P7MT9M", 7, .seconds(540)), ("P0.5Y", 6, .zero), ("P0M", 0, .zero),
      ("P6Y5M4DT3H2M1S", 77, .seconds(356_521)), ("P1Y", 12, .zero), ("-P1M", -1, .zero),
      ("-P1MT1S", -1, .seconds(-1)), ("P2W", nil, .seconds(1_209_600)), ("PT1M", nil, .seconds(60)),
    ] as [(String, Int?, Duration)])
  func calendarDuration(_ text: String, _ months: Int?, _ rest: Duration) {
    let duration = ISO8601.calendarDuration(from: text)
    #expect(duration?.months == months && duration?.rest == rest)
  }

  @Test(
    "months out of order, parts of a month and weeks beside another unit give nil",
    arguments: [
      "P1M1Y", "P1D1M", "P0.5M", "P0.3Y", "P1.5Y1M", "P1Y1W", "P1M1W", "P1W1M", "PT1Y", "P",
      "P9223372036854775807Y",
    ])
  func noCalendarDuration(_ text: String) {
    #expect(ISO8601.calendarDuration(from: text) == nil)
  }

  @Test(
    "text that is not a duration gives nil",
    arguments: [
      "", "P", "PT", "-", "-P", "-PT", "P1", "PT1", "1D", "T1H", "3600", "PT3600", "P1DT", "P1H",
      "PT1D", "PT1W", "P1S", "PT1S1M", "PT1H1H", "P1DT1H1D", "P1D1D", "P1W1D", "P1WT1H", "PTT1S",
      "PT1HT1M", "PT1.5H30M", "PT1.5M1S", "PT.5S", "PT1.S", "PT1.5", "PT1..5S", "PT+1S", "PT-1S",
      "+PT1S", "--PT1S", " PT1S", "PT1S ", "PT1S\0", "pt1s", "P1d", "PT1e3S", "PT0x1S", "PT١S",
      "P0001-01-01T00:00:00", "P1DT12:00",
    ])
  func noDuration(_ text: String) {
    #expect(ISO8601.duration(from: text) == nil)
  }

  @Test(
    "more seconds than 64 bits hold give nil",
    arguments: [
      "PT9223372036854775808S", "PT9223372036854775807.1S", "PT1M9223372036854775807S",
      "P9223372036854775807W", "P9223372036854775807D", "PT99999999999999999999999999999S",
      "P106751991167300DT9223372036854775807S", "P15250284452472W", "-PT9223372036854775808S",
    ])
  func overflow(_ text: String) {
    #expect(ISO8601.duration(from: text) == nil)
  }

  @Test(
    "a duration is written exactly, in seconds",
    arguments: [
      (.seconds(3_600), "PT3600S"), (.zero, "PT0S"), (.milliseconds(250), "PT0.25S"),
      (.milliseconds(-60_500), "-PT60.5S"), (.seconds(-1), "-PT1S"), (.seconds(100), "PT100S"),
      (Duration(secondsComponent: 1, attosecondsComponent: 1), "PT1.000000000000000001S"),
      (Duration(secondsComponent: 0, attosecondsComponent: -1), "-PT0.000000000000000001S"),
      (.seconds(Int64.max), "PT9223372036854775807S"),
      (.seconds(Int64.max) + .seconds(Int64.max), "PT18446744073709551614S"),
      (.seconds(Int64.min) + .seconds(Int64.min), "-PT18446744073709551616S"),
    ] as [(Duration, String)])
  func text(_ duration: Duration, _ text: String) {
    #expect(ISO8601.text(of: duration) == text)
  }

  @Test("random durations survive a round trip")
  func roundTrip() {
    var random = SeededGenerator(seed: 6)
    let wrong = (0..<2_000).map { _ in
      Duration(
        secondsComponent: Int64.random(in: -1_000_000...1_000_000, using: &random),
        attosecondsComponent: Int64.random(in: 0..<1_000_000_000_000_000_000, using: &random))
    }.filter { ISO8601.duration(from: ISO8601.text(of: $0)) != $0 }
    #expect(wrong.isEmpty)
  }

  @Test("damaged duration text never traps")
  func damage() {
    var random = SeededGenerator(seed: 7)
    var count = 0
    for _ in 0..<5_000 {
      let bytes = random.damaged("P1DT2H30M9223372036854775800.5S")
      if let duration = ISO8601.duration(from: bytes.span.bytes) {
        // `components` traps on more.
        count += duration.components.seconds == 0 ? 0 : 1
      }
    }
    #expect(count > 0)
  }
}
