import BrazeFixtures
import EngagementAdapterAPI
import EngagementBraze
import EngagementJSON
import EngagementKit
import EngagementModel
import EngagementTesting
import Testing

/// The card that may travel with a push, on its way into the cache.
@Suite("Braze: cards in pushes", .timeLimit(.minutes(20))) struct BrazePushFlowTests {
  // MARK: A card in a push

  private static func push(_ card: JSON) -> JSON { ["aps": [:], "ab": ["ab_cd": card]] }

  private static let object: JSON = [
    "id": "sent", "tp": "short_news", "ca": 200, "tt": "Sent", "t": true,
  ]

  private func flowCard(_ variant: KitVariant) async throws {
    let scene = try await AppScene.braze(
      behind: variant, syncs: [Braze.sync(full: true, [Braze.card("a")])])
    let received = try await scene.engagement.handlePush(Self.push(Self.object))
    #expect(received?.notification.itemID == "sent")
    #expect(scene.cards() == ["sent"])
    _ = await scene.sync()
    #expect(scene.cards() == ["sent", "a"], "a test card survives the sync")
    let text = #"{"id":"a","ca":90,"tt":"Late"}"#
    #expect(
      try await scene.engagement.handlePush(Self.push(.string(text)))?.notification.itemID == "a")
    #expect(scene.card("a")?.title == "a title", "a late push changes nothing")
    let newer = #"{"id":"a","ca":300,"tt":"Newer"}"#
    _ = try await scene.engagement.handlePush(Self.push(.string(newer)))
    #expect(scene.card("a")?.title == "Newer" && scene.card("a")?.text == "a text")
    _ = try await scene.engagement.handlePush(Self.push(["id": "a", "r": true]))
    #expect(scene.cards() == ["sent"])
    try await scene.end()
  }

  @Test("B8: a card inside a push is stored like a card of a sync")
  func card() async throws { try await flowCard(.complete) }

  @Test(
    "the push card flow fails when one of these features is missing",
    arguments: [
      BrazeVariant(
        "pushes that bring changes",
        .without { $0.received = { Received($0.notification, operations: $0.operations) } }),
      BrazeVariant(
        "patches",
        .without { adapter in
          adapter.received = { received in
            var received = received
            received.changes = received.changes.map { change in
              guard case .items(let feed, _, let items) = change else { return change }
              return .items(feed, .put, items)
            }
            return received
          }
        }),
    ])
  func cardNeeds(variant: BrazeVariant) async {
    await withKnownIssue { try await flowCard(variant.variant) }
  }
}
