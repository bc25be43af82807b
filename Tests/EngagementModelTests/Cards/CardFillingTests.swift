import EngagementModel
import Testing

/// Runtime variables in what a card shows.
@Suite struct CardFillingTests {
  @Test("A23: titles, components, buttons, images and subviews are filled alike")
  func everything() {
    let card = card().filled(with: ["who": "Ada", "host": "https://a.example/x.png"])
    #expect(card.title == "Hello Ada" && card.text == "soon" && card.imageAlt == "Ada")
    #expect(card.imageURLText == "https://a.example/x.png")
    #expect(card.components[3].attributes["options"] == [["value": "Ada", "title": "Ada"]])
    #expect(card.components[3].name == "!{who}", "a name is what is submitted")
    #expect(card.buttons.map(\.text) == ["Go, Ada"])
    #expect(card.buttons[0].action == .link(.url("https://a.example/x.png")))
    #expect(card.subviews[0].title == "Ada" && card.subviews[0].components[0].text == "Ada")
    #expect(card.subviews[0].buttons[0].text == "Ada")
  }

  @Test("A23: a variable without a value shows its default, an unknown name shows nothing")
  func defaults() {
    let card = card().filled(with: ["none": "x"])
    #expect(card.title == "Hello you" && card.text == "soon")
    #expect(card.subviews[0].title == "you")
  }

  @Test("A23 G18: an address is checked after it was filled")
  func addresses() {
    let card = card().filled(with: ["host": "javascript:alert(1)"])
    #expect(card.imageURLText == nil && card.buttons.isEmpty)
    #expect(card.components[2].urlText == nil)
  }

  private func card() -> Card {
    var card = Card(ItemID("a", "1"), vendor: "atomic", kind: .composed)
    card.runtimeVariables = [
      .init("who", defaultValue: "you"), .init("when", defaultValue: "soon"),
      .init("host", defaultValue: "https://b.example"),
    ]
    card.components = [
      Component(.headline, ["text": "Hello !{who}!{nobody}"]),
      Component(.text, ["text": "!{when}"]),
      Component(.image, ["url": "!{host}", "alt": "!{who}"]),
      Component(
        .dropdown, ["name": "!{who}", "options": [["value": "!{who}", "title": "!{who}"]]]),
    ]
    card.buttons = [CardButton("Go, !{who}", .link(.url("!{host}")))]
    card.subviews = [
      .init(
        "sv1", title: "!{who}", components: [Component(.text, ["text": "!{who}"])],
        buttons: [CardButton("!{who}", .dismiss)])
    ]
    return card
  }
}
