// CampaignPeer MODE …: campaigns through the engine, the library and the files; see each mode.
import BenchReport
import CampaignBench
import EngagementCurl
import EngagementKit
import EngagementModel
import EngagementTesting
import FoundationEssentials
import Glibc

/// One event after the other against all campaigns, in memory.
func evaluate(campaigns: Int, events: Int) {
  let engine = CampaignBench.Engine(
    (0..<campaigns).map(WorkSet.campaign), inSession: 2, presentations: WorkSet.presentations)
  let clock = Stopwatch()
  var check = 0
  for number in 0..<events {
    let found = engine.evaluate(WorkSet.occurrence(number), at: WorkSet.now)
    check += found.fired * 31 + found.eligible * 7 + (found.due.flatMap { Int($0.value) } ?? 0)
  }
  var line = Line()
  line.add("one", clock.passed, of: events)
  line.add("one", rows: events, check: check)
  line.add("peak_kb", Kernel.peakKilobytes())
  line.print()
}

/// Events of an application with so many campaigns in its cache, each durable before the next.
func track(in folder: String, campaigns: Int, events: Int) async throws {
  let application = try await Application(in: folder)
  try await application.know(campaigns)
  var laps = Laps()
  for number in 0..<events {
    let properties = WorkSet.occurrence(number).properties
    try await laps.measure { try await application.engagement.track("bought", properties) }
  }
  var line = Line()
  line.add("one", laps.typical)
  line.add("peak_kb", Kernel.peakKilobytes())
  try await application.engagement.close()
  line.print()
}

/// From an answer with one due campaign to the presenter's call, and from an answer with one message to
/// the inbox that has it.
func present(in folder: String, times: Int) async throws {
  let application = try await Application(in: folder)
  let running = Task { try await application.engagement.run() }
  var (campaigns, messages) = (Laps(), Laps())
  for number in 0..<times {
    // The vendor lets its inbox be read every five minutes.
    application.clock.advance(by: .seconds(301))
    try await campaigns.measure { try await application.present(number) }
    try await messages.measure { try await application.list(number) }
  }
  var line = Line()
  line.add("present", campaigns.typical)
  line.add("list", messages.typical)
  line.add("count", application.presenter.count)
  line.add("peak_kb", Kernel.peakKilobytes())
  running.cancel()
  try await running.value
  try await application.engagement.close()
  line.print()
}

/// Files of one size, all asked for at once, and each durable.
func fetch(into folder: String, from url: String, count: Int, size: Int) async throws {
  try renew(folder)
  let files = try CampaignBench.Files(folder, fileBytes: 1 << 30, over: CurlTransport())
  // The first file makes the folder and begins the library's threads; each peer fetches one before.
  _ = try await files.fetch("\(url)/\(1_000)/first.png")
  let (before, clock) = (Kernel.residentKilobytes(), Stopwatch())
  let bytes = try await withThrowingTaskGroup(of: Int.self) { group in
    for number in 0..<count {
      group.addTask { try await files.fetch("\(url)/\(size)/\(number).png") }
    }
    return try await group.reduce(0, +)
  }
  var line = Line()
  line.add("all", clock.passed)
  line.add("all", rows: count, check: bytes)
  line.add("growth_kb", Kernel.peakKilobytes() - before)
  line.add("peak_kb", Kernel.peakKilobytes())
  line.print()
}

/// A new and empty folder.
func renew(_ folder: String) throws {
  try? FileManager.default.removeItem(atPath: folder)
  try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
}

let arguments = CommandLine.arguments.dropFirst()
let numbers = arguments.compactMap { Int($0) }
switch (arguments.first, arguments.count, numbers.count) {
case ("evaluate", 3, 2): evaluate(campaigns: numbers[0], events: numbers[1])
case ("track", 4, 2):
  try await track(in: arguments[2], campaigns: numbers[0], events: numbers[1])
case ("present", 3, 1): try await present(in: arguments[2], times: numbers[0])
case ("fetch", 5, 2):
  try await fetch(into: arguments[2], from: arguments[3], count: numbers[0], size: numbers[1])
default: exit(64)
}
