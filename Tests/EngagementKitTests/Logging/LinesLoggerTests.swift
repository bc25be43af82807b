import EngagementModel
import Testing

@testable import EngagementKit

@Suite struct LinesLoggerTests {
  private func lines(_ level: LogLevel, _ lines: LogLine...) -> [String] {
    let written = Locked<[String]>([])
    let logger = LinesLogger(level: level) { line in written.withLock { $0.append(line) } }
    for line in lines { logger.log(line) }
    return written.withLock { $0 }
  }

  @Test(
    "V10: a logger writes lines of its level and above, and none when it is off",
    arguments: LogLevel.allCases)
  func levels(level: LogLevel) {
    let all = LogLevel.allCases.filter { $0 != .off }
    let written = all.flatMap { lines(level, LogLine($0, "done")) }
    #expect(written == all.filter { $0 >= level && level != .off }.map { "\($0) done" })
  }

  @Test("V10: a line names its provider")
  func provider() {
    #expect(lines(.info, LogLine(.info, "done", provider: "braze")) == ["info braze: done"])
  }

  @Test(
    "G18: a logger escapes line breaks and control characters",
    arguments: [
      ("a\nb", "a\\u{a}b"), ("a\r\nb", "a\\u{d}\\u{a}b"), ("\u{1b}[31m", "\\u{1b}[31m"),
      ("\u{202e}x", "\\u{202e}x"), ("\u{2028}x", "\\u{2028}x"), ("é 👋", "é 👋"),
    ])
  func plain(text: String, written: String) {
    #expect(lines(.verbose, LogLine(.info, text)) == ["info \(written)"])
  }

  @Test("V10: each logger has its own level, and an unwanted message is not built")
  func several() {
    let (all, few) = (Locked(0), Locked(0))
    let log = Log(loggers: [
      LinesLogger(level: .verbose) { _ in all.withLock { $0 += 1 } },
      LinesLogger(level: .warning) { _ in few.withLock { $0 += 1 } },
    ])
    log(.info, "one")
    log(.error, "two")
    #expect(all.withLock { $0 } == 2 && few.withLock { $0 } == 1)
    let made = Locked(0)
    func message() -> String {
      made.withLock { $0 += 1 }
      return "three"
    }
    Log(loggers: [LinesLogger(level: .off) { _ in }])(.error, message())
    #expect(made.withLock { $0 } == 0)
  }
}
