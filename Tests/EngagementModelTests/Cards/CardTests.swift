import EngagementModel
import Foundation
import Testing

@Suite("One card type for every vendor")
struct CardTests {
  @Test("X1: flat cards and component cards share one type, with title, text and image")
  func oneType() {
    let feed: [Card] = [.flat, .composed]
    #expect(feed.map(\.title) == ["Bill due", "Your bill is due soon"])
    #expect(feed.map(\.text) == ["Your bill of 12 € is due \"soon\".", "12 € to go"])
    #expect(
      feed.map(\.imageURLText) == [
        "https://images.example/bill.png", "https://images.example/1.png",
      ])
    #expect(feed.map(\.components.count) == [0, 3])
  }

  @Test("B2: every kind of content card survives a JSON round trip", arguments: contentCards)
  func contentCard(card: Card) throws {
    #expect(try Card(json: card.json) == card)
  }

  @Test("B2: a content card prints the documented fields and no component tree")
  func flatText() {
    let text = """
      {"provider":"braze","vendor":"braze","id":"c-1","kind":"captionedImage",\
      "title":"Bill due","text":"Your bill of 12 € is due \\"soon\\".",\
      "imageURL":"https://images.example/bill.png","imageAlt":"A bill",\
      "imageAspectRatio":1.5,"language":"en","url":"https://shop.example/bill",\
      "linkText":"Pay","opensInWebView":true,"createdAt":"2026-09-21T14:13:20.123Z",\
      "updatedAt":"2026-09-21T14:13:20.124Z","expiresAt":"2026-09-22T14:13:20.123Z",\
      "pinned":true,"dismissible":true,"viewed":true,"clicked":true,"dismissed":false,\
      "test":true,"extras":{"slot":"home","nested":{"a":null}},\
      "actions":{"dismiss":false,"snooze":false,"voteUp":false,"voteDown":false}}
      """
    #expect(Card.flat.json.printed == text)
  }

  @Test("A9: a component card has id, priority, actions, tree, subviews, buttons and metadata")
  func composed() throws {
    let card = try Card(json: Card.composed.json)
    #expect(card.id == ItemID("atomic", "i-1"))
    #expect(card.priority == 3)
    #expect(card.actions == Card.composed.actions && card.actions.menuStyle == .overflow)
    #expect(
      Card.Actions(canDismiss: true, canSnooze: true, canVoteUp: true, canVoteDown: true).json
        == ["dismiss": true, "snooze": true, "voteUp": true, "voteDown": true])
    #expect(
      card.actions.json == [
        "dismiss": true, "snooze": true, "voteUp": true, "voteDown": true,
        "swipe": ["dismiss", "snooze"], "menu": ["voteUp", "voteDown"], "menuStyle": "overflow",
      ])
    #expect(card.components[2].children.first?.name == "note")
    #expect(card.subviews.map(\.id) == ["sv1", "sv2"])
    #expect(card.buttons.first?.action == .submit(name: "pay", values: ["amount": 12]))
    #expect(card.updatedAt == moment(2))
    #expect(card.metadata == ["businessID": "B-7"])
  }

  @Test("a reference to a card carries its provider, id, container and handle")
  func reference() {
    var card = Card.composed
    card.handle = ["lifecycle": 1]
    let reference = ItemReference(card)
    #expect(reference.id == card.id)
    #expect(reference.surface == .cards)
    #expect(reference.container == "BqWL1sT")
    #expect(reference.handle == ["lifecycle": 1])
  }
}

/// Banner, captioned image, classic with and without an image, control.
private let contentCards: [Card] = {
  let kinds: [(Card.Kind, WritableKeyPath<Card, String?>?)] = [
    (.banner, \.title), (.banner, \.text), (.captionedImage, nil), (.classic, nil),
    (.classic, \.imageURLText), (.control, \.imageURLText),
  ]
  return kinds.map { kind, absent in
    var card = Card.flat
    card.kind = kind
    if let absent { card[keyPath: absent] = nil }
    return card
  }
}()

@Suite("Addresses of a card")
struct CardURLTests {
  @Test("url is the parsed address, and urlText is as sent")
  func parsed() {
    var card = Card(ItemID("braze", "1"), vendor: "braze", kind: .classic)
    #expect(card.url == nil)
    card.urlText = "https://shop.example/a?b=c"
    #expect(card.url?.host() == "shop.example")
    #expect(card.url?.absoluteString == card.urlText)
    card.urlText = ""
    #expect(card.url == nil)
    card.imageURLText = "https://shop.example/i.png"
    #expect(card.imageURL?.lastPathComponent == "i.png")
  }
}
