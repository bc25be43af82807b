// An application that used CleverTap's templates, inbox and pushes, after its move: it defines a template
// and a function, shows a campaign, reads the inbox, receives a push, and leaves. MIGRATION.md has each
// name that stood here before. The vendor's server is the emulator's, in this process.
import EngagementCleverTap
import EngagementCurl
import EngagementKit

let vendor = try await LocalCleverTap.start()

// Instead of CTInAppTemplateBuilder and CTAppFunctionBuilder: a wrong argument throws and is named.
let offer = try Template.template("offer")
  .string("title", default: "Hello")
  .dictionary("price", default: ["amount": 2.5, "currency": "EUR"])
  .file("picture")
  .action("more")
let rating = try Template.function("askForRating", isVisual: false).number("stars", default: 5)

// Instead of registerCustomInAppTemplates: they are known before anything starts.
let presenter = ShopPresenter()
let engagement = try await Engagement.open(
  cache: .temporary,
  device: Device(
    id: "installation-1", appID: "com.example.shop", appVersion: "3.0", system: "iOS",
    systemVersion: "18.1", locale: "en_US", timeZone: "Europe/Sofia"),
  transport: CurlTransport(),
  providers: [
    "clevertap": try .clevertap(
      accountID: "demo", token: Secret("demo"), endpoint: vendor.endpoint, definesTemplates: true)
  ],
  routes: .init(cards: .none, inbox: .only("clevertap")),
  templates: [
    "clevertap": [.template(offer, shownBy: presenter), .function(rating, runBy: presenter)]
  ],
  options: .init(presentations: .init(fileHosts: ["127.0.0.1"])))
let running = Task { try await engagement.run() }

/// Instead of a look into the log.
func tell(_ what: String, _ receipt: Engagement.Receipt) async throws {
  if case .delivered = try await receipt.outcome() { print("\(what): delivered") }
}

// Instead of onUserLogin and profilePush.
try await engagement.signIn("ada", consent: .full)
var ada = PersonUpdate()
ada.name = "Ada"
ada.custom = ["cups": 9]
try await tell("person", try await engagement.updatePerson(ada))

// Instead of the observation of the application's phase by the vendor's client.
engagement.setScenePhase(.active)

// Instead of syncCustomTemplates: an error says what the dashboard needs.
try await engagement.syncTemplates(with: "clevertap")
print("templates are known to the dashboard")

// Instead of fetchInApps and recordEvent.
print("campaigns: \(await engagement.refresh(.campaigns).isComplete)")
try await tell("9 cups", try await engagement.track("Coffee ordered", ["cups": 9]))
try await tell("10 cups", try await engagement.track("Coffee ordered", ["cups": 10]))

// Instead of a CTTemplateContext: the same values, and nil for a name that is not defined.
if let presentation = await presenter.next() {
  let values = presentation.values
  print("\(presentation.template.name): \(values.string("title") ?? "")")
  let price = values.dictionary("price") ?? [:]
  print("price: \(price["amount"]?.number ?? -1) \(price["currency"]?.string ?? "")")
  print("picture on this device: \(values.file("picture") != nil)")
  presentation.presented()
  // Instead of triggerActionNamed.
  presentation.trigger("more")
  if let function = await presenter.next() {
    print("\(function.template.name): \(function.values.number("stars") ?? 0) stars")
    function.presented()
    function.dismissed()
  }
  presentation.dismissed()
}

// Instead of initializeInbox, getAllInboxMessages, markReadInboxMessage and deleteInboxMessage.
print("inbox: \(await engagement.refresh(.inbox).isComplete)")
func show(_ feed: Engagement.InboxFeed) {
  print("messages: \(feed.messages.count), unread: \(feed.unreadCount)")
  for message in feed.messages {
    print("- \(message.subject ?? "")\(message.isRead ? ", read" : "")")
  }
}
show(engagement.inbox)
if let newest = engagement.inbox.messages.first, let oldest = engagement.inbox.messages.last {
  try await tell("read", try await engagement.perform(.read, on: newest))
  try await tell("deleted", try await engagement.perform(.delete, on: oldest))
}
show(engagement.inbox)

// Instead of setPushToken and handleNotificationWithData.
let token = PushRegistration(token: Secret("62171b3484ee"), service: .apns)
try await tell("push registered", try await engagement.registerPush(token))
let payload = try await vendor.push()
if let push = try await engagement.handlePush(payload)?.notification {
  print("push: \(push.title ?? ""), \(push.deepLinkText ?? "")")
  print("opened: \(try await engagement.handlePush(payload, phase: .opened) != nil)")
}

// The vendor's order of a change of user is kept: what the former person had is gone at once.
try await engagement.signIn("grace", consent: .full)
print("as grace: \(engagement.inbox.messages.count) messages")
_ = await engagement.refresh(.inbox)
print("and after a refresh: \(engagement.inbox.messages.count)")
_ = try await engagement.flush()
print("left cleanly: \(try await engagement.signOut().isClean)")
print("the vendor was told: \(await vendor.told)")

running.cancel()
try await engagement.close()
await vendor.stop()
