import BrazeFixtures
import EngagementBraze
import EngagementHTTP
import EngagementJSON
import EngagementKit
import EngagementTesting
import FoundationEssentials
import Testing

/// Braze as an application meets it: through the engagement and nothing else.
@Suite(.timeLimit(.minutes(20))) struct BrazeEngagementTests {
  private static let cards = [
    BrazeScene.card("a", at: 300, #","u":"https://example.com/a""#),
    BrazeScene.card("b", at: 200, #","v":1"#), BrazeScene.card("c", at: 100),
    #"{"id":"held","tp":"control"}"#,
  ]

  @Test("B1: a subscriber gets the cards, and each refresh reports its outcome")
  func subscribe() async throws {
    let application = try await BrazeApplication { _ in Self.cards }
    try await application.run { engagement in
      try await engagement.signIn("u-1")
      var updates = engagement.cardUpdates(in: "home").makeAsyncIterator()
      let before = try #require(await updates.next())
      #expect(
        before.cards.isEmpty && before.refreshDate(of: "braze") == nil
          && before.providers == ["braze"])

      #expect(await engagement.refresh(.cards(in: "home")).providers == ["braze": .fresh])
      let fresh = try #require(await updates.next())
      #expect(fresh.cards.map(\.id.value) == ["a", "b", "c"])
      #expect(fresh.refreshDate(of: "braze") == application.clock.now)

      application.isOnline.withLock { $0 = false }
      application.clock.advance(by: .seconds(5))
      let outcome = await engagement.refresh(.cards(in: "home"))
      guard case .stale(let age, let error)? = outcome.providers["braze"] else {
        Issue.record("a refresh without a network is stale: \(outcome)")
        return
      }
      #expect(age == .seconds(5) && error.code == .unavailable)
      #expect(application.visible == ["a", "b", "c"], "a failure empties nothing")
    }
  }

  @Test("B5: a card presentation counts and marks unread cards if enabled, and can be closed")
  func presentation() async throws {
    let application = try await BrazeApplication { _ in Self.cards }
    try await application.run { engagement in
      _ = await engagement.refresh(.cards(in: "home"))
      let feed = engagement.cards(in: "home")
      var modal = Engagement.CardPresentation(title: "News", setting: .modal)
      #expect(modal.hasCloseButton && modal.isOpen)
      #expect(modal.unreadCount(in: feed) == 2, "control cards are never counted")
      #expect(feed.cards.map { modal.marksUnread($0) } == [true, false, true])
      modal.close()
      #expect(!modal.isOpen)

      var quiet = Engagement.CardPresentation(title: "News")
      #expect(!quiet.hasCloseButton && quiet.setting == .navigation)
      quiet.showsUnread = false
      #expect(quiet.unreadCount(in: feed) == nil)
      #expect(!feed.cards.contains { quiet.marksUnread($0) })
    }
  }

  @Test(
    "B3: impressions, clicks with a link and one dismissal arrive, and control impressions are separate"
  )
  func actions() async throws {
    let application = try await BrazeApplication { _ in Self.cards }
    try await application.run { engagement in
      try await engagement.signIn("u-1")
      try await engagement.setConsent(.full)
      _ = await engagement.refresh(.cards(in: "home"))
      let actions: [(ItemAction, String, Engagement.Receipt.Outcome)] = [
        (.impression, "a", .delivered), (.impression, "held", .delivered),
        (.click, "a", .delivered), (.click, "c", .kept), (.dismiss, "b", .delivered),
        (.dismiss, "b", .kept),
      ]
      for (action, id, outcome) in actions {
        let receipt = try await engagement.perform(action, on: ItemID("braze", id))
        #expect(try await receipt.outcome() == outcome, "\(action.name) on \(id)")
      }
      #expect(application.told == ["cci a", "ccic held", "ccc a", "ccd b"])
      #expect(application.visible == ["a", "c"])
      let card = engagement.card(ItemID("braze", "c"))
      #expect(card?.isClicked == true, "clicked here, and kept here")
    }
  }

  // MARK: Consent

  /// Does a bit of everything; what is not allowed is refused.
  private static func useEverything(_ engagement: Engagement) async throws {
    _ = await engagement.refresh(.settings)
    _ = await engagement.refresh(.cards(in: "home"))
    var update = PersonUpdate()
    update.email = "ada@example.com"
    var receipts: [Engagement.Receipt?] = []
    receipts.append(try? await engagement.track("looked"))
    receipts.append(
      try? await engagement.track(.purchase, name: "shoes", ["currency": "EUR", "price": 1]))
    receipts.append(try? await engagement.updatePerson(update))
    receipts.append(
      try? await engagement.registerPush(
        PushRegistration(token: Secret("0a0b"), service: .apns)))
    let actions: [(ItemAction, String)] = [(.impression, "a"), (.click, "a"), (.dismiss, "c")]
    for (action, id) in actions {
      receipts.append(try? await engagement.perform(action, on: ItemID("braze", id)))
    }
    for receipt in receipts { _ = try? await receipt?.outcome() }
  }

  @Test(
    "X20: consent decides which events and attributes are sent to Braze",
    arguments: [
      (.denied, [], 0), (.essential, ["ccc a", "ccd c"], 2), (.unknown, ["ccc a", "ccd c"], 2),
      (.full, ["ccc a", "ccd c", "cci a", "ce", "p"], 2),
    ] as [(Consent, [String], Int)])
  func consent(consent: Consent, told: [String], attributes: Int) async throws {
    let application = try await BrazeApplication { _ in Self.cards }
    try await application.run { engagement in
      try await engagement.signIn("u-1")
      try await engagement.setConsent(consent)
      try await Self.useEverything(engagement)
      #expect(application.told.sorted() == told)
      #expect(application.attributes.count == attributes)
      #expect(application.transport.requests.isEmpty == (consent == .denied))
    }
  }

  @Test("X20: cached cards stay usable after consent is denied, and no request is sent")
  func deniedLater() async throws {
    let application = try await BrazeApplication { _ in Self.cards }
    try await application.run { engagement in
      try await engagement.signIn("u-1")
      _ = await engagement.refresh(.cards(in: "home"))
      try await engagement.setConsent(.denied)
      application.transport.forget()
      try await Self.useEverything(engagement)
      #expect(application.transport.requests.isEmpty)
    }
  }

  // MARK: Users and pushes

  @Test("B6: another user sees only their own cards and starts without watermarks")
  func users() async throws {
    let application = try await BrazeApplication { [BrazeScene.card("card of \($0)")] }
    try await application.run { engagement in
      for user in ["u-1", "u-2"] {
        try await engagement.signIn(User(UserID(user)))
        #expect(application.visible.isEmpty)
        _ = await engagement.refresh(.cards(in: "home"))
        #expect(application.visible == ["card of \(user)"])
        let sync = application.transport.requests.last
        let body = try JSON(parsing: sync?.body ?? [])
        #expect(body["last_full_sync_at"] == 0 && body["user_id"]?.string == user)
      }
      try await engagement.signIn("u-1")
      #expect(application.visible == ["card of u-1"], "a user who comes back finds the cache")
    }
  }

  @Test("B8: a card inside a push is shown, and the push token is sent as an attribute")
  func push() async throws {
    let application = try await BrazeApplication { _ in Self.cards }
    try await application.run { engagement in
      try await engagement.signIn("u-1")
      _ = await engagement.refresh(.cards(in: "home"))
      let notification = try await engagement.handlePush([
        "aps": ["alert": "New"],
        "ab": ["ab_cd": ["id": "sent", "tp": "short_news", "ca": 400, "t": true]],
      ])?.notification
      #expect(notification?.itemID == "sent" && notification?.body == "New")
      #expect(application.visible == ["sent", "a", "b", "c"])
      _ = await engagement.refresh(.cards(in: "home"))
      #expect(application.visible == ["sent", "a", "b", "c"], "a test card survives (B4)")
      #expect(try await engagement.handlePush(["wzrk_id": "1"]) == nil)
      let receipt = try await engagement.registerPush(
        PushRegistration(token: Secret("0a0b"), service: .apns))
      _ = try await receipt.outcome()
      #expect(application.attributes == [["user_id": "u-1", "push_token": "0a0b"]])
    }
  }
}
