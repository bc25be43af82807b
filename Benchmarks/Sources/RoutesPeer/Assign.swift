import BenchReport
import EngagementKit

/// The arms of so many people in an experiment with a layer and a hold-out.
func assign(_ people: Int) throws {
  let split = try Engagement.Split(
    "cards-2026",
    arms: [
      .init("a", providers: ["a"]), .init("b", weight: 2, providers: ["b"]),
      .init("none", providers: []),
    ], layer: .init("home", slots: 0..<9_000), holdOut: .init("all", share: 0.05))
  let ids = (0..<people).map { "user-\($0)" }

  let clock = Stopwatch()
  // How many people are held out, outside, and in each arm.
  var counts = [0, 0, 0, 0, 0]
  for id in ids {
    switch split.standing(of: id) {
    case .heldOut: counts[0] += 1
    case .outside: counts[1] += 1
    case .arm("a"): counts[2] += 1
    case .arm("b"): counts[3] += 1
    case _: counts[4] += 1
    }
  }
  var line = Line()
  line.add("all", clock.passed)
  line.add("all", rows: people, check: counts.reduce(0) { $0 * 31 + $1 })
  line.add("peak_kb", Kernel.peakKilobytes())
  line.print()
}
