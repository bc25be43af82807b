import EngagementModel
import Testing

@Suite("The neutral JSON of a filter")
struct CardFilterJSONTests {
  @Test("A12: a filter prints as one JSON object and reads back equal", arguments: texts)
  func text(filter: CardFilter, text: String) throws {
    #expect(filter.json.printed == text)
    #expect(try CardFilter(json: filter.json) == filter)
  }

  @Test("A12: JSON that is not a filter throws an error that names the fault", arguments: faults)
  func fault(json: JSON, places: [String]) {
    for place in places {
      expectFault(place, json.printed) { try CardFilter(json: json).json }
    }
  }

  @Test("unknown members are ignored, and a redundant type is accepted")
  func unknown() throws {
    let json: JSON = [
      "schema": 1, "field": "variable", "name": "n", "type": "number", "operator": "equal",
      "values": [1],
    ]
    #expect(try CardFilter(json: json) == .variable("n", .equals(1)))
  }
}

private let texts: [(CardFilter, String)] = [
  (.priority(.between(2, 6)), #"{"field":"priority","operator":"between","values":[2,6]}"#),
  (.priority(.equals(1)), #"{"field":"priority","operator":"equal","values":[1]}"#),
  (.priority(.notEquals(1)), #"{"field":"priority","operator":"notEqual","values":[1]}"#),
  (.priority(.greaterThan(1)), #"{"field":"priority","operator":"greaterThan","values":[1]}"#),
  (.priority(.atLeast(1)), #"{"field":"priority","operator":"greaterThanOrEqual","values":[1]}"#),
  (.priority(.lessThan(1)), #"{"field":"priority","operator":"lessThan","values":[1]}"#),
  (.priority(.atMost(1)), #"{"field":"priority","operator":"lessThanOrEqual","values":[1]}"#),
  (.priority(.oneOf([1, 2])), #"{"field":"priority","operator":"in","values":[1,2]}"#),
  (.priority(.noneOf([1])), #"{"field":"priority","operator":"notIn","values":[1]}"#),
  (
    .created(.atLeast(moment(0))),
    #"{"field":"created","operator":"greaterThanOrEqual","values":["2026-09-21T14:13:20.123Z"]}"#
  ),
  (.templateID(.equals("t")), #"{"field":"templateID","operator":"equal","values":["t"]}"#),
  (
    .templateName(.oneOf(["a", "b"])),
    #"{"field":"templateName","operator":"in","values":["a","b"]}"#
  ),
  (
    .variable("vip", .equals(true)),
    #"{"field":"variable","name":"vip","operator":"equal","values":[true]}"#
  ),
  (
    .variable("n", .between(1.5, 2)),
    #"{"field":"variable","name":"n","operator":"between","values":[1.5,2.0]}"#
  ),
  (
    .variable("due", .equals(moment(0))),
    #"{"field":"variable","name":"due","type":"date","operator":"equal","#
      + #""values":["2026-09-21T14:13:20.123Z"]}"#
  ),
  (
    .variable("due", .equals("2026-09-21T14:13:20.123Z")),
    #"{"field":"variable","name":"due","operator":"equal","#
      + #""values":["2026-09-21T14:13:20.123Z"]}"#
  ),
  (.cardID("i-1"), #"{"field":"cardID","operator":"equal","values":["i-1"]}"#),
]

private let faults: [(JSON, [String])] = [
  ([:], ["filter.field"]),
  (["field": "title"], ["filter.field", "priority"]),
  (["field": 1], ["filter.field"]),
  (["field": "priority"], ["filter.operator"]),
  (["field": "priority", "operator": "like"], ["filter.operator", "between"]),
  (["field": "priority", "operator": "equal"], ["filter.values"]),
  (["field": "priority", "operator": "equal", "values": 5], ["filter.values"]),
  (["field": "priority", "operator": "equal", "values": ["5"]], ["priority", "equal"]),
  (["field": "priority", "operator": "in", "values": []], ["priority", "in"]),
  (["field": "priority", "operator": "equal", "values": [11]], ["priority", "equal"]),
  (["field": "priority", "operator": "between", "values": [6, 2]], ["priority", "between"]),
  (["field": "priority", "operator": "equal", "values": [.null]], ["priority", "equal"]),
  (["field": "created", "operator": "lessThan", "values": ["now"]], ["created", "lessThan"]),
  (["field": "created", "operator": "lessThan", "values": [1]], ["created", "lessThan"]),
  (
    ["field": "templateName", "operator": "lessThan", "values": ["a"]],
    ["templateName", "lessThan"]
  ),
  (["field": "templateID", "operator": "in", "values": ["a", 1]], ["templateID", "in"]),
  (["field": "cardID", "operator": "notEqual", "values": ["a"]], ["cardID", "notEqual"]),
  (["field": "variable", "operator": "equal", "values": [1]], ["filter.name"]),
  (
    ["field": "variable", "name": "v", "operator": "in", "values": [1, "1"]],
    ["variable", "in", "one type"]
  ),
  (["field": "variable", "name": "v", "operator": "in", "values": [true]], ["variable", "in"]),
  (
    ["field": "variable", "name": "v", "operator": "equal", "values": [[1]]],
    ["variable", "equal", "number, date, string, boolean"]
  ),
  (
    ["field": "variable", "name": "v", "type": "date", "operator": "equal", "values": [1]],
    ["variable", "equal", "date"]
  ),
  (
    ["field": "variable", "name": "v", "type": "Date", "operator": "equal", "values": [1]],
    ["filter.type"]
  ),
]
