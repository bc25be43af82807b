import AtomicFixtures
import EngagementAdapterAPI
import EngagementAtomic
import EngagementFormats
import EngagementJSON
import EngagementModel
import EngagementTesting
import FoundationEssentials
import Testing

/// Atomic's cards as neutral ones.
@Suite struct AtomicItemTests {
  @Test("A9 A13 A23: the fullest card arrives with every field")
  func fullest() throws {
    let card = try card(Self.fullest)
    #expect(card.id == ItemID("atomic", "1f0c8a7e"))
    #expect(card.vendor == "atomic")
    #expect(card.kind == .composed)
    #expect(card.status == "active")
    #expect(card.eventName == "rent-due")
    #expect(card.lifecycleID == "rent-2026-11")
    #expect(card.priority == 2)
    #expect(card.createdAt == ISO8601.date(from: "2026-10-01T09:00:00.125Z"))
    #expect(card.updatedAt == ISO8601.date(from: "2026-10-02T09:00:00Z"))
    #expect(card.activeAt == ISO8601.date(from: "2026-10-03T09:00:00Z"))
    #expect(card.expiresAt == ISO8601.date(from: "2026-11-01T09:00:00Z"))
    #expect(card.metadata == ["campaign": "autumn"])
    var actions = Card.Actions(swipe: [.dismiss], menu: [.snooze, .voteUp])
    actions.menuStyle = .overflow
    #expect(card.actions == actions)
    #expect(actions.canDismiss && actions.canSnooze && actions.canVoteUp && !actions.canVoteDown)
    #expect(card.isDismissible)
    #expect(!card.isDismissed)
    #expect(card.handle == ["status": "active"])
    #expect(card.title == "Rent of 20 Oct 2026 is due soon")
    #expect(card.text == "For *water, heat* and .")
    #expect(card.imageURLText == "https://cdn.example.com/flat.png")
    #expect(card.imageAlt == "A flat")
    #expect(
      card.runtimeVariables == [
        .init("dueIn", defaultValue: "soon"), .init("day", defaultValue: "20 Oct 2026"),
        .init("of", defaultValue: "water, heat"), .init("count", defaultValue: "2.5"),
        .init("vip", defaultValue: "true"),
      ])
  }

  @Test("A9: a card's components form a tree of neutral kinds, and unknown ones are left out")
  func components() throws {
    let components = try card(Self.fullest).components
    #expect(
      components.map(\.kind) == [.category, .headline, .text, .list, .image, .video, .form])
    #expect(components[0].attributes == ["text": "Home", "icon": "house"])
    // A text keeps its placeholders: the application fills them when it shows them.
    #expect(components[1].text == "Rent of !{day} is due !{dueIn}")
    #expect(components[3].attributes == ["style": "bullet"])
    #expect(components[3].children.map(\.text) == ["Water: $40", "Heat: $60"])
    #expect(
      components[4].attributes == [
        "format": "banner", "url": "https://cdn.example.com/flat.png",
        "thumbnailURL": "https://cdn.example.com/flat-small.png", "label": "The flat",
        "description": "A photo", "alt": "A flat",
      ])
    let form = try #require(components.last)
    #expect(form.attributes == ["defaultValues": ["source": "card"]])
    #expect(
      form.children.map(\.kind) == [
        .textInput, .numberInput, .stepper, .toggle, .dropdown, .datePicker, .checkboxGroup,
        .fileInput,
      ])
    #expect(
      form.children[0].attributes == [
        "name": "note", "placeholder": "A note", "defaultValue": "", "lines": 3,
        "maximumLength": 140,
        "rules": [
          ["rule": "required", "value": true, "message": "Say something."],
          ["rule": "maximumLength", "value": 140],
        ],
      ])
    #expect(
      form.children[2].attributes == [
        "name": "months", "label": "Months", "minimum": 1, "maximum": 100, "step": 0.5,
      ])
    #expect(
      form.children[4].attributes == [
        "name": "when", "label": "When", "format": "inline",
        "options": [["value": "now", "title": "Now"], ["value": "later", "title": "later"]],
      ])
    #expect(form.children[6].attributes == ["name": "extras", "label": "Extras"])
    #expect(
      form.children[6].children == [
        Component(.checkbox, ["name": "heat", "label": "Heat", "defaultValue": true])
      ])
    #expect(
      form.children[7].attributes == [
        "name": "proof", "label": "Proof", "contentTypes": ["image/png"], "bucket": "b-1",
      ])
  }

  @Test("A9 A10 A13 A15 A16: each Atomic button maps to its neutral action")
  func buttons() throws {
    let card = try card(Self.fullest)
    let expected: [CardButton] = [
      CardButton(
        "Pay", .submit(name: "pay", values: ["button": "pay"]),
        attributes: ["icon": "card", "style": "primary", "url": "https://example.com/paid"]),
      CardButton("Details", .link(.subview("sv1"))),
      CardButton(
        "Call", .link(.url("tel:+6421000000")), attributes: ["target": "_blank"]),
      CardButton("Open", .link(.payload(["screen": "rent", "id": 7]))),
      CardButton("Tomorrow", .snooze(.init(seconds: 86_400))),
      CardButton("Later", .snooze(nil)),
      CardButton("Never", .dismiss),
      CardButton("", .vote(useful: true)),
      CardButton("", .vote(useful: false)),
    ]
    #expect(card.buttons == expected)
    #expect(
      card.subviews == [
        .init(
          "sv1", title: "Details",
          components: [.init(.text, ["text": "More about the rent"])],
          buttons: [CardButton("Done", .dismiss)])
      ])
  }

  @Test("A9 A13: values of the wire that only some clients of the vendor read")
  func lesserValues() throws {
    let item = """
      {"instance":{"id":"a","created":"2026-10-01T09:00:00Z","createdDate":"2026-10-02T09:00:00Z"},
      "metadata":{"receivedAt":"2026-10-03T09:00:00Z"},"defaultView":{"nodes":[
      {"type":"listItem","attributes":{"text":"Water","preIcon":"drop","preIconUrl":"https://a.example/i.png"}},
      {"type":"dropdown","attributes":{"name":"n","values":[{"value":2,"title":"Two"},{"value":true},{"value":[]}]}},
      {"type":"textInput","attributes":{"name":"t"},"validations":{
        "required":{"attributes":{"required":"true"},"errorMessage":"Say it."},
        "maximumLength":{"attributes":{"maximumLength":"140"}},
        "regexp":{"attributes":{"regexp":"12"}}}},
      {"type":"snoozeButton","attributes":{"text":"Later","snoozePeriod":"P1MT1H",
        "icon":"clock","iconUrl":"https://a.example/clock.png"}},
      {"type":"snoozeButton","attributes":{"text":"Ask","snoozePeriod":"-P1M"}}]}}
      """
    let card = try card(item)
    #expect(card.createdAt == ISO8601.date(from: "2026-10-01T09:00:00Z"))
    #expect(
      card.components[0].attributes == [
        "text": "Water", "icon": "drop", "iconURL": "https://a.example/i.png",
      ])
    #expect(
      card.components[1].attributes["options"] == [
        ["value": 2, "title": "Two"], ["value": true, "title": "true"],
      ])
    #expect(
      card.components[2].attributes["rules"] == [
        ["rule": "required", "value": true, "message": "Say it."],
        ["rule": "maximumLength", "value": 140], ["rule": "regexp", "value": "12"],
      ])
    #expect(
      card.buttons == [
        CardButton(
          "Later", .snooze(.init(months: 1, seconds: 3_600)),
          attributes: ["icon": "clock", "iconURL": "https://a.example/clock.png"]),
        CardButton("Ask", .snooze(nil)),
      ])
  }

  @Test("A9 A13 A31: what other clients of the vendor call a member means the same")
  func otherSpellings() throws {
    let item = """
      {"instance":{"id":"a"},"defaultView":{"nodes":[
      {"type":"image","attributes":{"media":{"url":"https://cdn.example.com/a.png",
        "thumbnailUrl":"https://cdn.example.com/b.png","mediaDescription":"A photo","alternateText":"A flat",
        "thumbnailAlternateText":"Small","dimensions":{"height":"short"},
        "actionType":"url","actionUrl":"https://example.com/flat"}}},
      {"type":"image","attributes":{"media":{"dimensions":{"height":"huge"},
        "actionType":"subview","actionLayoutName":"sv1"}}},
      {"type":"image","attributes":{"media":{"actionType":"payload","actionPayload":{"screen":"flat"}}}},
      {"type":"image","attributes":{"media":{"actionType":"url","actionUrl":"javascript:x"}}},
      {"type":"image","attributes":{"url":"https://cdn.example.com/d.png","alternateText":"A hall",
        "dimensions":{"height":"medium"},"actionType":"payload","actionPayload":{"screen":"hall"}}},
      {"type":"list","attributes":{"style":"number"}},
      {"type":"textInput","attributes":{"name":"a","maximumLength":9,"maxLength":7}},
      {"type":"textInput","attributes":{"name":"b","maximumLength":9,
        "thumbnailUrl":"https://cdn.example.com/c.png"}},
      {"type":"linkButton","attributes":{"text":"More","layoutName":"sv1","url":"https://example.com"}}]}}
      """
    let card = try card(item)
    let expected: [JSONObject] = [
      [
        "url": "https://cdn.example.com/a.png", "thumbnailURL": "https://cdn.example.com/b.png",
        "description": "A photo", "alt": "A flat", "thumbnailAlt": "Small", "height": "short",
        "link": ["url": "https://example.com/flat"],
      ],
      ["height": "tall", "link": ["subview": "sv1"]],
      ["link": ["payload": ["screen": "flat"]]],
      [:],
      [
        "url": "https://cdn.example.com/d.png", "alt": "A hall", "height": "medium",
        "link": ["payload": ["screen": "hall"]],
      ],
      ["style": "number"],
      ["name": "a", "maximumLength": 7],
      [
        "name": "b", "maximumLength": 9, "thumbnailURL": "https://cdn.example.com/c.png",
      ],
    ]
    #expect(card.components.map(\.attributes) == expected)
    #expect(card.imageURLText == "https://cdn.example.com/a.png" && card.imageAlt == "A flat")
    #expect(card.buttons == [CardButton("More", .link(.subview("sv1")))])
  }

  @Test("A9: an image that has only a small version shows that one, with its text")
  func thumbnail() throws {
    let item = """
      {"instance":{"id":"a"},"defaultView":{"nodes":[{"type":"image","attributes":{"format":"thumbnail",
        "thumbnailSrc":"https://cdn.example.com/s.png","altText":{"thumbnailSrc":"A flat"}}}]}}
      """
    let card = try card(item)
    #expect(card.imageURLText == "https://cdn.example.com/s.png" && card.imageAlt == "A flat")
  }

  // MARK: Absent, of a wrong type, unknown

  /// What a card's members become.
  struct Leniency: Sendable, CustomTestStringConvertible {
    var member: String
    var read: @Sendable (Card) -> JSON?
    var values: [(sent: String, read: JSON?)]
    var testDescription: String { member }
  }

  static let leniency: [Leniency] = [
    Leniency(
      member: "instance.status", read: { $0.status.map(JSON.string) },
      values: [("null", nil), ("7", nil), (#""odd""#, "odd")]),
    Leniency(
      member: "instance.status", read: { .bool($0.isDismissed) },
      values: [
        (#""active""#, false), (#""completed""#, true), (#""dismissed""#, true),
        (#""expired""#, true), (#""cancelled""#, true), (#""snoozed""#, false),
        (#""odd""#, false), ("{}", false),
      ]),
    Leniency(
      member: "metadata.priority", read: { $0.priority.map { .integer(Int64($0)) } },
      values: [
        ("null", nil), ("1", 1), ("10", 10), ("5.0", 5), ("0", nil), ("11", nil), ("5.5", nil),
        (#""5""#, nil), ("-1", nil), ("1e99", nil),
      ]),
    Leniency(
      member: "metadata.expiryDate",
      read: { $0.expiresAt.flatMap { ISO8601.text(of: $0) }.map(JSON.string) },
      values: [
        ("null", nil), ("1790845200", nil), (#""tomorrow""#, nil), ("[]", nil),
        (#""2026-10-01T22:00:00+13:00""#, "2026-10-01T09:00:00.000Z"),
      ]),
    Leniency(
      member: "metadata.payloadMetadata", read: { .object($0.metadata) },
      values: [("null", [:]), (#""a""#, [:]), (#"{"a":{"b":[1]}}"#, ["a": ["b": [1]]])]),
    Leniency(
      member: "actions.dismiss", read: { .bool($0.actions.canDismiss) },
      values: [
        ("null", false), ("true", false), (#"{"swipe":false,"overflow":false}"#, false),
        (#"{"swipe":true}"#, true), (#"{"overflow":true}"#, true), (#"{"overflow":"yes"}"#, false),
        (#"{"hover":true}"#, false),
      ]),
    Leniency(
      member: "runtimeVariables", read: { .integer(Int64($0.runtimeVariables.count)) },
      values: [
        ("null", 0), ("7", 0), ("[1,{},{\"name\":7},{\"name\":\"a\"}]", 1),
        (#"{"a":"b","c":1}"#, 2),
      ]),
    Leniency(
      member: "defaultView", read: { .integer(Int64($0.components.count)) },
      values: [
        ("null", 0), ("[]", 0), (#"{"nodes":{}}"#, 0), (#"{"nodes":[7,null,{},{"type":7}]}"#, 0),
        (#"{"nodes":[{"type":"hologram","children":[{"type":"text"}]}]}"#, 0),
        (#"{"nodes":[{"type":"text"},{"type":"text","attributes":7,"children":{}}]}"#, 2),
      ]),
    Leniency(
      member: "subviews", read: { .integer(Int64($0.subviews.count)) },
      values: [("null", 0), ("[]", 0), (#"{"a":7,"b":{},"c":{"title":7,"nodes":7}}"#, 2)]),
  ]

  @Test(
    "A9 G17: an absent, wrong or unknown member costs only itself and the card stays",
    arguments: leniency
  )
  func lenient(_ row: Leniency) throws {
    for (sent, read) in row.values {
      #expect(row.read(try card(Self.with(row.member, sent))) == read, "\(row.member) = \(sent)")
    }
    #expect(row.read(try card(#"{"instance":{"id":"a"}}"#)) == row.values[0].read)
  }

  @Test(
    "A9 G17: a card without a usable id is quarantined",
    arguments: [
      "{}", "7", "null", "[]", #"{"instance":7}"#, #"{"instance":{}}"#,
      #"{"instance":{"id":null}}"#, #"{"instance":{"id":""}}"#, #"{"instance":{"id":{}}}"#,
      #"{"instance":{"id":"a","id":"b"}}"#, #"{"instance":{"id":"a\u0000"}}"#, "{",
    ])
  func quarantined(_ item: String) throws {
    #expect {
      try card(item)
    } throws: { ($0 as? EngagementError)?.code == .malformedResponse }
  }

  @Test("A9: an id keeps its bytes, and a numeric id becomes its digits")
  func ids() throws {
    for (sent, id) in [
      (#""e\u0301""#, "e\u{301}"), (#""é""#, "é"), ("9007199254740993", "9007199254740993"),
      (#""👩‍👩‍👧 ‏א""#, "👩‍👩‍👧 ‏א"),
    ] {
      #expect(try card(#"{"instance":{"id":\#(sent)}}"#).id.value.hasSameBytes(as: id))
    }
  }

  // MARK: Parts

  private func card(_ item: String) throws -> Card {
    try AtomicSamples.adapter().card(in: RawItem(index: 0, bytes: Array(item.utf8)[...]))
  }

  /// A card with one member set, by its dotted name.
  private static func with(_ member: String, _ value: String) -> String {
    let parts = member.split(separator: ".")
    if parts.first == "instance" { return #"{"instance":{"id":"a","\#(parts[1])":\#(value)}}"# }
    let inner = parts.count > 1 ? #"{"\#(parts[1])":\#(value)}"# : value
    return #"{"instance":{"id":"a"},"\#(parts[0])":\#(inner)}"#
  }

  private static let fullest = """
    {"instance":{"id":"1f0c8a7e","eventName":"rent-due","lifecycleId":"rent-2026-11","status":"active"},
    "actions":{"dismiss":{"swipe":true,"overflow":false},"snooze":{"overflow":true},
      "voteUp":{"overflow":true},"voteDown":{"overflow":false},"teleport":{"swipe":true}},
    "metadata":{"title":"Rent","priority":2,"receivedAt":"2026-10-01T09:00:00.125Z",
      "updatedAt":"2026-10-02T09:00:00Z","lastCardActiveTime":"2026-10-03T09:00:00Z",
      "expiryDate":"2026-11-01T09:00:00Z","payloadMetadata":{"campaign":"autumn"},"menuOption":"overflow"},
    "runtimeVariables":[{"name":"dueIn","type":"string","defaultValue":"soon"},
      {"name":"day","type":"date","defaultValue":"2026-10-20T00:00:00.000Z","defaultFormatterOption":"DD MMM YYYY"},
      {"name":"of","type":"list","defaultValue":["water","heat"]},
      {"name":"count","type":"number","defaultValue":2.5},{"name":"vip","type":"boolean","defaultValue":true}],
    "defaultView":{"nodes":[
      {"type":"cardDescription","attributes":{"text":"Home","icon":"house"}},
      {"type":"headline","attributes":{"text":"Rent of !{day} is due !{dueIn}"}},
      {"type":"text","attributes":{"text":"For *!{of}* and !{unknown}."}},
      {"type":"list","attributes":{"type":"bullet"},"children":[
        {"type":"listItem","attributes":{"text":"Water: $40"}},{"type":"listItem","attributes":{"text":"Heat: $60"}}]},
      {"type":"hologram","attributes":{"text":"no"},"children":[{"type":"dismissButton"}]},
      {"type":"image","attributes":{"format":"banner","src":"https://cdn.example.com/flat.png",
        "thumbnailSrc":"https://cdn.example.com/flat-small.png","label":"The flat","description":"A photo",
        "altText":{"src":"A flat"}}},
      {"type":"video","attributes":{"format":"inline","src":"https://cdn.example.com/tour.mp4"}},
      {"type":"form","attributes":{"defaultValues":{"source":"card"}},"children":[
        {"type":"textInput","attributes":{"name":"note","placeholder":"A note","defaultValue":"",
          "numberOfLines":3,"maxLength":140},"validations":{
          "maximumLength":{"attributes":{"maximumLength":140}},
          "required":{"attributes":{"required":true,"errorMessage":"Say something."}},"odd":{}}},
        {"type":"numberInput","attributes":{"name":"amount","defaultValue":12.5}},
        {"type":"stepper","attributes":{"name":"months","label":"Months","minimumValue":1,"stepValue":0.5}},
        {"type":"switch","attributes":{"name":"monthly","label":"Each month","defaultValue":true}},
        {"type":"dropdown","attributes":{"name":"when","label":"When","format":"inline",
          "values":[{"value":"now","title":"Now"},{"value":"later"},{"title":"Nothing"},7]}},
        {"type":"datePicker","attributes":{"name":"day","placeholder":"A day"}},
        {"type":"checkboxGroup","attributes":{"key":"extras","label":"Extras"},"children":[
          {"type":"checkboxItem","attributes":{"key":"heat","label":"Heat","defaultValue":true}}]},
        {"type":"fileUpload","attributes":{"key":"proof","label":"Proof","allowedTypes":["image/png"],
          "bucketId":"b-1"}},
        {"type":"submitButton","attributes":{"text":"Pay","name":"pay","values":{"button":"pay"},
          "icon":"card","buttonType":"primary","url":"https://example.com/paid"}},
        {"type":"linkButton","attributes":{"text":"Details","layoutId":"sv1","url":"https://example.com"}},
        {"type":"linkButton","attributes":{"text":"Call","url":"tel:+6421000000","target":"_blank"}},
        {"type":"linkButton","attributes":{"text":"Open","action":{"screen":"rent","id":7},"layoutId":"sv1"}},
        {"type":"snoozeButton","attributes":{"text":"Tomorrow","snoozePeriod":"P1D"}},
        {"type":"snoozeButton","attributes":{"text":"Later","snoozePeriod":"-PT5S"}},
        {"type":"dismissButton","attributes":{"text":"Never"}}]},
      {"type":"voteUpButton","attributes":{}},{"type":"voteDownButton","attributes":{}}]},
    "subviews":{"sv1":{"title":"Details","nodes":[{"type":"text","attributes":{"text":"More about the rent"}},
      {"type":"dismissButton","attributes":{"text":"Done"}}]}},"novelty":[1,2]}
    """
}
