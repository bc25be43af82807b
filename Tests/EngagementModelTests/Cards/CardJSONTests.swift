import EngagementModel
import Foundation
import Testing

@Suite("The neutral JSON of a card's parts")
struct CardJSONTests {
  @Test("A9: each button action prints its own JSON form and reads back equal", arguments: buttons)
  func button(button: CardButton, text: String) throws {
    let card = Card.with { $0.buttons = [button] }
    #expect(card.json["buttons"]?.printed == "[\(text)]")
    #expect(try Card(json: card.json).buttons == [button])
  }

  @Test("an error in nested JSON names its path", arguments: faults)
  func fault(member: String, value: JSON, place: String) {
    expectFault(place, place) { try Card(json: Card.full.json.replacing(member, with: value)).json }
  }

  @Test("an error contains no vendor id")
  func noInput() {
    let json = Card.full.json.replacing("subviews", with: ["canary": ["title": 1]])
    let error = #expect(throws: EngagementError.self) { try Card(json: json) }
    #expect(error?.description.contains("canary") == false)
  }

  @Test("attributes cannot overwrite the fields of a component or button")
  func takenNames() throws {
    let card = Card.with {
      $0.components = [Component(.text, ["type": "video", "children": 1, "text": "x"])]
      $0.buttons = [
        CardButton("Pay", .link(.url("u")), attributes: ["text": 1, "action": 1, "payload": 1]),
        CardButton("Go", .dismiss, attributes: ["url": "kept"]),
      ]
    }
    #expect(card.json["components"]?.printed == #"[{"type":"text","text":"x"}]"#)
    #expect(
      card.json["buttons"]?.printed
        == #"[{"text":"Pay","action":"link","url":"u"},"#
        + #"{"text":"Go","action":"dismiss","url":"kept"}]"#)
    #expect(try Card(json: card.json).json == card.json)
  }

  @Test("only the first subview with an id is printed, and ids that differ in bytes are distinct")
  func subviewIDs() {
    let card = Card.with {
      $0.subviews = [
        Card.Subview("a", title: "first"), Card.Subview("a", title: "second"),
        Card.Subview("\u{e9}"), Card.Subview("e\u{301}"),
      ]
    }
    #expect(
      card.json["subviews"]?.printed
        == "{\"a\":{\"title\":\"first\"},\"\u{e9}\":{},\"e\u{301}\":{}}")
    #expect(card.json["subviews"]?.object?.count == 3)
  }

  @Test(
    "components are read up to the nesting limit and refused beyond it", arguments: [0, 1, 10_000])
  func depth(beyond: Int) throws {
    var tree: JSON = ["type": "list"]
    for _ in 1..<(Component.maximumDepth + beyond) { tree = ["type": "list", "children": [tree]] }
    let json = Card.flat.json.replacing("components", with: [tree])
    if beyond == 0 {
      #expect(try Card(json: json).json == json)
    } else {
      expectFault("card.components[0].children[0]", "\(beyond)") { try Card(json: json).json }
    }
  }

  @Test("a number or time without a text form is left out")
  func noText() throws {
    for value in [Double.nan, .infinity, -.infinity] {
      let card = Card.with {
        $0.imageAspectRatio = value
        $0.createdAt = Date(timeIntervalSince1970: value)
        $0.expiresAt = Date(timeIntervalSince1970: 1e15)
      }
      #expect(card.json == Card.with { _ in }.json)
    }
  }

  @Test("whole numbers are read with or without a decimal point")
  func wholeNumbers() throws {
    let json = Card.full.json.replacing("priority", with: .number(4))
      .replacing("imageAspectRatio", with: .integer(2))
    let card = try Card(json: json)
    #expect(card.priority == 4)
    #expect(card.imageAspectRatio == 2)
  }

  @Test("a handle is neither printed nor read back")
  func handle() throws {
    let card = Card.with { $0.handle = ["canary": true] }
    #expect(!card.json.printed.contains("canary"))
    let read = try Card(json: card.json.replacing("handle", with: ["canary": true]))
    #expect(read.handle.isEmpty)
  }
}

extension Card {
  static func with(_ change: (inout Card) -> Void) -> Card {
    var card = Card(ItemID("p", "1"), vendor: "v", kind: .classic)
    change(&card)
    return card
  }
}

private let buttons: [(CardButton, String)] = [
  (
    CardButton("Pay", .submit(name: "pay", values: [:])),
    #"{"text":"Pay","action":"submit","name":"pay","values":{}}"#
  ),
  (
    CardButton("Pay", .submit(name: nil, values: ["b": 1]), attributes: ["url": "https://x"]),
    #"{"text":"Pay","action":"submit","values":{"b":1},"url":"https://x"}"#
  ),
  (CardButton("No", .dismiss), #"{"text":"No","action":"dismiss"}"#),
  (
    CardButton("Later", .snooze(.init(seconds: 86_400)), attributes: ["icon": "clock"]),
    #"{"text":"Later","action":"snooze","seconds":86400,"icon":"clock"}"#
  ),
  (
    CardButton("Later", .snooze(.init(months: 2, seconds: 0))),
    #"{"text":"Later","action":"snooze","seconds":0,"months":2}"#
  ),
  (CardButton("Later", .snooze(nil)), #"{"text":"Later","action":"snooze"}"#),
  (
    CardButton("Go", .link(.url("https://x"))), #"{"text":"Go","action":"link","url":"https://x"}"#
  ),
  (
    CardButton("Go", .link(.subview("sv1"))), #"{"text":"Go","action":"link","subview":"sv1"}"#
  ),
  (
    CardButton("Go", .link(.payload(["a": [1]]))),
    #"{"text":"Go","action":"link","payload":{"a":[1]}}"#
  ),
  (CardButton("Go", .link(.payload([:]))), #"{"text":"Go","action":"link","payload":{}}"#),
  (
    CardButton("Useful", .vote(useful: true)),
    #"{"text":"Useful","action":"vote","useful":true}"#
  ),
]

private let faults: [(member: String, value: JSON, place: String)] = [
  ("createdAt", "yesterday", "card.createdAt"),
  ("priority", 1.5, "card.priority"),
  ("priority", 1e300, "card.priority"),
  ("actions", ["snooze": 1], "card.actions.snooze"),
  ("components", [["type": "text"], ["text": "x"]], "card.components[1].type"),
  ("components", [["type": "form", "children": [7]]], "card.components[0].children[0]"),
  ("components", [["type": "form", "children": [:]]], "card.components[0].children"),
  ("buttons", [["text": "x"]], "card.buttons[0].action"),
  ("buttons", [["text": "x", "action": "jump"]], "card.buttons[0].action"),
  ("buttons", [["action": "dismiss"]], "card.buttons[0].text"),
  ("buttons", [["text": "x", "action": "link"]], "card.buttons[0]"),
  ("buttons", [["text": "x", "action": "link", "url": 1]], "card.buttons[0].url"),
  ("buttons", [["text": "x", "action": "vote"]], "card.buttons[0].useful"),
  ("buttons", [["text": "x", "action": "snooze", "seconds": "1"]], "card.buttons[0].seconds"),
  ("buttons", [["text": "x", "action": "submit", "values": []]], "card.buttons[0].values"),
  ("subviews", ["a": [:], "b": ["components": [[:]]]], "card.subviews[1].components[0].type"),
  ("runtimeVariables", [["name": "a"]], "card.runtimeVariables[0].default"),
]
