import BenchReport
import EngagementBraze
import EngagementHTTP
import EngagementKit
import EngagementModel
import Glibc

// What events come to, counted from the beginning, then known: `PEER CACHE`.
guard CommandLine.arguments.count == 2 else { exit(64) }
try await measure(CommandLine.arguments[1])

private func measure(_ cache: String) async throws {
  unlink("\(cache)-rollup")
  var (counting, kept, known) = (Laps(), Laps(), Laps())
  var totals: [Engagement.EventTotals] = []
  let first = try reader(of: cache)
  try await counting.measure { totals = try first.eventTotals() }
  // Another process finds beside the cache what was counted.
  for _ in 0..<100 {
    let other = try reader(of: cache)
    try await kept.measure { totals = try other.eventTotals() }
  }
  for _ in 0..<100 { try await known.measure { totals = try first.eventTotals() } }
  var line = Line()
  line.add("counting", counting.typical)
  line.add("kept", kept.typical)
  line.add("known", known.typical)
  line.add("events", totals.flatMap(\.kinds).reduce(0) { $0 + $1.events })
  line.add("peak_kb", Kernel.peakKilobytes())
  line.print()
}

private func reader(of cache: String) throws -> EngagementReader {
  let braze = BrazeAdapter(
    try BrazeConfiguration(endpoint: "https://sdk.example.com", apiKey: Secret("key")))
  return try EngagementReader.open(
    cache: .file(cache), providers: ["braze": braze],
    routes: Engagement.Routes(cards: .only("braze"), inbox: .none))
}
