import EngagementModel
import EngagementStore
import Foundation
import TestSupport
import Testing

@testable import EngagementKit

/// What is left of an item that is shown as one of the other kind.
@Suite("items of the other kind") struct ItemBridgeTests {
  /// The fields of a card that a message has too, as JSON names them.
  private static let cardFields: [(card: String, message: String)] = [
    ("provider", "provider"), ("vendor", "vendor"), ("id", "id"), ("title", "subject"),
    ("text", "text"), ("imageURL", "imageURL"), ("imageAlt", "imageAlt"), ("url", "detailURL"),
    ("createdAt", "createdAt"), ("expiresAt", "expiresAt"), ("viewed", "read"),
    ("campaignID", "campaignID"), ("extras", "custom"),
  ]
  /// What a card has beside them when it shows a message.
  private static let derived: Set<String> = [
    "kind", "activeAt", "dismissible", "actions", "buttons",
  ]
  /// What a message loses as a card.
  private static let lostByMessages: Set<String> = [
    "iconURL", "collapseKey", "tags", "furtherContents",
  ]

  @Test("X5: a message shown as a card has every field that both have, and nothing else")
  func messages() throws {
    var random = SeededGenerator(seed: 5)
    for _ in 0..<Effort.share(of: 2_000) {
      let message = InboxMessage.sample(&random)
      let canDismiss = random.chance(50)
      let card = Card(showing: message, canDismiss: canDismiss)
      let (told, shown) = (message.json, card.json)
      for field in Self.cardFields { #expect(told[field.message] == shown[field.card]) }
      #expect(card.isDismissible == canDismiss && card.actions == .init(canDismiss: canDismiss))
      #expect(card.activeAt == message.createdAt && card.isUnread == message.isUnread)
      #expect(card.contentKey == message.contentKey && card.handle == message.handle)
      let blank = try #require(Card(card.id, vendor: card.vendor, kind: card.kind).json.object)
      let own = Set(Self.cardFields.map(\.card)).union(Self.derived)
      for member in try #require(shown.object).members where !own.contains(member.key) {
        #expect(member.value == blank[member.key], "\(member.key) is invented")
      }
      // There and back.
      let back = InboxMessage(showing: card).json
      for member in try #require(told.object).members
      where member.key != "buttons" && !Self.lostByMessages.contains(member.key) {
        #expect(back[member.key] == member.value, "\(member.key)")
      }
      let kept = message.buttons.filter { button in
        switch button.action {
        case .openURL, .keyValues: true
        case .copy, .askForPushes: false
        }
      }
      #expect(InboxMessage(showing: card).buttons == kept)
    }
  }

  @Test("X5: a card shown as a message has every field that both have, and nothing else")
  func cards() throws {
    var random = SeededGenerator(seed: 6)
    for _ in 0..<Effort.share(of: 2_000) {
      let card = Card.sample(&random)
      let message = InboxMessage(showing: card)
      let (told, shown) = (card.json, message.json)
      for field in Self.cardFields { #expect(told[field.card] == shown[field.message]) }
      #expect(card.contentKey == message.contentKey && card.handle == message.handle)
      let own = Set(Self.cardFields.map(\.message)).union(["buttons"])
      #expect(Set(try #require(shown.object).members.map(\.key)).isSubset(of: own))
      // There and back: what was left is the same, and a second time nothing more is lost.
      let back = Card(showing: message, canDismiss: true)
      for field in Self.cardFields { #expect(back.json[field.card] == told[field.card]) }
      #expect(InboxMessage(showing: back) == message)
    }
  }

  @Test(
    "X5: the kind of a card follows from what the message has to show",
    arguments: [
      ("s", "t", "i", Card.Kind.captionedImage), ("s", nil, nil, .classic),
      (nil, "t", "i", .captionedImage), (nil, nil, "i", .banner), (nil, nil, nil, .classic),
    ] as [(String?, String?, String?, Card.Kind)])
  func kinds(subject: String?, text: String?, image: String?, kind: Card.Kind) {
    var message = InboxMessage(ItemID("a", "1"), vendor: "v")
    (message.subject, message.text, message.imageURLText) = (subject, text, image)
    #expect(Card(showing: message, canDismiss: false).kind == kind)
  }

  @Test("X5: a message has no placeholders of runtime variables, and of a card's buttons the links")
  func composed() {
    var card = Card(ItemID("a", "1"), vendor: "v", kind: .composed)
    card.runtimeVariables = [.init("name", defaultValue: "friend")]
    card.components = [Component(.headline, ["text": "Hello !{name}"])]
    card.buttons = [
      CardButton("Buy !{name}", .submit(name: "buy", values: [:])),
      CardButton("Open !{name}", .link(.url("https://example.com"))),
      CardButton("Take", .link(.payload(["a": 1]))), CardButton("More", .link(.subview("s"))),
      CardButton("Later", .snooze(nil)), CardButton("No", .dismiss),
      CardButton("Good", .vote(useful: true)),
    ]
    card.setSummary()
    let message = InboxMessage(showing: card)
    #expect(message.subject == "Hello friend")
    #expect(
      message.buttons == [
        .init("Open friend", .openURL("https://example.com")), .init("Take", .keyValues(["a": 1])),
      ])
  }
}

extension SeededGenerator {
  fileprivate mutating func text() -> String? {
    chance(30)
      ? nil : pick(["", "a", "é", "e\u{301}", "👩‍👩‍👧‍👦", "!{x}", "https://example.com/\(below(9))"])
  }

  fileprivate mutating func date() -> Date? {
    chance(30) ? nil : Date(timeIntervalSince1970: Double(below(2_000_000_000)))
  }

  fileprivate mutating func object() -> JSONObject {
    var object = JSONObject()
    for _ in 0..<below(3) { object[pick(["a", "b", "sku"])] = pick([1, "x", true, ["n": "m"]]) }
    return object
  }
}

extension InboxMessage {
  fileprivate static func sample(_ random: inout SeededGenerator) -> InboxMessage {
    var message = InboxMessage(ItemID("a", "\(random.below(100))"), vendor: "v")
    message.subject = random.text()
    message.text = random.text()
    message.detailURLText = random.text()
    message.iconURLText = random.text()
    message.imageURLText = random.text()
    message.imageAlt = random.text()
    message.isRead = random.chance(50)
    message.createdAt = random.date()
    message.expiresAt = random.date()
    message.collapseKey = random.text()
    message.campaignID = random.text()
    message.custom = random.object()
    message.tags = (0..<random.below(3)).map { "\($0)" }
    message.handle = random.object()
    if random.chance(50) {
      message.contentKey = ContentKey(of: ItemID("a", "\(random.below(100))"), on: .inbox)
    }
    message.furtherContents = (0..<random.below(2)).map { _ in Content() }
    for _ in 0..<random.below(4) {
      let action = random.pick([
        Button.Action.openURL("https://example.com"), .copy("c"), .keyValues(["k": "v"]),
        .askForPushes,
      ])
      message.buttons.append(Button(random.text() ?? "b", action))
    }
    return message
  }
}

extension Card {
  fileprivate static func sample(_ random: inout SeededGenerator) -> Card {
    let kind = random.pick([Kind.banner, .captionedImage, .classic])
    var card = Card(ItemID("a", "\(random.below(100))"), vendor: "v", kind: kind)
    card.container = random.text().map { ContainerID($0) }
    card.title = random.text()
    card.text = random.text()
    card.imageURLText = random.text()
    card.imageAlt = random.text()
    card.imageAspectRatio = random.chance(50) ? 1.5 : nil
    card.language = random.text()
    card.urlText = random.text()
    card.linkText = random.text()
    card.createdAt = random.date()
    card.updatedAt = random.date()
    card.activeAt = random.date()
    card.expiresAt = random.date()
    card.priority = random.below(10)
    card.isPinned = random.chance(50)
    card.isDismissible = random.chance(50)
    card.isViewed = random.chance(50)
    card.isClicked = random.chance(50)
    card.isTest = random.chance(50)
    card.status = random.text()
    card.campaignID = random.text()
    card.extras = random.object()
    card.metadata = random.object()
    card.variables = random.object()
    card.handle = random.object()
    if random.chance(50) {
      card.contentKey = ContentKey(of: ItemID("a", "\(random.below(100))"), on: .cards)
    }
    for _ in 0..<random.below(4) {
      let action = random.pick([
        CardButton.Action.dismiss, .link(.url("https://example.com")), .link(.payload(["k": "v"])),
        .link(.subview("s")), .submit(name: nil, values: [:]),
      ])
      card.buttons.append(CardButton(random.text() ?? "b", action))
    }
    return card
  }
}
