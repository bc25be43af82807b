// An application whose cards come from one vendor, and from another one while the first fails. Each
// vendor's server is an emulator's, in this process, so that one can be cut off alone.
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
let folder = FileManager.default.temporaryDirectory.appending(path: "failover-\(UUID().uuidString)")
let cache = Engagement.Cache.file(folder.appending(path: "cache.sqlite").path)
let providers: Engagement.Providers = [
  "braze": try .braze(endpoint: braze.endpoint(of: "braze"), apiKey: Secret("demo")),
  "orchard": try OrchardAdapter(
    endpoint: orchard.endpoint(of: "orchard"), key: Secret("demo"), provider: "orchard"),
]

// Two failures within five minutes, and no cool-down, so that the example does not wait.
let failOver = try Engagement.FailOver(failures: 2, coolDown: .zero, returning: .byHand)
let routes = Engagement.Routes(cards: .firstReady(["braze", "orchard"], failOver), inbox: .none)

let engagement = try await open()
try await engagement.signIn("u-1", consent: .full)
print(await engagement.refresh(.cards))
print(shown(by: engagement))

await braze.setOffline(true)
for _ in 1...2 {
  let outcome = await engagement.refresh(.cards)
  let answered = outcome.providers.filter { $0.value.error == nil }.keys.sorted()
  print("answered: \(answered.map(\.rawValue)), \(shown(by: engagement))")
}
await refuseReturn(engagement)
try await engagement.close()

// The next run shows the same vendor's cards, before anything is asked.
let later = try await open()
print("after a restart: \(shown(by: later))")
await braze.setOffline(false)
try await later.returnToFirstChoice(of: .cards)
print("by hand: \(shown(by: later))")

let reader = try EngagementReader.open(cache: cache, providers: providers, routes: routes)
for event in try reader.events() where event.kind == .providerFallback {
  let words = ["outcome", "from", "to", "reason"].map { event.properties[$0]?.string ?? "" }
  print("\(words[0]) from \(words[1]) to \(words[2]): \(words[3])")
}
try await later.close()
await braze.stop()
await orchard.stop()
try FileManager.default.removeItem(at: folder)

func open() async throws -> Engagement {
  try await Engagement.open(
    cache: cache, device: .current(appID: "com.example.shop", appVersion: "1.0"),
    transport: CurlTransport(), providers: providers, routes: routes,
    options: .init(loggers: []))
}

func shown(by engagement: Engagement) -> String {
  let cards = engagement.cards(in: "home").cards
  let vendors = Set(cards.map(\.id.provider.rawValue)).sorted()
  return "\(cards.count) cards of \(vendors.joined(separator: ", "))"
}

func refuseReturn(_ engagement: Engagement) async {
  do {
    try await engagement.returnToFirstChoice(of: .cards)
  } catch {
    print("not back yet: \(error.code)")
  }
}
