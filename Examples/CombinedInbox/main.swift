// An application with one inbox for two vendors: the messages of Vibes, and the content cards of Braze
// shown as messages. What both have appears once, and what the user does to it counts at both.
import EngagementBraze
import EngagementCurl
import EngagementKit
import EngagementModel
import EngagementVibes

let vendors = try await LocalVendors.start()
let engagement = try await Engagement.open(
  cache: .temporary, device: .current(appID: "com.example.club", appVersion: "1.0"),
  transport: CurlTransport(),
  providers: [
    "braze": .braze(endpoint: vendors.brazeEndpoint, apiKey: Secret("demo")),
    "vibes": .vibes(try VibesConfiguration(appID: "club", endpoint: vendors.vibesEndpoint)),
  ],
  routes: .init(cards: .none, inbox: .merge(["vibes", "braze"])),
  // By what two items are copies of one content.
  contentKeys: ["braze": .extra("content"), "vibes": .extra("content")],
  options: .init(loggers: []))
let running = Task { try await engagement.run() }
try await engagement.signIn("ada", consent: .full)
print("refreshed: \(await engagement.refresh(.inbox).isComplete)")
show(engagement.inbox)

// Nothing here asks whose item it is. A message of Vibes is read, a card of Braze is seen.
for message in engagement.inbox.messages {
  let receipt = try await engagement.perform(.read, on: message)
  print("read \(message.id): \(try await receipt.outcome())")
}
show(engagement.inbox)

// Both vendors have the welcome, and both are told that it is gone.
if let welcome = engagement.inbox.messages.first(where: { $0.subject == "Welcome" }) {
  let receipt = try await engagement.perform(.delete, on: welcome, propagate: true)
  print("delete \(welcome.id): \(try await receipt.outcome())")
  print("told: \(receipt.providers.sorted().map(\.rawValue).joined(separator: " and "))")
}
show(engagement.inbox)

try await engagement.close()
running.cancel()
for line in await vendors.told { print("the vendors were told: \(line)") }
await vendors.stop()

func show(_ feed: Engagement.InboxFeed) {
  print("inbox: \(feed.messages.count) messages, \(feed.unreadCount) unread")
  for message in feed.messages { print("- \(message.id) \(message.subject ?? "")") }
}
