// An application that used Vibes's push and inbox, after its move: it registers, receives a push,
// looks at the person and the inbox, and leaves. MIGRATION.md has each name that stood here before.
// The vendor's server is the emulator's, in this process.
import EngagementCurl
import EngagementKit
import EngagementVibes

let vendor = try await LocalVibes.start()

// Instead of configure and a delegate: one value, and an outcome for each call.
let logger = Engagement.LinesLogger(level: .warning) { print("log: \($0)") }
let vibes = try VibesConfiguration(
  appID: "club", endpoint: vendor.endpoint, reporting: [.launch, .open, .receive, .click])
let engagement = try await Engagement.open(
  cache: .temporary,
  device: Device(
    id: "installation-1", appID: "com.example.club", appVersion: "3.0", system: "iOS",
    systemVersion: "18.1", locale: "en_US", timeZone: "Europe/Sofia"),
  transport: CurlTransport(), providers: ["vibes": .vibes(vibes)],
  routes: .init(cards: .none, inbox: .only("vibes")), options: .init(loggers: [logger]))
let running = Task { try await engagement.run() }
logger.log(Engagement.LogLine(.warning, "a line of the application's own"))

/// Instead of the delegate's method for each call.
func tell(_ what: String, _ receipt: Engagement.Receipt) async throws {
  if case .delivered = try await receipt.outcome() { print("\(what): delivered") }
}

// Instead of registerDevice, and of an association by the client: a device is registered when the
// first call needs one, and tied to who signs in.
try await engagement.signIn("ada", consent: .full)

// Instead of the observation of the application's phase by the vendor's client.
engagement.setScenePhase(.active)

// Instead of setPushToken and registerPush.
let token = PushRegistration(token: Secret("62171b3484ee"), service: .apns)
try await tell("push registered", try await engagement.registerPush(token))

// Instead of updateDevice.
try await tell("device updated", try await engagement.updateDevice())

// Instead of getPerson.
_ = await engagement.refresh(.person)
print("person: \(try await engagement.person(at: "vibes")?.externalID ?? "none")")

// Instead of fetchInboxMessages.
print("refreshed: \(await engagement.refresh(.inbox).isComplete)")
func show(_ feed: Engagement.InboxFeed) {
  print("inbox: \(feed.messages.count) messages, \(feed.unreadCount) unread")
  for message in feed.messages {
    print("- \(message.id.value) \(message.subject ?? "")\(message.isRead ? ", read" : "")")
  }
}
show(engagement.inbox)
let stamp = engagement.inbox.messages.first { $0.collapseKey != nil }
if let stamp {
  print(
    [stamp.detailURLText, stamp.iconURLText, stamp.collapseKey, stamp.custom["kind"]?.string].map {
      $0 ?? ""
    })
}

// Instead of receivedPush, of a look for the deep link and of fetchInboxMessage.
let payload = try await vendor.push(about: "m-4")
if let push = try await engagement.handlePush(payload)?.notification,
  let message = push.inboxMessageID
{
  print(
    "push: \(push.title ?? ""), \(push.deepLinkText ?? ""), \(push.custom["roast"]?.string ?? "")")
  let outcome = await engagement.refresh(.message(ItemID("vibes", message)))
  print("message of the push: \(outcome.isComplete)")
  let opened = try await engagement.handlePush(payload, phase: .opened)
  print("opened: \(opened?.isRepeated == false)")
}

// Instead of onInboxMessageOpen, markInboxMessageAsRead and expireInboxMessage.
if let newest = engagement.inbox.messages.first, let stamp {
  try await tell("opened", try await engagement.perform(.open, on: newest))
  try await tell("read", try await engagement.perform(.read, on: newest))
  try await tell("expired", try await engagement.perform(.expire(at: nil), on: stamp))
}
show(engagement.inbox)

// Instead of associatePerson: what the former person had is gone at once.
try await tell("associated", try await engagement.associate("ada@example.com"))
print("before a refresh: \(engagement.inbox.messages.count) messages")
_ = await engagement.refresh(.inbox)
print("and after it: \(engagement.inbox.messages.count)")

// Instead of unregisterPush and unregisterDevice.
try await tell("push unregistered", try await engagement.unregisterPush())
print("left cleanly: \(try await engagement.signOut().isClean)")
print("the vendor was told: \(await vendor.told)")

running.cancel()
try await engagement.close()
await vendor.stop()
