import BenchReport
import EngagementKit
import EngagementModel
import EngagementTesting
import FoundationEssentials

/// Starts a migration of the cards from the first vendor to the second one.
private func startMoving(_ engagement: Engagement, _ vendors: Vendors) async throws {
  let stages: [Engagement.MigrationStage] = [.canary(percent: 50), .cutover, .drain, .removed]
  try await engagement.startMigration(
    try Engagement.MigrationPlan(
      from: vendors.ids[0], to: vendors.ids[1], moves: [.init(.cards, stages: stages)]))
}

private func step(_ engagement: Engagement) async throws {
  try await engagement.advanceMigration(of: .cards, why: "measured", isForced: true)
}

/// A cache whose cards are shown by one vendor, or by one from which they move.
func fillMoving(_ folder: String, _ files: [String], isMoving: Bool) async throws {
  let vendors = Vendors(files)
  let engagement = try await filled(
    vendors, in: folder, routes: .init(cards: .only(vendors.ids[0]), inbox: .none))
  if isMoving {
    try await startMoving(engagement, vendors)
    try await step(engagement)
  }
  try await engagement.close()
}

/// The first screen of such a cache, out of the file and out of memory.
func screenMoving(_ folder: String) async throws {
  let vendors = Vendors(count: 2)
  let routes = Engagement.Routes(cards: .only(vendors.ids[0]), inbox: .none)
  var line = Line()
  let watch = Stopwatch()
  let reader = try EngagementReader.open(
    cache: .file("\(folder)/cache.sqlite"), providers: try vendors.providers, routes: routes,
    contentKeys: vendors.keys, clock: TestClock(Vendors.now))
  let first = try reader.cards(in: Vendors.home).cards.prefix(20)
  line.add("disk", watch.passed)
  line.add("disk", rows: first.count, check: 0)
  let engagement = try await vendors.open(in: folder, routes: routes)
  var (laps, check) = (Laps(), 0)
  for _ in 0..<1_001 {
    await laps.measure {
      for card in engagement.cards(in: Vendors.home).cards.prefix(20) {
        check &+= card.title?.utf8.count ?? 0
      }
    }
  }
  line.add("memory", laps.typical)
  line.add("memory", rows: 20, check: check > 0 ? 1 : 0)
  try await engagement.close()
  line.print()
}

/// A step of a migration, with a content key for each card that something was done to, until who observes
/// has the new cards; beside a reading of them.
func move(_ folder: String, _ files: [String]) async throws {
  let vendors = Vendors(files)
  let engagement = try await filled(
    vendors, in: folder, routes: .init(cards: .only(vendors.ids[0]), inbox: .none))
  try await engagement.setConsent(.full)
  for card in engagement.cards(in: Vendors.home).cards {
    try await engagement.perform(.impression, on: card)
  }
  try await startMoving(engagement, vendors)
  try await step(engagement)
  var updates = engagement.cardUpdates(in: Vendors.home).makeAsyncIterator()
  guard let before = await updates.next() else { throw Refused() }
  var line = Line()
  let watch = Stopwatch()
  try await step(engagement)
  var after: Engagement.CardFeed? = before
  while after?.cards.first?.id.provider != vendors.ids[1] { after = await updates.next() }
  line.add("step", watch.passed)
  line.add("step", rows: after?.cards.count ?? 0, check: before.cards.count)
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
