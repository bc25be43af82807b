import EngagementModel
import Testing

/// Forms of cards: defaults, rules and what is submitted.
@Suite struct CardFormTests {
  @Test("A10: a form has the card's defaults, and what is entered goes over them")
  func values() throws {
    var form = card().form()
    #expect(form.inputs.map(\.name) == ["note", "amount", "monthly"])
    #expect(form.values == ["source": "card", "note": "from the form", "monthly": true])
    form["note"] = "mine"
    form["monthly"] = nil
    form["amount"] = 12
    #expect(
      try form.submission(by: Self.pay)
        == .submit(
          button: "pay",
          values: ["button": "pay", "amount": 12, "source": "card", "note": "mine"]))
  }

  @Test("A10: a subview submits its own inputs, and none of the card")
  func subview() throws {
    var form = card().form(inSubview: "sv1")
    form["reason"] = "late"
    #expect(
      try form.submission(by: CardButton("Send", .submit(name: nil, values: [:])))
        == .submit(button: nil, values: ["reason": "late"]))
    #expect(card().form(inSubview: "none").inputs.isEmpty)
  }

  @Test("A10: a form with an invalid input is not submitted, and says which rule and why")
  func invalid() throws {
    var form = card().form()
    form["note"] = ""
    #expect(
      form.faults == [.init(input: "note", rule: "required", message: "Say something.")])
    #expect {
      try form.submission(by: Self.pay)
    } throws: { ($0 as? EngagementError)?.code == .invalidArgument }
    #expect {
      try card().form().submission(by: CardButton("Never", .dismiss))
    } throws: { ($0 as? EngagementError)?.code == .invalidArgument }
  }

  @Test(
    "A10: each rule allows and refuses as the vendor's clients do",
    arguments: [
      ("required", true, nil, false), ("required", true, "", false), ("required", true, "a", true),
      ("required", true, false, true), ("required", false, nil, true),
      ("minimumLength", 2, nil, false), ("minimumLength", 2, "a", false),
      ("minimumLength", 2, "ab", true), ("minimumLength", 2, "👩", true),
      ("maximumLength", 2, nil, true), ("maximumLength", 2, "abc", false),
      ("maximumLength", 2, "ab", true), ("minimum", 3, nil, false), ("minimum", 3, 2.5, false),
      ("minimum", 3, 3, true), ("maximum", 3, 3.5, false), ("maximum", 3, 3, true),
      ("maximum", 3, "2", true), ("maximum", 3, nil, false),
      ("minimumDate", "2026-10-02", "2026-10-01T09:00:00+0300", false),
      ("minimumDate", "2026-10-02", "2026-10-02T09:00:00+0300", true),
      ("maximumDate", "2026-10-02T00:00:00Z", "2026-10-02T09:00:00Z", false),
      ("maximumDate", "2026-10-02T00:00:00Z", nil, false), ("regexp", "^[0-9]+$", "12", true),
      ("regexp", "^[0-9]+$", "1a", false), ("regexp", "[0-9]", "a1", true),
      ("regexp", "[", "a", true), ("regexp", "a", nil, false), ("someday", 1, nil, true),
    ] as [(String, JSON, JSON?, Bool)])
  func rules(_ name: String, _ value: JSON, _ entered: JSON?, _ isMet: Bool) {
    var card = Card(ItemID("a", "1"), vendor: "atomic", kind: .composed)
    let rules: JSON = [["rule": .string(name), "value": value]]
    card.components = [Component(.textInput, ["name": "x", "rules": rules])]
    var form = card.form()
    form["x"] = entered
    #expect(form.faults.isEmpty == isMet)
  }

  @Test("A10: of several rules the first that is not met is named")
  func firstRule() {
    var card = Card(ItemID("a", "1"), vendor: "atomic", kind: .composed)
    card.components = [
      Component(
        .textInput,
        [
          "name": "x",
          "rules": [
            ["rule": "required", "value": true], ["rule": "minimumLength", "value": 3],
            ["rule": "regexp", "value": "^[0-9]*$", "message": "Digits only."],
          ],
        ])
    ]
    var form = card.form()
    #expect(form.faults.map(\.rule) == ["required"])
    form["x"] = "ab"
    #expect(form.faults.map(\.rule) == ["minimumLength"])
    form["x"] = "abc"
    #expect(form.faults == [.init(input: "x", rule: "regexp", message: "Digits only.")])
  }

  @Test("A10: a group of check boxes is one value, which says of each box whether it is checked")
  func checkboxes() throws {
    var card = Card(ItemID("a", "1"), vendor: "atomic", kind: .composed)
    card.components = [
      Component(
        .checkboxGroup, ["name": "extras"],
        children: [
          Component(.checkbox, ["name": "heat", "defaultValue": true]),
          Component(.checkbox, ["name": "water"]),
        ])
    ]
    var form = card.form()
    #expect(form.inputs.map(\.name) == ["extras"])
    #expect(form.values == ["extras": ["heat": true, "water": false]])
    form["extras"] = ["heat": false, "water": true]
    let button = CardButton("Send", .submit(name: "send", values: [:]))
    #expect(
      try form.submission(by: button)
        == .submit(button: "send", values: ["extras": ["heat": false, "water": true]]))
  }

  private static let pay = CardButton(
    "Pay", .submit(name: "pay", values: ["button": "pay", "note": "of the button"]))

  private func card() -> Card {
    var card = Card(ItemID("a", "1"), vendor: "atomic", kind: .composed)
    let required: JSON = [["rule": "required", "value": true, "message": "Say something."]]
    card.components = [
      Component(.headline, ["text": "Rent"]),
      Component(
        .form, ["defaultValues": ["source": "card", "note": "from the form"]],
        children: [
          Component(
            .textInput, ["name": "note", "defaultValue": "from the input", "rules": required]),
          Component(.numberInput, ["name": "amount"]),
          Component(.toggle, ["name": "monthly", "defaultValue": true]),
        ]),
    ]
    card.subviews = [.init("sv1", components: [Component(.textInput, ["name": "reason"])])]
    return card
  }
}
