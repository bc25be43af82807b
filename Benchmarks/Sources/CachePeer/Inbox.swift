import EngagementKit
import EngagementModel
import EngagementTesting
import EngagementVibes
import FoundationEssentials

/// An application that shows the inbox of one vendor, who knows the device and its person.
struct Inbox: Looking {
  private static let provider: ProviderID = "vibes"

  let engagement: Engagement
  private let clock: TestClock
  private let vendor = Vendor(
    listing: "/messages",
    others: [
      ("/devices", #"{"auth_token":"token","device":{"vibes_device_id":"device-1"}}"#),
      ("/person", #"{"person_key":"person-1"}"#),
      ("", #"{"app_id":"app","inbox_enabled":true}"#),
    ])
  private var seen: Engagement.FeedUpdates<Engagement.InboxFeed>.Iterator

  /// Opens the cache in the folder. The vendor has told its settings and who the device's person
  /// is when this returns.
  init(in folder: String) async throws {
    clock = TestClock(Application.now)
    engagement = try await Engagement.open(
      cache: .file(Application.cache(in: folder)), device: .test, transport: vendor.transport,
      providers: [Self.provider: VibesAdapter(try VibesConfiguration(appID: "app"))],
      routes: Engagement.Routes(cards: .none, inbox: .only(Self.provider)),
      options: Engagement.Options(clock: clock))
    guard await engagement.refresh(.person).isComplete else { throw Refused() }
    seen = engagement.inboxUpdates.makeAsyncIterator()
    _ = await seen.next()
  }

  var contents: (rows: Int, check: Int) {
    get async {
      let messages = engagement.inbox.messages
      return (messages.count, check(of: messages))
    }
  }

  func offer(_ messages: [UInt8]) async { await vendor.list(messages) }

  mutating func sync() async throws {
    // Whoever looks is told of a list without news only because it is fresher.
    clock.advance(by: .seconds(1))
    guard await engagement.refresh(.inbox).isComplete,
      await seen.next()?.messages.isEmpty == false
    else { throw Refused() }
  }

  /// Lets so much time pass that the vendor is asked anew who the device's person is.
  func rest() { clock.advance(by: .seconds(3_600)) }
}

/// The bytes of the texts that every peer stores, and the times.
private func check(of messages: [InboxMessage]) -> Int {
  messages.reduce(0) { sum, message in
    let texts = [
      message.id.value, message.subject, message.text, message.detailURLText, message.iconURLText,
      message.collapseKey,
    ]
    let times = [message.createdAt, message.expiresAt].map {
      Int((($0?.timeIntervalSince1970 ?? 0) * 1_000).rounded())
    }
    return sum + texts.reduce(0) { $0 + ($1?.utf8.count ?? 0) } + times[0] + times[1]
      + (message.isRead ? 1 : 0)
  }
}
