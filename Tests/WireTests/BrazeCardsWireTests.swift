import EngagementCurl
import EngagementEmulator
import EngagementHTTP
import EngagementKit
import EngagementModel
import EngagementTesting
import EngagementVendors
import Foundation
import Testing

/// Braze's cards over real HTTP, from the vendor's state to the feed.
@Suite(.timeLimit(.minutes(20))) struct BrazeCardsWireTests {
  // MARK: Sync

  @Test("B2: every known kind of card arrives unchanged, and unknown kinds are left out")
  func kinds() async throws {
    let scene = try await WireScene()
    try await scene.run { engagement in
      try await scene.signIn("u-1")
      #expect(await scene.refresh() == .fresh)
      let items = try await scene.emulator.items(of: "braze")
      let listed = items.filter {
        !["control", "hologram"].contains($0["tp"]?.string ?? "") && $0["t"] != true
      }
      #expect(Set(scene.cards.map(\.id.value)) == Set(listed.compactMap { $0["id"]?.string }))
      #expect(Set(scene.cards.map(\.kind)) == [.banner, .captionedImage, .classic])
      for item in listed {
        let id = try #require(item["id"]?.string)
        let card = try #require(engagement.card(ItemID("braze", id)))
        #expect(card.text == item["ds"]?.string.flatMap { $0.isEmpty ? nil : $0 })
        #expect(card.imageURLText == item["i"]?.string)
        let created = try #require(item["ca"]?.integer)
        #expect(card.createdAt == Date(timeIntervalSince1970: Double(created)))
      }
      let bean = try #require(scene.card("New beans from Huila"))
      #expect(bean.imageAspectRatio == 1.5 && bean.opensInWebView && bean.language == "en")
      #expect(bean.linkText == "Read about the farm" && bean.imageAlt == "A sack of coffee beans")
      let titles = scene.titles
      #expect(titles.contains("Grüße aus Köln ☕️ – مرحبا"))
      #expect(scene.cards.prefix(2).map(\.isPinned) == [true, true], "pinned cards come first")
      #expect(engagement.cards(in: "home").refreshDate(of: "braze") == scene.clock.now, "B1")
    }
  }

  @Test(
    "B1 B3: an application that reports no phase has a session before its first cards and events",
    arguments: [Consent.unknown, .essential, .full])
  func session(consent: Consent) async throws {
    let scene = try await WireScene()
    try await scene.run { engagement in
      try await engagement.signIn("u-1", consent: consent) { _ in scene.token(of: "u-1") }
      #expect(await scene.refresh() == .fresh)
      #expect(!scene.cards.isEmpty)
      let card = try #require(scene.cards.first { $0.url != nil })
      _ = try await (try await engagement.perform(.click, on: card)).outcome()
      let effects = await scene.emulator.requests().flatMap(\.effects)
      #expect(effects.map(\.name) == ["ss", "ccc"])
      let session = try #require(effects.first?.subject)
      #expect(effects.map(\.id) == [session, session])
      let events = try await engagement.events().map(\.kind)
      #expect(events.contains(.sessionStart) == (consent == .full), "nothing more is recorded")
    }
  }

  @Test("B4: after a full sync, deltas add, change and remove cards")
  func deltas() async throws {
    let scene = try await WireScene()
    try await scene.run { engagement in
      try await scene.signIn("u-1")
      #expect(await scene.refresh() == .fresh)
      let count = scene.cards.count
      let old = try #require(scene.card("Breakfast until noon"))
      let gone = try #require(scene.card("A quieter corner"))
      _ = try await (try await engagement.perform(.impression, on: old)).outcome()

      await scene.advance(by: .seconds(60))
      try await scene.emulator.put(["tt": "Just in", "tp": "short_news"], in: "braze")
      try await scene.emulator.put(
        ["id": .string(old.id.value), "tt": "Breakfast until one", "v": false], in: "braze")
      try await scene.emulator.remove(gone.id.value, from: "braze")
      let before = await scene.emulator.requests().count
      #expect(await scene.refresh() == .fresh)
      #expect(await scene.summaries(after: before) == ["delta sync of u-1: 3 cards"])
      #expect(scene.cards.count == count && scene.card("Just in") != nil)
      #expect(engagement.card(gone.id) == nil)
      let changed = try #require(engagement.card(old.id))
      #expect(changed.title == "Breakfast until one")
      #expect(changed.isViewed, "a delta cannot clear `viewed`")

      await scene.advance(by: .seconds(60))
      try await scene.emulator.put(
        ["id": .string(old.id.value), "tt": .null, "u": .null, "e": .null, "db": .null],
        in: "braze")
      #expect(await scene.refresh() == .fresh)
      #expect(await scene.summaries().last == "delta sync of u-1: 1 cards")
      var same = try #require(engagement.card(old.id))
      #expect(same.updatedAt != changed.updatedAt)
      (same.createdAt, same.updatedAt, same.activeAt) =
        (changed.createdAt, changed.updatedAt, changed.activeAt)
      #expect(same == changed, "null in a delta changes nothing")

      #expect(await scene.refresh() == .notModified)
      #expect(await scene.summaries().last == "delta sync of u-1: 0 cards")
      await scene.advance(by: .seconds(90_000))
      #expect(await scene.refresh() == .fresh)
      let last = try #require(await scene.summaries().last)
      #expect(last.hasPrefix("full sync"), "after a day the vendor refuses a delta")
      #expect(engagement.card(old.id)?.isViewed == true)
    }
  }

  // MARK: On a screen

  @Test("B5: a card screen marks and counts new cards until they are seen")
  func presentation() async throws {
    let scene = try await WireScene()
    try await scene.run { engagement in
      try await scene.signIn("u-1")
      try await scene.emulator.put(["tt": "Known", "tp": "short_news", "v": true], in: "braze")
      #expect(await scene.refresh() == .fresh)
      let items = try await scene.emulator.items(of: "braze")
      let new = Set(items.filter { $0["v"]?.bool != true }.compactMap { $0["id"]?.string })
      var screen = Engagement.CardPresentation(title: "News", setting: .modal)
      let shown = scene.cards
      #expect(Set(shown.filter(screen.marksUnread).map(\.id.value)) == new.intersection(shown.ids))
      let count = try #require(screen.unreadCount(in: engagement.cards(in: "home")))
      #expect(count > 0 && count < shown.count, "some cards are new and some are not")

      let first = try #require(shown.first(where: screen.marksUnread))
      _ = try await (try await engagement.perform(.impression, on: first)).outcome()
      #expect(screen.unreadCount(in: engagement.cards(in: "home")) == count - 1)
      await scene.advance(by: .seconds(60))
      #expect(await scene.refresh() == .fresh)
      #expect(screen.unreadCount(in: engagement.cards(in: "home")) == count - 1)
      screen.showsUnread = false
      #expect(screen.unreadCount(in: engagement.cards(in: "home")) == nil)
      screen.close()
      #expect(!screen.isOpen)
    }
  }

  @Test("B8 B4: a card inside a push is shown at once and survives a full sync")
  func push() async throws {
    let scene = try await WireScene()
    try await scene.run { engagement in
      try await scene.signIn("u-1")
      #expect(await scene.refresh() == .fresh)
      try await scene.emulator.put(["id": "sent", "tt": "Sent", "tp": "short_news"], in: "braze")
      let payload = try await scene.emulator.push(
        ["title": "For you", "item": "sent", "url": "https://harbour.example.com/for-you"],
        from: "braze")
      try await scene.emulator.remove("sent", from: "braze")
      let notification = try #require(try await engagement.handlePush(payload)).notification
      #expect(notification.title == "For you" && notification.itemID == "sent")
      #expect(notification.deepLinkText == "https://harbour.example.com/for-you")
      #expect(scene.card("Sent")?.isTest == true)
      await scene.advance(by: .seconds(90_000))
      #expect(await scene.refresh() == .fresh)
      #expect(await scene.summaries().last?.hasPrefix("full sync") == true)
      #expect(scene.card("Sent") != nil, "a test card stays although the vendor does not list it")
    }
  }

  // MARK: Disabled and throttled refreshes

  @Test("B6: the kit requests no cards while the settings disable them")
  func gate() async throws {
    let scene = try await WireScene()
    try await scene.run { engagement in
      try await scene.emulator.configure("braze", ["cardsEnabled": false])
      try await scene.signIn("u-1")
      #expect(await scene.refresh() == .notModified)
      #expect(scene.cards.isEmpty)
      #expect(await !scene.summaries().contains { $0.contains("sync") })

      try await scene.emulator.configure("braze", ["cardsEnabled": true])
      #expect(await scene.refresh(.settings) == .fresh)
      #expect(await scene.refresh() == .fresh)
      #expect(!scene.cards.isEmpty)

      try await scene.emulator.configure("braze", ["cardsEnabled": false])
      #expect(await scene.refresh(.settings) == .fresh)
      #expect(scene.cards.isEmpty, "switched off, the feed is empty")
    }
  }

  @Test("B6: refreshes beyond the rate limit in the settings send no request")
  func bucket() async throws {
    let scene = try await WireScene()
    try await scene.run { engagement in
      try await scene.emulator.configure(
        "braze", ["rateLimit": ["enabled": true, "capacity": 2, "refillRate": 90]])
      try await scene.signIn("u-1")
      #expect(await scene.refresh() == .fresh)
      #expect(await scene.refresh() == .notModified)
      let count = await scene.emulator.requests().count
      let next = scene.clock.now.addingTimeInterval(90)
      #expect(await scene.refresh() == .throttled(until: next))
      await scene.advance(by: .seconds(89))
      #expect(await scene.refresh() == .throttled(until: next))
      #expect(await scene.emulator.requests().count == count)
      await scene.advance(by: .seconds(1))
      #expect(await scene.refresh() == .notModified)
      #expect(await scene.emulator.requests().count == count + 1)
    }
  }

  @Test("B6 B1: a refresh that the vendor rate-limits is reported as stale, and the cards stay")
  func vendorLimit() async throws {
    let scene = try await WireScene()
    try await scene.run { engagement in
      try await scene.emulator.configure(
        "braze", ["syncLimit": ["capacity": 1, "refillSeconds": 180]])
      try await scene.signIn("u-1")
      #expect(await scene.refresh() == .fresh)
      let shown = scene.titles
      await scene.advance(by: .seconds(30))
      guard case .stale(let age, let error)? = await scene.refresh() else {
        Issue.record("the refresh beyond the vendor's limit is not stale")
        return
      }
      #expect(age == .seconds(30) && error.code == .rateLimited)
      #expect(error.retryAfter == .seconds(150))
      #expect(scene.titles == shown)
      await scene.advance(by: .seconds(150))
      #expect(await scene.refresh() == .notModified)
    }
  }

  // MARK: Request policy

  /// Policies, and whether each lets a request reach the vendor.
  private static let policies: [(String, RequestPolicy, Bool)] = [
    ("everything is allowed", RequestPolicy(), true),
    ("the host is denied", RequestPolicy([.init("127.0.0.1", .deny)]), false),
    (
      "only another host is allowed",
      RequestPolicy([.init("a.example", .allow)], otherwise: .deny), false
    ),
    (
      "the host is allowed, others not",
      RequestPolicy([.init("127.0.0.1", .allow)], otherwise: .deny), true
    ),
    ("only sockets are denied", RequestPolicy([.init("127.0.0.1", .deny, kind: .socket)]), true),
  ]

  @Test("A26: the request policy decides before a byte reaches the vendor", arguments: policies)
  func policy(name: String, policy: RequestPolicy, reaches: Bool) async throws {
    try await Self.tryPolicy(policy, reaches: reaches)
  }

  @Test("A26: a policy with pins denies a connection without TLS before a byte reaches the vendor")
  func pins() async throws {
    let pins = try PinSet([1, 2].map { try Pin(sha256: Array(repeating: $0, count: 32)) })
    let policy = RequestPolicy([.init("127.0.0.1", .allowWithPins(pins))])
    try await Self.tryPolicy(policy, reaches: false)
  }

  private static func tryPolicy(_ policy: RequestPolicy, reaches: Bool) async throws {
    let scene = try await WireScene(policy: policy)
    try await scene.run { _ in
      try await scene.signIn("u-1")
      let outcome = await scene.refresh()
      #expect(await scene.emulator.requests().isEmpty == !reaches)
      if reaches {
        #expect(outcome == .fresh)
      } else if case .failed(let error)? = outcome {
        #expect(error.code == .permissionDenied)
      } else {
        Issue.record("a denied refresh ended as \(String(describing: outcome))")
      }
    }
  }
}

extension [Card] {
  fileprivate var ids: Set<String> { Set(map(\.id.value)) }
}
