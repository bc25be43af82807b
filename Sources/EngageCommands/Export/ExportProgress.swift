import EngagementKit
import EngagementModel

/// Says how far a long export is, how fast it is and how long it will take.
struct ExportProgress {
  private let sequences: ClosedRange<Int64>
  private let clock: any EngagementClock
  private let start: Duration
  private var shown: Duration

  private static let pause = Duration.milliseconds(200)

  /// - Parameter sequences: From the last event before the export to its last.
  init(over sequences: ClosedRange<Int64>, by clock: any EngagementClock) {
    (self.sequences, self.clock) = (sequences, clock)
    start = clock.uptime
    shown = start
  }

  mutating func reach(_ sequence: Int64, _ show: (Phrase) -> Void) {
    let now = clock.uptime
    guard now - shown >= Self.pause else { return }
    shown = now
    let done = Double(sequence - sequences.lowerBound)
    let rest = Double(sequences.upperBound - sequence)
    let rate = done / ((now - start) / .seconds(1))
    guard rate > 0, done + rest > 0 else { return }
    let percent = Int(done / (done + rest) * 100)
    show(
      "Exporting … \(percent) %, \(Int(rate)) events a second, \(Self.words(rest / rate)) left")
  }

  private static func words(_ seconds: Double) -> String {
    let seconds = Int(min(seconds.rounded(.up), 1e9))
    return seconds < 120 ? "\(seconds) s" : "\((seconds + 59) / 60) min"
  }
}
