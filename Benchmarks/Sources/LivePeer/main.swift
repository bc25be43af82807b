// LivePeer MODE …: Atomic through the library's public path; see each mode.
import BenchReport
import EngagementCurl
import EngagementKit
import EngagementModel
import EngagementTesting
import FoundationEssentials
import Glibc

/// A new and empty folder.
func renew(_ folder: String) throws {
  try? FileManager.default.removeItem(atPath: folder)
  try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
}

/// The monotonic clock in nanoseconds, which all processes of the machine share.
func monotonic() -> Int64 {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}

/// What the server adds to its times, so that all have as many digits.
let base: Int64 = 1_000_000_000_000_000_000

/// From the server's send to the feed with the change in an observer's hands, which the cache has by then:
/// so many messages with one changed card, then so many with all.
func updates(in folder: String, from port: String, _ ones: Int, _ hundreds: Int) async throws {
  try renew(folder)
  let engagement = try await Application.open(
    in: folder, at: "http://127.0.0.1:\(port)", over: CurlTransport(),
    Engagement.SystemClock())
  let running = Task { try await engagement.run() }
  var (one, hundred) = (Delays(), Delays())
  var watch = Stopwatch()
  for await feed in engagement.cardUpdates(in: Application.home) {
    let now = monotonic()
    let sent = feed.cards.compactMap { $0.metadata["sent"]?.integer }
    guard let newest = sent.max() else { continue }
    let delay = Double(now - (newest - base)) / 1e6
    let isWhole = sent.allSatisfy { $0 == newest }
    if isWhole, one.count == 0 {
      // The first feed.
      watch = Stopwatch()
      continue
    }
    if isWhole { hundred.add(delay) } else { one.add(delay) }
    // A message may have met an observer that was still busy with the one before.
    if hundred.count >= hundreds * 9 / 10 { break }
  }
  var line = Line()
  one.report("one", &line)
  hundred.report("hundred", &line)
  line.add("all_cpu_ms", watch.passed.cpu)
  running.cancel()
  try await running.value
  try await engagement.close()
  line.print()
}

/// Delays in milliseconds.
struct Delays {
  private var times: [Double] = []

  var count: Int { times.count }

  mutating func add(_ time: Double) { times.append(time) }

  func report(_ name: String, _ line: inout Line) {
    let sorted = times.sorted()
    guard !sorted.isEmpty else { return }
    line.add("\(name)_ms", sorted[sorted.count / 2])
    line.add("\(name)_p99_ms", sorted[sorted.count * 99 / 100])
    line.add("\(name)_count", sorted.count)
  }
}

/// A new cache of action cards: everything, then what changed.
func feed(in folder: String, _ first: String, _ second: String) async throws {
  try renew(folder)
  var line = Line()
  var reading = try await Reading(in: folder)
  for (name, path) in [("first", first), ("second", second)] {
    guard let bytes = Kernel.bytes(of: path) else { exit(66) }
    await reading.offer(bytes)
    let watch = Stopwatch()
    try await reading.refresh()
    line.add(name, watch.passed)
    if name == "first" { line.add("peak_kb", Kernel.peakKilobytes()) }
    let cards = reading.shown
    line.add(name, rows: cards.count, check: check(of: cards))
  }
  try await reading.close()
  line.print()
}

/// The bytes of the texts that both peers store, the times and the priorities.
func check(of cards: [Card]) -> Int {
  cards.reduce(0) { sum, card in
    let texts = [card.id.value, card.title, card.text, card.imageURLText]
    let times = [card.createdAt, card.updatedAt, card.activeAt].map {
      Int((($0?.timeIntervalSince1970 ?? 0) * 1_000).rounded())
    }
    return sum + texts.reduce(0) { $0 + ($1?.utf8.count ?? 0) } + times.reduce(0, +)
      + (card.priority ?? 0)
  }
}

let arguments = CommandLine.arguments.dropFirst()
switch (arguments.first, arguments.count) {
case ("updates", 5):
  try await updates(
    in: arguments[2], from: arguments[3], Int(arguments[4]) ?? 0, Int(arguments[5]) ?? 0)
case ("idle", 3): try await idle(in: arguments[2], from: arguments[3], isLive: true)
case ("resting", 3): try await idle(in: arguments[2], from: arguments[3], isLive: false)
case ("socket", 2): try await socket(from: arguments[2])
case ("nothing", 2): await nothing()
case ("feed", 4): try await feed(in: arguments[2], arguments[3], arguments[4])
default: exit(64)
}
