import EngagementJSON
import EngagementModel
import Testing

@testable import EngagementAnalytics

@Suite struct PropertyPathTests {
  private static let data: JSON = [
    "size": "large",
    "values": ["guests": 2, "name": "Ada", "more": [["a.b": 1], ["a.b": 2, "c": 3]]],
    "a.b": 4, "email": "x", "email.work": "y",
  ]

  @Test(
    "X14: a path finds a property, or a value within one",
    arguments: [
      ("size", JSON.string("large")), ("values.guests", 2), ("a.b", 4), ("email.work", "y"),
      ("size.x", nil), ("values.x", nil), ("x", nil), ("values.", nil), (".size", nil),
    ] as [(String, JSON?)])
  func value(path: String, value: JSON?) {
    #expect(PropertyPath(path).value(in: Self.data) == value)
  }

  @Test("X14: a path leaves out a property, a value within one, and what its name begins")
  func rest() throws {
    func rest(_ path: String) -> String {
      PropertyPath(path).rest(of: Self.data).map { String(decoding: $0.encoded(), as: UTF8.self) }
        ?? "nothing"
    }
    #expect(rest("email").hasSuffix(#""a.b":4}"#))
    #expect(rest("values.guests").contains(#""values":{"name":"Ada","more":"#))
    #expect(rest("values.more.a.b").contains(#""more":[{"c":3}]"#), "\(rest("values.more.a.b"))")
    #expect(rest("values") == #"{"size":"large","a.b":4,"email":"x","email.work":"y"}"#)
    #expect(PropertyPath("none.x").isIn(Self.data) == false)
    #expect(PropertyPath("a").rest(of: ["a": 1]) == nil)
  }

  private static func event(
    _ type: String, _ data: JSON, name: String = "Tea"
  ) -> EventRecord {
    var event = EventRecord()
    for column in EventColumn.allCases {
      switch column {
      case .id, .source: event.text(column.name)
      case .type: event.text(type)
      case .time: event.time(0)
      case .sequence: event.integer(1)
      case .data:
        let bytes = data.encoded()
        event.json(bytes.span.bytes)
      case .subject, .recordedTime, .uptime, .zoneOffset, .user, .session, .provider, .surface,
        .container:
        event.missing()
      case .name: event.text(name)
      }
    }
    return event
  }

  @Test("X14: a condition and a redaction reach a value within a property")
  func within() throws {
    let event = Self.event("engage.submit", ["values": ["guests": 2, "seat": "A"]])
    #expect(try EventCondition("data.values.guests=2").holds(for: event))
    #expect(try !EventCondition("data.values.guests=3").holds(for: event))
    var events = FilteredEvents(
      [try EventCondition("data.values.gests=2")],
      try EventRedaction([.property("values.guests")]), to: NDJSONEncoder())
    event.send(to: &events)
    #expect(events.unmetConditions.map(\.name) == ["values.gests"] && events.dropped == 1)
    var redacted = FilteredEvents(
      [], try EventRedaction([.property("values.guests")]), to: NDJSONEncoder())
    event.send(to: &redacted)
    let text = String(decoding: redacted.next.bytes, as: UTF8.self)
    #expect(text.contains(#""data":{"values":{"seat":"A"}}"#), "\(text)")
    #expect(redacted.unmetProperties.isEmpty)
  }

  @Test(
    "X14: no condition holds for what an export leaves out",
    arguments: [
      "data.total>4710", "data.total<4712", "data.ref>for 4", "data.note>A", "data.message>A",
      "data.email>A", "name>Visit of 4",
    ])
  func hidden(condition: String) throws {
    let data: JSON = [
      "total": 4711, "ref": "for 4711", "note": "call +1 415 555 0100", "message": "I am Ada",
      "email": "a", "useful": false,
    ]
    for (people, selected) in [(nil, 1), (PersonIDs(["4711"]), 0)] {
      var events = FilteredEvents(
        [try EventCondition(condition), try EventCondition("data.useful=false")],
        try EventRedaction([]), hiding: people, to: PersonalDataFilter(of: people))
      Self.event("engage.card.vote", data, name: "Visit of 4711").send(to: &events)
      #expect(1 - events.dropped == selected)
    }
  }

  @Test("X14: a value names a person in whatever way the number is written")
  func numbers() throws {
    for value in ["4711", "4711.0", "4.711e3", "47110e-1", "04711"] {
      #expect(try EventCondition("data.total=\(value)").names(PersonIDs(["4711"])), "\(value)")
    }
    #expect(try !EventCondition("data.total=4712").names(PersonIDs(["4711"])))
    #expect(try EventCondition("data.4711=yes").names(PersonIDs(["4711"])))
  }

  @Test("X14: fields that are left out are named by their paths, and a vote has no message")
  func paths() throws {
    var filter = PersonalDataFilter(of: PersonIDs(["u-1"]))
    Self.event("engage.submit", ["values": ["email": "a@example.com", "guests": 2]])
      .send(to: &filter)
    Self.event("engage.card.vote", ["useful": false, "message": "I am Ada"]).send(to: &filter)
    Self.event("engage.custom", ["message": "sold out"]).send(to: &filter)
    #expect(filter.lostFields == ["data.values.email", "data.message"] && filter.cleaned == 2)
    var encoder = NDJSONEncoder()
    filter.takePage().send(to: &encoder)
    let text = String(decoding: encoder.bytes, as: UTF8.self)
    #expect(text.contains(#"{"values":{"guests":2}}"#) && !text.contains("Ada"), "\(text)")
    #expect(text.contains("sold out"))
  }
}
