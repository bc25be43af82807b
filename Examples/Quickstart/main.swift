// What an application does, from opening to the proof that its vendor has heard. The vendor is
// Braze's server from the emulator, in this process; an application has the endpoint and the key
// from its vendor.
import EngagementBraze
import EngagementCurl
import EngagementEmulator
import EngagementKit

let vendor = try await Emulator.start(.init(vendors: ["braze"]))
let (endpoint, key) = (vendor.endpoint(of: "braze"), Secret("demo"))
let device = Device(
  id: "installation-1", appID: "com.example.shop", appVersion: "1.0", system: "Linux",
  systemVersion: "12", locale: "en_US", timeZone: "Europe/Sofia")

// The README shows what follows, up to the mark.
let braze = try BrazeConfiguration(endpoint: endpoint, apiKey: key)
let engagement = try await Engagement.open(
  cache: .temporary, device: device, transport: CurlTransport(),  // or cache: .file(path)
  providers: [Provider("braze", BrazeAdapter(braze))],
  routes: Routes(cards: .only("braze"), inbox: .none),
  containers: ["home": ["braze": .extra("slot", is: "home")]])
let running = Task { try await engagement.run() }  // delivers until it is cancelled
try await engagement.signIn("u-1")
try await engagement.setConsent(.full)

let outcome = await engagement.refresh(.cards("home"))  // per provider: fresh, stale, failed …
let feed = engagement.cards(in: "home")  // from memory, without waiting
print("complete: \(outcome.isComplete), \(feed.cards.count) cards, \(feed.unreadCount) new")
for card in feed.cards { print("- \(card.kind): \(card.title ?? card.imageAlt ?? "")") }

let offer = feed.cards.first { $0.url != nil && $0.actions.dismiss } ?? feed.cards[0]
let receipts = [
  try await engagement.perform(.click, on: offer),  // accepted: survives a kill
  try await engagement.perform(.dismiss, on: offer),
]
print("seen now: \(engagement.cards(in: "home").cards.count) cards")
for receipt in receipts { print("delivered: \(await receipt.outcome == .delivered)") }
// The mark.

// Without a network the feed stays, and what is done is kept until there is one.
await vendor.setOffline(true)
let late = try await engagement.perform(.dismiss, on: dismissible())
print("without a network: \(await engagement.refresh(.cards("home")).isComplete), \(seen())")
await vendor.setOffline(false)
print("with it again: \(await late.outcome == .delivered), \(seen())")

for effect in await vendor.requests().flatMap(\.effects) where effect.name.hasPrefix("cc") {
  let titles = feed.cards.filter { $0.id.value == effect.subject }.compactMap(\.title)
  print("the vendor has \(effect.name) of \(titles) by \(effect.user)")
}
running.cancel()
try await engagement.close()
await vendor.stop()

func seen() -> String { "\(engagement.cards(in: "home").cards.count) cards are seen" }

func dismissible() -> Card {
  engagement.cards(in: "home").cards.first { $0.actions.dismiss } ?? feed.cards[0]
}
