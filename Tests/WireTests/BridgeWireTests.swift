import AtomicFixtures
import EngagementAtomic
import EngagementAtomicTools
import EngagementBraze
import EngagementBrazeTools
import EngagementCleverTap
import EngagementCleverTapTools
import EngagementCurl
import EngagementEmulator
import EngagementKit
import EngagementModel
import EngagementTesting
import EngagementVendors
import EngagementVibes
import EngagementVibesTools
import Foundation
import Testing

/// Cards in the inbox and messages among the cards, of four vendors over real HTTP.
@Suite("bridged routes over the wire", .timeLimit(.minutes(20))) struct BridgeWireTests {
  private static let bridged = Engagement.Routes(
    cards: .merge(["vibes", "clevertap"]), inbox: .merge(["braze", "atomic"]))
  private static let native = Engagement.Routes(
    cards: .merge(["braze", "atomic"]), inbox: .merge(["vibes", "clevertap"]))

  @Test("X5: four vendors' items are shown as the other kind, and each hears its own words")
  func actions() async throws {
    let scene = try await BridgeWireScene()
    try await scene.run(Self.bridged) { engagement in
      try await scene.arrive(engagement)
      let messages = engagement.inbox.messages
      let cards = engagement.cards(in: "home").cards
      #expect(Set(messages.map(\.id.provider)) == ["braze", "atomic"])
      #expect(Set(cards.map(\.id.provider)) == ["vibes", "clevertap"])
      // What one kind shows is what the other shows by the same ids.
      try await engagement.setRoute(Self.native.cards, for: .cards)
      try await engagement.setRoute(Self.native.inbox, for: .inbox)
      let (own, ownMessages) = (engagement.cards(in: "home").cards, engagement.inbox.messages)
      #expect(Set(own.map(\.id)) == Set(messages.map(\.id)))
      #expect(Set(ownMessages.map(\.id)) == Set(cards.map(\.id)))
      for message in messages {
        let card = try #require(own.first { $0.id == message.id })
        #expect(message.subject == card.title && message.text == card.text)
        #expect(message.detailURLText == card.urlText && message.isRead == card.isViewed)
        #expect(message.imageURLText == card.imageURLText && message.custom == card.extras)
        #expect(message.createdAt == card.createdAt && message.expiresAt == card.expiresAt)
      }
      for card in cards {
        let message = try #require(ownMessages.first { $0.id == card.id })
        #expect(message.subject == card.title && message.text == card.text)
        #expect(message.detailURLText == card.urlText && message.isRead == card.isViewed)
        #expect(message.imageURLText == card.imageURLText && message.custom == card.extras)
        #expect(message.createdAt == card.createdAt && message.expiresAt == card.expiresAt)
      }
      try await engagement.setRoute(Self.bridged.cards, for: .cards)
      try await engagement.setRoute(Self.bridged.inbox, for: .inbox)
      try await deeds(messages, own, cards, engagement, scene)
    }
    try await scene.end()
  }

  /// What is done to bridged items, and what each vendor hears of it.
  private func deeds(
    _ messages: [InboxMessage], _ own: [Card], _ cards: [Card], _ engagement: Engagement,
    _ scene: BridgeWireScene
  ) async throws {
    let plain = try #require(
      own.first { $0.id.provider == "braze" && $0.isDismissible && !$0.isViewed && $0.url != nil })
    let seen = try #require(messages.first { $0.id == plain.id })
    let action = try #require(messages.first { $0.id.provider == "atomic" })
    let mail = try #require(cards.first { $0.id.provider == "vibes" && !$0.isViewed })
    let note = try #require(cards.first { $0.id.provider == "clevertap" && !$0.isViewed })
    for act in [ItemAction.read, .read, .open, .delete] {
      _ = try await engagement.perform(act, on: seen).outcome()
    }
    _ = try await engagement.perform(.expire(at: nil), on: action).outcome()
    for card in [mail, note] {
      for act in [ItemAction.impression, .click, .dismiss] {
        _ = try await engagement.perform(act, on: card).outcome()
      }
    }
    for item in [seen.id, action.id] {
      await #expect(throws: EngagementError.self) {
        try await engagement.perform(
          .expire(at: .distantFuture), on: item, surface: .inbox)
      }
    }
    await #expect(throws: EngagementError.self) {
      try await engagement.perform(.snooze(seconds: 5), on: mail)
    }
    for (effect, id) in [
      ("cci", seen.id), ("ccc", seen.id), ("ccd", seen.id), ("card-dismissed", action.id),
      ("read", mail.id), ("inbox_open", mail.id), ("expire", mail.id),
      ("deleteMessages", note.id),
    ] {
      #expect(await scene.emulator.times(effect, of: id.value) == 1, "\(effect)")
    }
    #expect(await scene.emulator.times("Notification Viewed") == 1)
    #expect(await scene.emulator.times("Notification Clicked") == 1)
    for id in [seen.id, action.id] {
      #expect(!engagement.inbox.messages.contains { $0.id == id })
    }
    for id in [mail.id, note.id] {
      #expect(!engagement.cards(in: "home").cards.contains { $0.id == id })
    }
    // The vendors agree: after another refresh nothing comes back, on either surface.
    await scene.advance(by: .seconds(600))
    _ = await engagement.refresh(.inbox)
    _ = await engagement.refresh(.cards)
    try await engagement.setRoute(Self.native.cards, for: .cards)
    try await engagement.setRoute(Self.native.inbox, for: .inbox)
    let left = Set(
      engagement.cards(in: "home").cards.map(\.id) + engagement.inbox.messages.map(\.id))
    #expect(left.isDisjoint(with: [seen.id, action.id, mail.id, note.id]))
    #expect(left.count == messages.count + cards.count - 4)
  }

  @Test("X5: an inbox of messages and cards stays while its vendors are away, and over a restart")
  func inbox() async throws {
    let scene = try await BridgeWireScene()
    let routes = Engagement.Routes(cards: .none, inbox: .merge(["vibes", "braze"]))
    var ids: [ItemID] = []
    try await scene.run(routes) { engagement in
      try await scene.arrive(engagement)
      let feed = engagement.inbox
      ids = feed.messages.map(\.id)
      #expect(Set(ids.map(\.provider)) == ["vibes", "braze"])
      let times = feed.messages.compactMap(\.createdAt)
      #expect(times == times.sorted(by: >), "the newest first, of all vendors")
      for message in feed.messages where !message.isRead {
        _ = try await engagement.perform(.read, on: message).outcome()
      }
      #expect(engagement.inbox.unreadCount == 0)
      await scene.emulator.setOffline(true)
      await scene.advance(by: .seconds(600))
      let outcome = await engagement.refresh(.inbox)
      #expect(outcome.providers.values.allSatisfy { $0.error != nil })
      #expect(engagement.inbox.messages.map(\.id) == ids)
      await scene.emulator.setOffline(false)
    }
    try await scene.run(routes) { engagement in
      #expect(engagement.inbox.messages.map(\.id) == ids && engagement.inbox.unreadCount == 0)
    }
    try await scene.end()
  }
}

/// An application with all four vendors, over the library's own transport, and their servers in this
/// process.
private struct BridgeWireScene: Sendable {
  let emulator: Emulator
  private let clock = TestClock()
  private let transport = CurlTransport(.patient())
  private let secrets = MemorySecretStore()
  private let folder: URL

  init() async throws {
    emulator = try await Emulator.start(
      .init([.braze, .vibes, .cleverTap, .atomic], clock: clock.now))
    folder = FileManager.default.temporaryDirectory.appending(path: "bridge-wire-\(UUID())")
  }

  func run(
    _ routes: Engagement.Routes, _ body: (Engagement) async throws -> Void
  ) async throws {
    let engagement = try await Engagement.open(
      cache: .file(folder.appending(path: "cache.sqlite").path), device: .test,
      transport: transport, providers: try providers, routes: routes,
      containers: ["home": ["atomic": .container(AtomicSamples.container)]],
      options: Engagement.Options(secrets: secrets, clock: clock))
    let running = Task { try await engagement.run() }
    let outcome: Result<Void, any Error>
    do { outcome = .success(try await body(engagement)) } catch { outcome = .failure(error) }
    running.cancel()
    try await engagement.close()
    try outcome.get()
  }

  private var providers: Engagement.Providers {
    get throws {
      [
        "braze": BrazeAdapter(
          try BrazeConfiguration(endpoint: emulator.endpoint(of: "braze"), apiKey: Secret("demo"))),
        "vibes": VibesAdapter(
          try VibesConfiguration(
            appID: "demo", endpoint: "\(emulator.endpoint(of: "vibes"))/mobile_apps")),
        "clevertap": .clevertap(
          try CleverTapConfiguration(
            accountID: "demo", token: Secret("demo"), endpoint: emulator.endpoint(of: "clevertap"),
            hasServerInbox: true)),
        "atomic": .atomic(
          try AtomicConfiguration(
            endpoint: emulator.endpoint(of: "atomic"), environmentID: "env-1",
            apiKey: Secret("key"))),
      ]
    }
  }

  /// Signs in and refreshes all that is routed.
  func arrive(_ engagement: Engagement) async throws {
    let end = Int64(clock.now.timeIntervalSince1970) + 86_400
    try await engagement.signIn("u-1", consent: .full) { _ in
      AtomicSamples.token(claims: ["sub": "u-1", "exp": .integer(end)])
    }
    _ = try await engagement.flush(within: .seconds(30))
    #expect(await engagement.refresh(.inbox).isComplete)
    _ = await engagement.refresh(.cards)
  }

  func advance(by duration: Duration) async {
    await emulator.advanceClock(by: duration)
    clock.advance(by: duration)
  }

  func end() async throws {
    await emulator.stop()
    try FileManager.default.removeItem(at: folder)
  }
}
