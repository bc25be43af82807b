// An application whose cards come from one vendor, and then from another one, without a release: what
// was done with the former vendor's cards still reaches it. Each vendor's server is an emulator's, in
// this process, so that one can be cut off alone.
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
let folder = FileManager.default.temporaryDirectory.appending(path: "switch-\(UUID().uuidString)")
let cache = Engagement.Cache.file(folder.appending(path: "cache.sqlite").path)
let providers: Engagement.Providers = [
  "braze": try .braze(endpoint: braze.endpoint(of: "braze"), apiKey: Secret("demo")),
  "orchard": try OrchardAdapter(
    endpoint: orchard.endpoint(of: "orchard"), key: Secret("demo"), provider: "orchard"),
]
// What this release of the application knows.
let routes = Engagement.Routes(cards: .only("braze"), inbox: .none)

let engagement = try await open()
try await engagement.signIn("u-1", consent: .full)
_ = await engagement.refresh(.cards)
try await switchVendors(engagement)
try await engagement.close()

// The next run keeps the route, and Braze gets its dismissal.
await braze.setOffline(false)
let later = try await open()
print("after a restart: \(words(later.cards(in: "home")))")
let report = try await later.flush(within: .seconds(30))
print("braze: \(report.providers["braze"], default: "nothing")")

// Back to what the release says: Braze's cards are there at once, from the cache.
try await later.resetRoute(for: .cards)
print("and back: \(words(later.cards(in: "home")))")

try await later.close()
await braze.stop()
await orchard.stop()
try FileManager.default.removeItem(at: folder)

func switchVendors(_ engagement: Engagement) async throws {
  // What a screen does that shows the cards.
  var updates = engagement.cardUpdates(in: "home").makeAsyncIterator()
  let before = await updates.next()
  print("observed: \(words(before))")

  // A dismissal that Braze cannot get now.
  await braze.setOffline(true)
  if let card = before?.cards.last { try await engagement.perform(.dismiss, on: card) }

  try await engagement.setRoute(.only("orchard"), for: .cards)
  print("observed: \(words(await updates.next()))")
  _ = await engagement.refresh(.cards)
  print("observed: \(words(await updates.next()))")
  print("still to be sent: \(try await engagement.pendingCounts)")
}

func open() async throws -> Engagement {
  try await Engagement.open(
    cache: cache, device: .current(appID: "com.example.shop", appVersion: "1.0"),
    transport: CurlTransport(), providers: providers, routes: routes,
    options: .init(loggers: []))
}

func words(_ feed: Engagement.CardFeed?) -> String {
  let cards = feed?.cards ?? []
  let vendors = Set(cards.map(\.id.provider.rawValue)).sorted()
  return cards.isEmpty ? "no card" : "\(cards.count) cards of \(vendors.joined(separator: ", "))"
}
