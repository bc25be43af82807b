// An application whose cards move from one vendor to another in stages: planned, looked at, taken back once,
// and moved to the end. Each vendor's server is an emulator's, in this process, so that one can be cut off
// alone.
import EngagementBraze
import EngagementBrazeTools
import EngagementCurl
import EngagementEmulator
import EngagementKit
import EngagementModel
import EngagementVendors
import Foundation
import Orchard

let braze = try await Emulator.start(.init([.braze]))
let orchard = try await Emulator.start(.init([.orchard]))
let folder = FileManager.default.temporaryDirectory.appending(path: "move-\(UUID().uuidString)")
let engagement = try await Engagement.open(
  cache: .file(folder.appending(path: "cache.sqlite").path),
  device: .current(appID: "com.example.shop", appVersion: "1.0"), transport: CurlTransport(),
  providers: [
    "braze": try .braze(endpoint: braze.endpoint(of: "braze"), apiKey: Secret("demo")),
    "orchard": try OrchardAdapter(
      endpoint: orchard.endpoint(of: "orchard"), key: Secret("demo"), provider: "orchard"),
  ], routes: .init(cards: .only("braze"), inbox: .none), options: .init(loggers: []))
let running = Task { try await engagement.run() }
try await engagement.signIn("u-1", consent: .full)
_ = await engagement.refresh(.cards)

// What would be done, stage by stage. Nothing has moved yet.
let plan = try await engagement.proposeMigration(
  from: "braze", to: "orchard", surfaces: [.cards], shares: [20])
print("stages: \(try await engagement.routes(of: plan).map(\.stage.words).joined(separator: ", "))")
try await engagement.startMigration(plan)

// A shadow that was not compared often enough holds the move, until somebody has a reason.
try await step()
_ = await engagement.refresh(.cards)
try await engagement.compareShadows()
do {
  try await engagement.advanceMigration(of: .cards)
} catch {
  print("refused: \(error.code)")
}
try await step(why: "both vendors have other cards in this example")
try await step(why: "this application has one user")
_ = await engagement.refresh(.cards)
print("shown: \(words())")

// Back to where it was, with what the user had.
try await engagement.takeBackMigration(of: .cards, to: .off, by: "example", why: "to show it")
print("back at off: \(words())")

// To the end. A dismissal that Braze cannot get now holds the drain.
await braze.setOffline(true)
let dismissed = try await dismissLast()
for _ in 0..<4 { try await step(why: "the second time") }
print("shown: \(words())")
do {
  try await engagement.advanceMigration(of: .cards)
} catch {
  print("\(error.message)")
}
await braze.setOffline(false)
print("braze: \(try await dismissed.outcome())")
try await step()
let moves = try await engagement.events().filter { $0.kind == .migrationStepped }
print("steps in the event log: \(moves.count)")

try await engagement.close()
try await running.value
await braze.stop()
await orchard.stop()
try FileManager.default.removeItem(at: folder)

/// Moves the cards one stage on, also if gates do not hold where there is a reason.
func step(why: String? = nil) async throws {
  try await engagement.advanceMigration(
    of: .cards, by: "example", why: why, isForced: why != nil)
  if let status = try await engagement.migrations().first { print("now: \(status.stage.words)") }
}

func dismissLast() async throws -> Engagement.Receipt {
  guard let card = engagement.cards(in: "home").cards.last else {
    throw EngagementError(.notFound, "There is no card.")
  }
  return try await engagement.perform(.dismiss, on: card)
}

func words() -> String {
  let cards = engagement.cards(in: "home").cards
  let vendors = Set(cards.map(\.id.provider.rawValue)).sorted()
  return cards.isEmpty ? "no card" : "\(cards.count) cards of \(vendors.joined(separator: ", "))"
}
