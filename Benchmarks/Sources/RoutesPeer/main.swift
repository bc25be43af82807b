// RoutesPeer MODE …: what routes over several vendors cost; see each mode.
import BenchReport
import EngagementKit
import EngagementModel
import EngagementTesting
import FoundationEssentials
import Glibc

/// The bytes of a file; ends the program where there are none.
func bytes(of path: String) -> [UInt8] {
  guard let bytes = Kernel.bytes(of: path) else { exit(66) }
  return bytes
}

/// A new cache with everything that the vendors list.
func filled(
  _ vendors: Vendors, in folder: String, keyed: Bool = true, routes: Engagement.Routes? = nil
) async throws -> Engagement {
  try? FileManager.default.removeItem(atPath: folder)
  try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  let engagement = try await vendors.open(
    in: folder, keyed: keyed, routes: .init(cards: .merge(vendors.ids), inbox: .none))
  guard await engagement.refresh(.cards(in: Vendors.home)).isComplete else { throw Refused() }
  if let routes { try await engagement.setRoute(routes.cards, for: .cards) }
  return engagement
}

/// A cache that other runs look at.
func fill(_ folder: String, _ files: [String]) async throws {
  try await filled(Vendors(files), in: folder).close()
}

/// The first screen of all vendors together: out of the file, as a process does that has just started, and
/// out of memory.
func screen(_ folder: String, of count: Int) async throws {
  let vendors = Vendors(count: count)
  var line = Line()
  let watch = Stopwatch()
  let reader = try EngagementReader.open(
    cache: .file("\(folder)/cache.sqlite"), providers: try vendors.providers,
    routes: vendors.routes, contentKeys: vendors.keys, clock: TestClock(Vendors.now))
  let first = try reader.cards(in: Vendors.home).cards.prefix(20)
  var check = first.reduce(0) { $0 + ($1.title?.utf8.count ?? 0) }
  line.add("disk", watch.passed)
  line.add("disk", rows: first.count, check: check)
  let engagement = try await vendors.open(in: folder)
  var laps = Laps()
  for _ in 0..<1_001 {
    await laps.measure {
      for card in engagement.cards(in: Vendors.home).cards.prefix(20) {
        check &+= card.title?.utf8.count ?? 0
      }
    }
  }
  line.add("memory", laps.typical)
  line.add("peak_kb", Kernel.peakKilobytes())
  try await engagement.close()
  line.print()
}

/// All vendors refreshed at once, each of which answers after so many milliseconds.
func refresh(_ folder: String, after delay: Int, _ files: [String]) async throws {
  let engagement = try await filled(
    Vendors(files, delay: .milliseconds(delay)), in: folder)
  var line = Line()
  let watch = Stopwatch()
  guard await engagement.refresh(.cards(in: Vendors.home)).isComplete else { throw Refused() }
  line.add("again", watch.passed)
  try await engagement.close()
  try? FileManager.default.removeItem(atPath: folder)
  try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  let new = try await Vendors(files, delay: .milliseconds(delay)).open(in: folder)
  let first = Stopwatch()
  guard await new.refresh(.cards(in: Vendors.home)).isComplete else { throw Refused() }
  line.add("first", first.passed)
  try await new.close()
  line.print()
}

/// Dismissals of cards of which the other vendor has copies, or of which no keys are known.
func dismiss(_ folder: String, keyed: Bool, _ files: [String]) async throws {
  let engagement = try await filled(Vendors(files), in: folder, keyed: keyed)
  try await engagement.setConsent(.full)
  let cards = engagement.cards(in: Vendors.home).cards.filter {
    $0.id.provider == Vendors.all[0] && $0.extras["content"]?.string?.hasPrefix("c-") == true
  }.prefix(40)
  guard cards.count == 40 else { exit(65) }
  var laps = Laps()
  for card in cards { try await laps.measure { try await engagement.perform(.dismiss, on: card) } }
  var line = Line()
  line.add("rows", laps.typical)
  try await engagement.close()
  line.print()
}

/// A switch between two vendors until who observes has the new cards, beside a reading of them.
func change(_ folder: String, _ files: [String]) async throws {
  let vendors = Vendors(files)
  let engagement = try await filled(
    vendors, in: folder, routes: .init(cards: .only(vendors.ids[0]), inbox: .none))
  var updates = engagement.cardUpdates(in: Vendors.home).makeAsyncIterator()
  guard let before = await updates.next() else { throw Refused() }
  var line = Line()
  let watch = Stopwatch()
  try await engagement.setRoute(.only(vendors.ids[1]), for: .cards)
  var after = await updates.next()
  while after?.cards.first?.id.provider != vendors.ids[1] { after = await updates.next() }
  let count = after?.cards.count ?? 0
  line.add("switch", watch.passed)
  line.add("switch", rows: count, check: before.cards.count)
  try await engagement.close()
  let reading = Stopwatch()
  let reader = try EngagementReader.open(
    cache: .file("\(folder)/cache.sqlite"), providers: try vendors.providers,
    routes: .init(cards: .only(vendors.ids[1]), inbox: .none), contentKeys: vendors.keys,
    clock: TestClock(Vendors.now))
  let read = try reader.cards(in: Vendors.home).cards
  line.add("read", reading.passed)
  line.add("read", rows: read.count, check: read.reduce(0) { $0 + ($1.title?.utf8.count ?? 0) })
  line.print()
}

let arguments = Array(CommandLine.arguments.dropFirst())
switch (arguments.first, arguments.count) {
case ("assign", 2): try assign(Int(arguments[1]) ?? 0)
case ("fill", 3...): try await fill(arguments[1], Array(arguments[2...]))
case ("screen", 3): try await screen(arguments[1], of: Int(arguments[2]) ?? 1)
case ("refresh", 4...):
  try await refresh(arguments[1], after: Int(arguments[2]) ?? 0, Array(arguments[3...]))
case ("dismiss", 4...):
  try await dismiss(arguments[1], keyed: arguments[2] == "keyed", Array(arguments[3...]))
case ("switch", 3...): try await change(arguments[1], Array(arguments[2...]))
case ("move", 3...): try await move(arguments[1], Array(arguments[2...]))
case ("fill-moving", 4...):
  try await fillMoving(arguments[1], Array(arguments[3...]), isMoving: arguments[2] == "moving")
case ("screen-moving", 2): try await screenMoving(arguments[1])
default: exit(64)
}
