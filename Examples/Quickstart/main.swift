import EngagementBraze
// What an application does, from opening to the proof that its vendor has heard. The vendor is
// Braze's server from the emulator, in this process; an application has the endpoint and the key
// from its vendor.
import EngagementBrazeTools
import EngagementCurl
import EngagementEmulator
import EngagementKit
import EngagementVendors

let vendor = try await Emulator.start(.init([.braze]))
let (endpoint, key) = (vendor.endpoint(of: "braze"), Secret("demo"))

// The README shows what follows, up to the mark.
let engagement = try await Engagement.open(
  cache: .temporary,  // or .file(path)
  device: .current(appID: "com.example.shop", appVersion: "1.0"), transport: CurlTransport(),
  providers: ["braze": .braze(endpoint: endpoint, apiKey: key)],
  routes: .init(cards: .only("braze"), inbox: .none),
  containers: ["home": ["braze": .extra("slot", is: "home")]])
let running = Task { try await engagement.run() }  // sends actions until it is cancelled
try await engagement.signIn("u-1", consent: .full)
engagement.setScenePhase(.active)  // whenever the application's phase changes

let outcome = await engagement.refresh(.cards(in: "home"))  // per provider: fresh, stale, failed …
let feed = engagement.cards(in: "home")  // from memory, without waiting
print("complete: \(outcome.isComplete), \(feed.cards.count) cards, \(feed.unreadCount) new")
for card in feed.cards { print("- \(card.kind): \(card.title ?? card.imageAlt ?? "")") }

if let offer = feed.cards.first(where: { $0.url != nil && $0.actions.canDismiss }) {
  let receipts = [
    try await engagement.perform(.click, on: offer),  // accepted: survives a kill
    try await engagement.perform(.dismiss, on: offer),
  ]
  print("seen now: \(engagement.cards(in: "home").cards.count) cards")
  for receipt in receipts { print("delivered: \(try await receipt.outcome() == .delivered)") }
}
// The mark.

// Without a network the feed stays, and what is done is kept until there is one.
await vendor.setOffline(true)
let late = try await dismissOne()
print("without a network: \(await engagement.refresh(.cards(in: "home")).isComplete), \(seen())")
await vendor.setOffline(false)
print("with it again: \(try await late?.outcome() == .delivered), \(seen())")

for effect in await vendor.requests().flatMap(\.effects) where effect.name.hasPrefix("cc") {
  let titles = feed.cards.filter { $0.id.value == effect.subject }.compactMap(\.title)
  print("the vendor has \(effect.name) of \(titles) by \(effect.user)")
}
running.cancel()
try await engagement.close()
await vendor.stop()

func seen() -> String { "\(engagement.cards(in: "home").cards.count) cards are seen" }

func dismissOne() async throws -> Engagement.Receipt? {
  let cards = engagement.cards(in: "home").cards
  guard let card = cards.first(where: { $0.actions.canDismiss }) else { return nil }
  return try await engagement.perform(.dismiss, on: card)
}
