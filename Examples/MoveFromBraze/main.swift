// An application that used Braze's content cards, after its move: it subscribes, asks for a refresh,
// logs what the user does and changes the user. MIGRATION.md has each name that stood here before.
// The vendor's server is the emulator's, in this process.
import EngagementBraze
import EngagementCurl
import EngagementKit

let vendor = try await LocalBraze.start()

let key = Secret("the key of the application")
let engagement = try await Engagement.open(
  cache: .temporary,
  device: Device(
    id: "installation-1", appID: "com.example.shop", appVersion: "3.0", system: "Linux",
    systemVersion: "12", locale: "en_US", timeZone: "Europe/Sofia"),
  transport: CurlTransport(),
  providers: ["braze": .braze(endpoint: vendor.endpoint, apiKey: key)],
  routes: .init(cards: .only("braze"), inbox: .none))
let running = Task { try await engagement.run() }
try await engagement.signIn("ada", consent: .full)
// Instead of the observation of the application's phase by the vendor's client.
engagement.setScenePhase(.active)

// Instead of the notification, of the request for a refresh, and of the key that says whether it was
// successful: the present value first, then one for each change.
var feed = Engagement.CardFeed()
for await update in engagement.cardUpdates(in: "home") {
  feed = update
  print("shown: \(feed.cards.count) cards, \(feed.unreadCount) unread")
  guard feed.cards.isEmpty else { break }
  print("refreshed: \(await engagement.refresh(.cards(in: "home")).isComplete)")
}
for card in feed.cards {
  let texts = [card.title, card.text, card.linkText, card.urlText].compactMap(\.self)
  print("- \(card.id.value) \(card.kind)\(card.isPinned ? ", pinned" : ""): \(texts)")
}

// Instead of logging an impression, a click and a dismissal.
let actions: [(ItemAction, Int)] = [(.impression, 0), (.click, 1), (.click, 2), (.dismiss, 2)]
for (action, index) in actions where feed.cards.indices.contains(index) {
  let card = feed.cards[index]
  let receipt = try await engagement.perform(action, on: card)
  print("\(action.name) on \(card.id.value): \(try await receipt.outcome())")
}
print("the vendor was told: \(await vendor.told)")
let left = engagement.cards(in: "home")
print("left: \(left.cards.map(\.id.value)), \(left.unreadCount) unread")

// Instead of a view controller with a title and an unread indicator.
var presentation = Engagement.CardPresentation(title: "News", setting: .modal)
print("\(presentation.title ?? ""): \(presentation.unreadCount(in: left) ?? 0) unread")
presentation.showsUnread = false
print("without the indicator: \(presentation.unreadCount(in: left).map(String.init) ?? "none")")
presentation.close()

// Instead of a change of user.
try await engagement.signIn("grace")
print("another user, before a refresh: \(engagement.cards(in: "home").cards.count) cards")
_ = await engagement.refresh(.cards(in: "home"))
print("and after it: \(engagement.cards(in: "home").cards.compactMap(\.title))")

running.cancel()
try await engagement.close()
await vendor.stop()
