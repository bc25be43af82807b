// CachePeer MODE FOLDER …: the cache through its public path; see each mode.
import BenchReport
import EngagementKit
import EngagementModel
import FoundationEssentials
import Glibc
import StoreBench

/// The bytes of a file; ends the program where there are none.
func bytes(of path: String) -> [UInt8] {
  guard let bytes = Kernel.bytes(of: path) else { exit(66) }
  return bytes
}

/// A new and empty folder.
func renew(_ folder: String) throws {
  try? FileManager.default.removeItem(atPath: folder)
  try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
}

/// Syncs once and adds what it took and what is there afterwards.
func sync(
  _ application: inout some Looking, _ file: String, as name: String, _ line: inout Line,
  peak: Bool = false
) async throws {
  await application.offer(bytes(of: file))
  let watch = Stopwatch()
  try await application.sync()
  line.add(name, watch.passed)
  if peak { line.add("peak_kb", Kernel.peakKilobytes()) }
  let contents = await application.contents
  line.add(name, rows: contents.rows, check: contents.check)
}

/// A new cache: everything, what changed, nothing new, and then looking at it.
func syncAll(in folder: String, _ first: String, _ second: String) async throws {
  try renew(folder)
  var line = Line()
  var application = try await Application(in: folder)
  try await sync(&application, first, as: "first", &line, peak: true)
  try await sync(&application, second, as: "second", &line)
  try await sync(&application, second, as: "unchanged", &line)
  line.add("snapshot_ms", snapshot(of: application))
  try await application.engagement.close()
  line.print()
}

/// A new cache of messages: everything, what changed, nothing new, and nothing new an hour later.
func syncInbox(in folder: String, _ first: String, _ second: String) async throws {
  try renew(folder)
  var line = Line()
  var inbox = try await Inbox(in: folder)
  try await sync(&inbox, first, as: "first", &line, peak: true)
  try await sync(&inbox, second, as: "second", &line)
  try await sync(&inbox, second, as: "unchanged", &line)
  inbox.rest()
  try await sync(&inbox, second, as: "rested", &line)
  try await inbox.engagement.close()
  line.print()
}

/// The median time for the first twenty cards that are shown.
func snapshot(of application: Application) -> Double {
  var (times, check) = ([Double](), 0)
  for _ in 0..<1_001 {
    let watch = ContinuousClock.now
    for card in application.shown.prefix(20) { check &+= card.title?.utf8.count ?? 0 }
    let time = ContinuousClock.now - watch
    times.append(Double(time.components.attoseconds) / 1e15)
  }
  guard check > 0 else { exit(70) }
  times.sort()
  return times[times.count / 2]
}

/// The cache of another process, which is there already: one list.
func resync(in folder: String, _ file: String, as name: String) async throws {
  var line = Line()
  var application = try await Application(
    in: folder, at: Application.now.addingTimeInterval(3_600))
  try await sync(&application, file, as: name, &line, peak: true)
  try await application.engagement.close()
  line.print()
}

func fill(_ folder: String, _ file: String) async throws {
  try renew(folder)
  var application = try await Application(in: folder)
  await application.offer(bytes(of: file))
  try await application.sync()
  try await application.engagement.close()
}

/// The first screen out of the file, as a process does that has just started, and then by another
/// reader in the same process, to which the runtime and the disk are warm.
func screen(in folder: String, _ count: Int) throws {
  let adapter = try Application.adapter()
  var line = Line()
  for name in ["screen", "again"] {
    let watch = Stopwatch()
    let cards = try StoreBench.firstCards(
      count, of: .anonymous, at: Application.cache(in: folder), from: Application.provider,
      by: adapter, at: Application.now)
    line.add(name, watch.passed)
    if name == "screen" { line.add("peak_kb", Kernel.peakKilobytes()) }
    line.add(name, rows: cards.count, check: check(of: cards))
  }
  line.print()
}

/// One action on each of so many cards.
func accept(in folder: String, _ file: String, _ count: Int) async throws {
  try renew(folder)
  var application = try await Application(in: folder)
  await application.offer(bytes(of: file))
  try await application.sync()
  try await application.engagement.setConsent(.full)
  let cards = application.shown.prefix(count)
  guard cards.count == count else { exit(65) }
  let engagement = application.engagement
  var laps = Laps()
  for card in cards { try await laps.measure { try await engagement.perform(.click, on: card) } }
  var line = Line()
  line.add("rows", laps.typical)
  line.add("count", count)
  line.add("peak_kb", Kernel.peakKilobytes())
  try await application.engagement.close()
  line.print()
}

let arguments = CommandLine.arguments.dropFirst()
switch (arguments.first, arguments.count) {
case ("sync", 4): try await syncAll(in: arguments[2], arguments[3], arguments[4])
case ("inbox", 4): try await syncInbox(in: arguments[2], arguments[3], arguments[4])
case ("second", 3): try await resync(in: arguments[2], arguments[3], as: "second")
case ("unchanged", 3): try await resync(in: arguments[2], arguments[3], as: "unchanged")
case ("fill", 3): try await fill(arguments[2], arguments[3])
case ("screen", 3): try screen(in: arguments[2], Int(arguments[3]) ?? 20)
case ("accept", 4): try await accept(in: arguments[2], arguments[3], Int(arguments[4]) ?? 100)
case ("append", 3): try await append(in: arguments[2], transactions: Int(arguments[3]) ?? 100)
default: exit(64)
}
