import EngagementEmulator
import EngagementFormats
import EngagementKit
import EngagementModel
import EngagementTesting
import EngagementVendors
import Foundation
import Testing

/// A user's actions over real HTTP, compared with the vendor's record of requests.
@Suite(.timeLimit(.minutes(20))) struct BrazeActionsWireTests {
  /// Performs the action and waits for its end.
  private static func deliver(
    _ action: ItemAction, on id: ItemID, _ engagement: Engagement,
    as expected: Engagement.Receipt.Outcome = .delivered
  ) async throws {
    let outcome = try await (try await engagement.perform(action, on: id)).outcome()
    #expect(outcome == expected, "\(action.name) on \(id)")
  }

  // MARK: Cards

  @Test("B3: an impression, a click, a dismissal and a control card's impression arrive once each")
  func cards() async throws {
    let scene = try await WireScene()
    try await scene.run { engagement in
      try await scene.signIn("u-1")
      _ = await scene.refresh()
      let linked = try #require(scene.card("Breakfast until noon")).id
      let plain = try #require(scene.card("A quieter corner")).id
      let pinned = try #require(scene.cards.first { $0.isPinned && !$0.isDismissible }).id
      let control = try #require(
        try await scene.emulator.items(of: "braze").first { $0["tp"] == "control" }?["id"]?.string)
      try await Self.deliver(.impression, on: linked, engagement)
      try await Self.deliver(.impression, on: ItemID("braze", control), engagement)
      try await Self.deliver(.click, on: linked, engagement)
      try await Self.deliver(.click, on: plain, engagement, as: .kept)
      try await Self.deliver(.dismiss, on: linked, engagement)
      try await Self.deliver(.dismiss, on: linked, engagement, as: .kept)
      let effects = await scene.emulator.effects().filter { $0.key.name.hasPrefix("cc") }
      let told: [VendorEffect: Int] = [
        VendorEffect("cci", of: linked.value, by: "u-1"): 1,
        VendorEffect("ccic", of: control, by: "u-1"): 1,
        VendorEffect("ccc", of: linked.value, by: "u-1"): 1,
        VendorEffect("ccd", of: linked.value, by: "u-1"): 1,
      ]
      #expect(effects == told)
      #expect(engagement.card(linked) == nil && engagement.card(plain)?.isClicked == true)

      let refused = try? await engagement.perform(.dismiss, on: pinned)
      let end = try await refused?.outcome()
      #expect(end != .delivered, "\(String(describing: end))")
      for await feed in engagement.cardUpdates(in: "home") {
        // The loop ends when the refused card is visible again.
        if feed.cards.contains(where: { $0.id == pinned }) { break }
      }
      await scene.advance(by: .seconds(60))
      #expect(await scene.refresh() == .fresh)
      #expect(engagement.card(linked) == nil, "the vendor no longer lists the dismissed card")
      #expect(await scene.emulator.times("ccd") == 1)
    }
  }

  // MARK: Events and attributes

  @Test("B7 B8: custom events, purchases, attributes and the push token arrive once each")
  func reports() async throws {
    let scene = try await WireScene(signs: true)
    try await scene.run { engagement in
      try await scene.emulator.configure("braze", ["authentication": "required"])
      try await scene.signIn("u-1")
      var update = PersonUpdate()
      update.email = "ada@example.com"
      update.custom = ["tier": "gold"]
      let receipts = [
        try await engagement.track("looked", ["page": 3]),
        try await engagement.track(.purchase, name: "beans", ["currency": "EUR", "price": 9.5]),
        try await engagement.updatePerson(update),
        try await engagement.registerPush(
          PushRegistration(token: Secret("0a0b"), service: .apns)),
      ]
      for receipt in receipts { #expect(try await receipt.outcome() == .delivered) }
      let fingerprint = String(SHA256.digest(of: "0a0b").description.prefix(12))
      for (name, subject) in [
        ("ce", "looked"), ("p", "beans"), ("attribute", "email"), ("attribute", "custom.tier"),
        ("push_token", fingerprint),
      ] {
        #expect(
          await scene.emulator.times(name, of: subject, by: "u-1") == 1, "\(name) \(subject)")
      }
    }
  }

  @Test("B6: blocked events and attributes are not sent, and the others are")
  func blocklists() async throws {
    let scene = try await WireScene()
    try await scene.run { engagement in
      try await scene.emulator.configure(
        "braze", ["eventsBlacklist": ["noise"], "attributesBlacklist": ["secret"]])
      try await scene.signIn("u-1")
      _ = await scene.refresh(.settings)
      var update = PersonUpdate()
      update.custom = ["secret": 1, "tier": "gold"]
      for receipt in [
        try await engagement.track("noise"), try await engagement.track("news"),
        try await engagement.updatePerson(update),
      ] {
        #expect(try await receipt.outcome() == .delivered)
      }
      // The vendor ignores blocked names, so this checks the sent requests.
      let events = await scene.emulator.requests().filter {
        $0.effects.contains { $0.name == "ce" }
      }
      // The start of the session goes with it or before it.
      let whole = ["1 events, 1 effects of u-1", "2 events, 2 effects of u-1"]
      #expect(events.count == 1 && whole.contains(events.first?.summary ?? ""))
      #expect(await scene.emulator.times("attribute", of: "custom.tier") == 1)
      #expect(await scene.emulator.times("attribute", of: "custom.secret") == 0)
    }
  }

  // MARK: Signatures

  @Test("B7: an expired signature is renewed once, and the request is sent again")
  func renewal() async throws {
    let scene = try await WireScene(signs: true)
    try await scene.run { engagement in
      try await scene.emulator.configure("braze", ["authentication": "required"])
      let asked = Locked(0)
      try await engagement.signIn("u-1") { _ in
        asked.withLock { $0 += 1 }
        return scene.token(of: "u-1", lasting: 600)
      }
      try await engagement.setConsent(.full)
      #expect(await scene.refresh() == .fresh)
      #expect(asked.withLock { $0 } == 1)

      await scene.advance(by: .seconds(601))
      let before = await scene.emulator.requests().count
      let receipt = try await engagement.track("looked")
      #expect(try await receipt.outcome() == .delivered)
      #expect(asked.withLock { $0 } == 2)
      let summaries = await scene.summaries(after: before)
      #expect(summaries.first == "authentication error 22")
      #expect(summaries.filter { $0.hasPrefix("authentication error") }.count == 1)
      #expect(await scene.emulator.times("ce", of: "looked", by: "u-1") == 1)
      let sent = await scene.emulator.requests()
      #expect(sent.allSatisfy { $0.credentials.contains("x-braze-auth-signature") })
    }
  }

  @Test("B7: after about fifty refused signatures the kit stops sending and loses nothing")
  func refusals() async throws {
    let scene = try await WireScene(signs: true)
    try await scene.run { engagement in
      try await scene.emulator.configure(
        "braze", ["authentication": "required", "refuseTokens": true])
      // The application has no other token.
      let token = scene.token(of: "u-1", lasting: 1e7)
      try await engagement.signIn("u-1") { _ in token }
      try await engagement.setConsent(.full)
      let receipt = try await engagement.track("looked")
      for _ in 0..<60 {
        _ = await scene.refresh(.settings)
        await scene.advance(by: .seconds(1))
      }
      let count = await scene.emulator.requests().count
      // Requests that were in flight together are counted as one refusal.
      #expect((50...55).contains(count), "\(count)")
      await scene.advance(by: .seconds(3_600))
      _ = await scene.refresh(.settings)
      #expect(await scene.emulator.requests().count == count, "the kit sends no further request")
      let waiting = try await engagement.pendingCounts["braze"] ?? 0
      #expect(waiting >= 1)

      try await scene.emulator.configure("braze", ["refuseTokens": false])
      // The same user signs in with a source of new tokens.
      try await scene.signIn("u-1")
      // The queue checks pending rows once a minute, and its last check may have been just now.
      for round in 0..<3_000 where try await engagement.pendingCounts["braze"] ?? 0 > 0 {
        if round < 100 { await scene.advance(by: .seconds(60)) }
        try await Task.sleep(for: .milliseconds(20))
      }
      try #require(try await engagement.pendingCounts["braze"] ?? 0 == 0)
      #expect(try await receipt.outcome() == .delivered)
      #expect(await scene.emulator.times("ce", of: "looked", by: "u-1") == 1)
    }
  }

  // MARK: Users

  @Test("B6: actions before the first sign-in are sent as the first user's alone")
  func adoption() async throws {
    let scene = try await WireScene()
    let engagement = scene.engagement
    try await engagement.setConsent(.full)
    _ = await scene.refresh()
    let card = try #require(scene.card("Breakfast until noon")).id
    let receipts = [
      try await engagement.track("before"), try await engagement.perform(.dismiss, on: card),
    ]
    // The sign-in comes first, because a row sent before it would be anonymous at the vendor.
    try await scene.signIn("u-1")
    try await scene.run { engagement in
      for receipt in receipts { #expect(try await receipt.outcome() == .delivered) }
      #expect(await scene.emulator.times("ce", of: "before", by: "u-1") == 1)
      #expect(await scene.emulator.times("ccd", of: card.value, by: "u-1") == 1)
      #expect(await scene.emulator.times("ce", of: "before") == 1)
      _ = await scene.refresh()
      #expect(!scene.cards.isEmpty && engagement.card(card) == nil)

      let last = try await engagement.track("last words")
      try await scene.signIn("u-2")
      #expect(try await last.outcome() == .delivered)
      #expect(await scene.emulator.times("ce", of: "last words", by: "u-1") == 1)
      #expect(scene.cards.isEmpty, "the next user sees no card of the former user")
      #expect(await scene.refresh() == .fresh)
      #expect(engagement.card(card) != nil, "the second user has not dismissed the card")
      #expect(await scene.summaries().last?.hasPrefix("full sync of u-2") == true)
      let seen = try await (try await engagement.track("mine")).outcome()
      #expect(seen == .delivered)
      #expect(await scene.emulator.times("ce", by: "u-2") == 1)

      _ = try await engagement.signOut()
      let count = await scene.emulator.requests().count
      try await engagement.setConsent(.full)
      try await engagement.track("anonymous")
      _ = await scene.refresh()
      #expect(await scene.emulator.requests().count == count, "nothing is sent after the sign-out")
    }
  }
}
