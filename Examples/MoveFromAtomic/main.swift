// An application that used Atomic's action cards with screens of its own, after its move: it signs
// in with a token, observes a container, acts on cards, records an event, receives a push, and
// leaves. MIGRATION.md has each name that stood here before. The vendor's server is the emulator's,
// in this process.
import EngagementAtomic
import EngagementCurl
import EngagementKit

let vendor = try await LocalAtomic.start()

// Instead of setApiBaseUrl, initialise and enableDebugMode.
let logger = Engagement.LinesLogger(level: .warning) { print("log: \($0)") }
let engagement = try await Engagement.open(
  cache: .temporary,
  device: Device(
    id: "installation-1", appID: "com.example.shop", appVersion: "3.0", system: "iOS",
    systemVersion: "18.1", locale: "en_US", timeZone: "Europe/Sofia"),
  transport: CurlTransport(),
  providers: [
    "atomic": try .atomic(
      endpoint: vendor.endpoint, environmentID: "demo", apiKey: Secret("demo"))
  ],
  routes: .init(cards: .only("atomic"), inbox: .none),
  containers: ["home": ["atomic": .container("BqWL1sT")]], options: .init(loggers: [logger]))
let running = Task { try await engagement.run() }

/// Instead of the completion handler of each call.
func tell(_ what: String, _ receipt: Engagement.Receipt) async throws {
  if case .delivered = try await receipt.outcome() { print("\(what): delivered") }
}

// Instead of login and setSessionDelegate: it is asked for a token when one is needed.
try await engagement.signIn("ada", consent: .full) { _ in LocalAtomic.token }
engagement.setScenePhase(.active)

// Instead of observeStreamContainer: what is in memory first, and then each change. While a
// container is observed, the live channel is open, so nothing has to be refreshed.
let observing = Task { for await _ in engagement.cardUpdates(in: "home") {} }
func feed(of count: Int) async -> [Card] {
  let updates = engagement.cardUpdates(in: "home")
  return await updates.first { $0.cards.count == count }?.cards ?? []
}
func show(_ cards: [Card]) {
  for card in cards { print("- \(card.id.value): \(card.title ?? "")") }
}
show(await feed(of: 4))

// Instead of requestCardCountForStreamContainer.
let count = engagement.cardCount(in: "home")
print("cards: \(count.visible), unread: \(count.unread)")

try await vendor.sendLateCard()
print("and live: \(await feed(of: 5).last?.title ?? "")")

// Instead of onCardAction with an AACSessionCardAction: what the card offers decides what is drawn.
for card in engagement.cards(in: "home").cards {
  for button in card.buttons {
    guard case .submit(let name, var values) = button.action else { continue }
    values["guests"] = 2
    try await tell(
      "submitted \(button.text)",
      try await engagement.perform(.submit(button: name, values: values), on: card))
  }
  if card.actions.canDismiss {
    try await tell("dismissed", try await engagement.perform(.dismiss, on: card))
  }
  if card.actions.canSnooze {
    try await tell("snoozed", try await engagement.perform(.snooze(seconds: 3_600), on: card))
  }
  // Instead of AACCardVotingOptionNotUseful.
  if card.actions.canVoteDown {
    let vote = ItemAction.vote(useful: false, reason: .tooOften, message: nil)
    try await tell("voted", try await engagement.perform(vote, on: card))
  }
}
show(await feed(of: 2))

// Instead of send with an AACCustomEvent, and of updateUser.
try await tell("event", try await engagement.track("Coffee ordered", ["cups": 2]))
var ada = PersonUpdate()
ada.name = "Ada"
try await tell("person", try await engagement.updatePerson(ada))

// Instead of registerDevice and notificationFromPushPayload.
let token = PushRegistration(token: Secret("62171b3484ee"), service: .apns)
try await tell("push registered", try await engagement.registerPush(token))
if let push = try await engagement.handlePush(try await vendor.push(about: "stamps-1"))?
  .notification,
  let item = push.itemID
{
  print("push: \(push.title ?? ""), table \(push.detail["table"]?.integer ?? 0)")
  print("its card: \(engagement.card(ItemID("atomic", item))?.title ?? "")")
}
let other = try await engagement.handlePush(["aps": ["alert": "Another vendor's"]])
print("another vendor's push: \(other == nil ? "not taken" : "taken")")

// Instead of deregisterDeviceForNotifications and logout.
try await tell("push unregistered", try await engagement.unregisterPush())
print("left cleanly: \(try await engagement.signOut(within: .seconds(60)).isClean)")
print("cards of nobody: \(engagement.cards(in: "home").cards.count)")
print("the vendor was told: \(await vendor.told)")

observing.cancel()
running.cancel()
try await engagement.close()
await vendor.stop()
