import Testing

@testable import EngageCommands

/// What `engage cards snooze` takes as a time.
@Suite struct SnoozeTimeTests {
  @Test(
    "A15: a time to snooze has a unit, is in seconds, or is a duration of ISO 8601",
    arguments: [
      ("1h", 3_600), ("3600", 3_600), ("PT1H", 3_600), ("90s", 90), ("30m", 1_800),
      ("2d", 172_800), ("P1DT1S", 86_401),
    ])
  func taken(_ text: String, _ seconds: Int) {
    #expect(Command.snoozeSeconds(text) == seconds)
  }

  @Test(
    "A15: a time that is negative, too long or none is refused",
    arguments: [
      "", "h", "-1h", "-1", "-PT1S", "1.5h", "1w", "P1Y", "1 h", "+3", "99999999999d",
      "9223372036854775807", "PT3155760001S",
    ])
  func refused(_ text: String) {
    #expect(Command.snoozeSeconds(text) == nil)
  }
}
