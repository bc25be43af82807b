import EngagementModel
import Testing

@Suite("Templates: arguments of a presentation") struct TemplateValuesTests {
  private static func template() throws -> Template {
    try Template.template("offer").string("title", default: "Hello").number("count", default: 2)
      .boolean("on", default: false).file("picture").action("then")
      .dictionary("map", default: ["a": "x", "deep": ["n": 1, "b": true]])
      .file("map.file").action("map.deep.go").template
  }

  private func values(_ arguments: JSONObject) throws -> TemplateValues {
    TemplateValues(try Self.template(), filledWith: arguments) { url in
      url.hasPrefix("https://here/") ? "/files/\(url.dropFirst(13))" : nil
    }
  }

  @Test("C2: without a campaign's value the default counts, and files and actions have none")
  func defaults() throws {
    let values = try values([:])
    #expect(values.string("title") == "Hello")
    #expect(values.number("count") == 2)
    #expect(values.bool("on") == false)
    #expect(values.file("picture") == nil)
    #expect(values.action("then") == nil)
    #expect(values.dictionary("map") == ["a": "x", "deep": ["n": 1, "b": true]])
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    let given: JSON
    let number: Double?
    let text: String?
    let flag: Bool?

    var testDescription: String { "\(name) from \(given)" }
  }

  static let cases: [Case] = [
    Case(name: "title", given: "Hi", number: nil, text: "Hi", flag: nil),
    Case(name: "title", given: 5, number: nil, text: "Hello", flag: nil),
    Case(name: "title", given: .null, number: nil, text: "Hello", flag: nil),
    Case(name: "title", given: ["action": "close"], number: nil, text: "Hello", flag: nil),
    Case(name: "count", given: 5, number: 5, text: nil, flag: nil),
    Case(name: "count", given: 0.5, number: 0.5, text: nil, flag: nil),
    Case(name: "count", given: true, number: 1, text: nil, flag: nil),
    Case(name: "count", given: "5", number: 2, text: nil, flag: nil),
    Case(name: "count", given: [5], number: 2, text: nil, flag: nil),
    Case(name: "on", given: true, number: nil, text: nil, flag: true),
    Case(name: "on", given: 1, number: nil, text: nil, flag: true),
    Case(name: "on", given: 0.0, number: nil, text: nil, flag: false),
    Case(name: "on", given: "true", number: nil, text: nil, flag: false),
    Case(name: "unknown", given: "Hi", number: nil, text: nil, flag: nil),
    Case(name: "map", given: "Hi", number: nil, text: nil, flag: nil),
  ]

  @Test(
    "C2: a campaign's value counts if its type fits, and the default otherwise", arguments: cases)
  func merge(_ test: Case) throws {
    let values = try values([test.name: test.given])
    #expect(values.string(test.name) == test.text)
    #expect(values.number(test.name) == test.number)
    #expect(values.bool(test.name) == test.flag)
  }

  @Test("C8: a file is the path on this device, and is absent if it is not there")
  func files() throws {
    #expect(try values(["picture": "https://here/1.png"]).file("picture") == "/files/1.png")
    #expect(try values(["picture": "https://gone/1.png"]).file("picture") == nil)
    #expect(try values(["picture": 1]).file("picture") == nil)
    #expect(try values(["picture": "https://here/1.png"]).string("picture") == nil)
  }

  @Test("C6: an action is what the campaign chose, and nothing if it makes no sense")
  func actions() throws {
    let sound: [(JSON, TemplateAction)] = [
      (["action": "close"], .close),
      (["action": "openURL", "url": "https://a.example"], .openURL("https://a.example")),
      (["action": "keyValues", "values": ["k": 1]], .keyValues(["k": 1])),
      (
        ["action": "function", "template": "run", "arguments": ["a": 1]],
        .function("run", arguments: ["a": 1])
      ), (["action": "function", "template": "run"], .function("run", arguments: [:])),
    ]
    for (json, action) in sound { #expect(try values(["then": json]).action("then") == action) }
    let unsound: [JSON] = [
      "close", .null, [:], ["action": "dance"], ["action": "openURL"],
      ["action": "openURL", "url": "javascript:alert(1)"], ["action": "keyValues", "values": 1],
      ["action": "function"], ["action": "function", "template": ""],
    ]
    for json in unsound { #expect(try values(["then": json]).action("then") == nil) }
  }

  @Test("C2: a group is nested objects, with paths of files and names of actions")
  func groups() throws {
    let values = try values([
      "map.a": "y", "map.file": "https://here/f", "map.deep.n": 2.5, "map.stray": 1,
      "map.deep.go": ["action": "function", "template": "run"],
    ])
    #expect(
      values.dictionary("map") == [
        "a": "y", "deep": ["n": 2.5, "b": true, "go": "run"], "file": "/files/f",
      ])
    #expect(values.dictionary("map.deep") == ["n": 2.5, "b": true, "go": "run"])
    #expect(values.dictionary("ma") == nil && values.dictionary("title") == nil)
    #expect(values.action("map.deep.go") == .function("run", arguments: [:]))
  }

  @Test("a change of one value makes another presentation")
  func equality() throws {
    #expect(try values([:]) == values(["unknown": 1]))
    #expect(try values([:]) != values(["count": 3]))
    #expect(try values([:]).hashValue == values(["title": .null]).hashValue)
  }
}
