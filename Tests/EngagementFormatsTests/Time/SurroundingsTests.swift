import EngagementFormats
import Foundation
import Testing

@Suite("The machine's zone and locale")
struct SurroundingsTests {
  /// Zone and locale belong to the process, so they are changed in one of its own. A zone needs
  /// no file in this notation; a locale that is not installed changes nothing.
  @Test("times read and print the same in any zone and locale")
  func foreignSurroundings() async {
    await #expect(processExitsWith: .success) {
      for zone in ["AAA-13:45", "BBB+11", "CCC0"] {
        for locale in ["ar_EG.UTF-8", "fa_IR.UTF-8", "th_TH.UTF-8", "tr_TR.UTF-8", "C"] {
          setenv("TZ", zone, 1)
          setenv("LC_ALL", locale, 1)
          tzset()
          setlocale(LC_ALL, "")
          var (noon, local) = (time_t(43_200), tm())
          localtime_r(&noon, &local)
          try #require((local.tm_hour == 12) == (zone == "CCC0"))

          let date = try #require(ISO8601.date(from: "2019-07-10T15:06:55.012+00:00"))
          try #require(date == Date(timeIntervalSince1970: 1_562_771_215.012))
          try #require(ISO8601.text(of: date) == "2019-07-10T15:06:55.012Z")
          try #require(
            ISO8601.text(of: date, as: .compactLocal(offset: 5_400)) == "2019-07-10T16:36:55+0130")
          try #require(ISO8601.day(from: "2019-07-10") == Epoch.date(wholeSeconds: 1_562_716_800))
          try #require(ISO8601.text(of: .milliseconds(1_500)) == "PT1.5S")
        }
      }
    }
  }
}
