import EngagementModel
import Foundation
import Testing

@Suite("Card filters as values")
struct CardFilterTests {
  @Test("A12: each operator accepts exactly the types in the vendor's table", arguments: cells)
  func matrix(cell: Cell) throws {
    let filter = Result {
      try CardFilter(field: cell.field, operator: cell.operator, values: cell.values)
    }
    switch (filter, cell.isAllowed) {
    case (.success(let filter), true): #expect(filter.values == cell.values)
    case (.failure(let error as EngagementError), false):
      #expect(error.code == .invalidArgument)
      #expect(
        error.message.contains("on \(cell.fieldName), the operator \(cell.operator.rawValue) "))
    default: Issue.record("\(cell): \(filter)")
    }
  }

  @Test("A12: a filter written in code equals the one made from data", arguments: pairs)
  func written(filter: CardFilter, field: CardFilter.Field, values: [CardFilter.Value]) throws {
    let made = try CardFilter(field: field, operator: filter.operator, values: values)
    #expect(filter == made)
    #expect(filter.hashValue == made.hashValue)
    #expect(throws: Never.self) { try filter.validate() }
  }

  @Test(
    "A12: values that no vendor accepts throw an error that names field and operator",
    arguments: faults)
  func fault(
    field: CardFilter.Field, operator: CardFilter.Operator, values: [CardFilter.Value]
  ) throws {
    let error = #expect(throws: EngagementError.self) {
      try CardFilter(field: field, operator: `operator`, values: values)
    }
    #expect(error?.code == .invalidArgument)
    let name = try #require(fieldNames[field])
    let place = "on \(name), the operator \(`operator`.rawValue) "
    #expect(error?.message.contains(place) == true)
  }

  @Test("A12: validation refuses an invalid filter written in code", arguments: unsent)
  func validation(filter: CardFilter) {
    #expect(throws: EngagementError.self) { try filter.validate() }
  }

  /// Not a table: on Linux, Foundation traps where it describes such a date.
  @Test("A12: a time outside four-digit years fails validation, and its match is unknown")
  func unprintableTime() {
    for seconds in [Double.nan, .infinity, -.infinity, 1e15, -1e15] {
      let filter = CardFilter.created(.equals(Date(timeIntervalSince1970: seconds)))
      #expect(throws: EngagementError.self) { try filter.validate() }
      let answer = filter.matches(.flat)
      #expect(answer == nil)
    }
  }

  @Test("A12: integers and fractions mix in one filter, and a range may start and end at one value")
  func accepted() throws {
    let mixed: [CardFilter.Value] = [.integer(1), .number(2.5)]
    _ = try CardFilter(field: .variable("n"), operator: .oneOf, values: mixed)
    _ = try CardFilter(field: .variable("n"), operator: .between, values: mixed)
    _ = try CardFilter(field: .priority, operator: .between, values: [.integer(1), .integer(1)])
    _ = try CardFilter(field: .priority, operator: .equal, values: [.number(10)])
  }

  @Test("filter names and texts compare by their bytes")
  func bytes() {
    #expect(
      CardFilter.variable("\u{e9}", .equals(true)) != .variable("e\u{301}", .equals(true)))
    #expect(CardFilter.templateID(.equals("\u{e9}")) != .templateID(.equals("e\u{301}")))
    #expect(
      Set([CardFilter.cardID("\u{e9}"), .cardID("e\u{301}"), .cardID("\u{e9}")]).count == 2)
    #expect(CardFilter.variable("a", .equals(1)) != .variable("a", .equals(1.0)))
    #expect(CardFilter.variable("templateID", .equals("x")) != .templateID(.equals("x")))
  }
}

/// One field with one operator and values of one type, and what the vendor's table says of it.
struct Cell: Sendable, CustomTestStringConvertible {
  let field: CardFilter.Field
  let fieldName: String
  let `operator`: CardFilter.Operator
  let values: [CardFilter.Value]
  let isAllowed: Bool

  var testDescription: String { "\(fieldName) \(`operator`.rawValue) \(values)" }
}

private let cells: [Cell] = {
  let equality: [CardFilter.Operator] = [.equal, .notEqual]
  let lists: [CardFilter.Operator] = [.oneOf, .noneOf]
  let order: [CardFilter.Operator] = [
    .greaterThan, .greaterThanOrEqual, .lessThan, .lessThanOrEqual, .between,
  ]
  let number: [CardFilter.Value] = [.integer(2), .integer(3)]
  let date: [CardFilter.Value] = [.date(moment(0)), .date(moment(1))]
  let string: [CardFilter.Value] = [.string("a"), .string("b")]
  let bool: [CardFilter.Value] = [.bool(true), .bool(false)]
  let all = equality + lists + order
  let rows: [(CardFilter.Field, String, [([CardFilter.Value], [CardFilter.Operator])])] = [
    (.priority, "priority", [(number, all), (date, []), (string, []), (bool, [])]),
    (.created, "created", [(number, []), (date, all), (string, []), (bool, [])]),
    (
      .templateID, "templateID", [(number, []), (date, []), (string, equality + lists), (bool, [])]
    ),
    (
      .templateName, "templateName",
      [(number, []), (date, []), (string, equality + lists), (bool, [])]
    ),
    (
      .variable("v"), "variable",
      [(number, all), (date, all), (string, equality + lists), (bool, equality)]
    ),
    (.cardID, "cardID", [(number, []), (date, []), (string, [.equal]), (bool, [])]),
  ]
  return rows.flatMap { field, name, types in
    types.flatMap { values, allowed in
      all.map { one in
        let count = one == .between ? 2 : 1
        return Cell(
          field: field, fieldName: name, operator: one, values: Array(values.prefix(count)),
          isAllowed: allowed.contains(one))
      }
    }
  }
}()

private let pairs: [(CardFilter, CardFilter.Field, [CardFilter.Value])] = [
  (.priority(.equals(2)), .priority, [.integer(2)]),
  (.priority(.notEquals(2)), .priority, [.integer(2)]),
  (.priority(.greaterThan(2)), .priority, [.integer(2)]),
  (.priority(.atLeast(2)), .priority, [.integer(2)]),
  (.priority(.lessThan(2)), .priority, [.integer(2)]),
  (.priority(.atMost(2)), .priority, [.integer(2)]),
  (.priority(.between(2, 6)), .priority, [.integer(2), .integer(6)]),
  (.priority(.oneOf([1, 2])), .priority, [.integer(1), .integer(2)]),
  (.priority(.noneOf([1])), .priority, [.integer(1)]),
  (
    .created(.between(moment(0), moment(1))), .created, [.date(moment(0)), .date(moment(1))]
  ),
  (.created(.oneOf([moment(0)])), .created, [.date(moment(0))]),
  (.templateID(.equals("t")), .templateID, [.string("t")]),
  (.templateName(.oneOf(["a", "b"])), .templateName, [.string("a"), .string("b")]),
  (.templateName(.noneOf(["a"])), .templateName, [.string("a")]),
  (.variable("vip", .equals(true)), .variable("vip"), [.bool(true)]),
  (.variable("tier", .notEquals("gold")), .variable("tier"), [.string("gold")]),
  (.variable("n", .lessThan(Int64.max)), .variable("n"), [.integer(.max)]),
  (.variable("n", .between(1, 2.5)), .variable("n"), [.number(1), .number(2.5)]),
  (.variable("due", .atMost(moment(0))), .variable("due"), [.date(moment(0))]),
  (.cardID("i-1"), .cardID, [.string("i-1")]),
]

private let fieldNames: [CardFilter.Field: String] = [
  .priority: "priority", .created: "created", .templateID: "templateID",
  .templateName: "templateName", .variable("v"): "variable", .cardID: "cardID",
]

private let faults: [(CardFilter.Field, CardFilter.Operator, [CardFilter.Value])] = [
  (.priority, .equal, [.integer(0)]), (.priority, .equal, [.integer(11)]),
  (.priority, .oneOf, [.integer(1), .integer(-1)]), (.priority, .equal, [.number(1.5)]),
  (.priority, .equal, [.number(.nan)]), (.priority, .between, [.integer(6), .integer(2)]),
  (.priority, .between, [.integer(1), .integer(11)]),
  (.variable("v"), .between, [.number(2.5), .integer(2)]),
  (.variable("v"), .between, [.number(0), .number(.infinity)]),
  (.variable("v"), .equal, [.number(.nan)]),
  (.variable("v"), .oneOf, [.integer(1), .string("1")]),
  (.variable("v"), .oneOf, [.string("1"), .date(moment(0))]),
  (.variable("v"), .noneOf, [.string("1"), .bool(true)]),
  (.variable("v"), .between, [.integer(1), .date(moment(0))]),
  (.variable("v"), .equal, []), (.variable("v"), .notEqual, []), (.priority, .greaterThan, []),
  (.priority, .greaterThanOrEqual, []), (.priority, .lessThan, []),
  (.priority, .lessThanOrEqual, []), (.templateID, .oneOf, []), (.templateName, .noneOf, []),
  (.priority, .between, []), (.priority, .between, [.integer(1)]),
  (.priority, .between, [.integer(1), .integer(2), .integer(3)]),
  (.priority, .equal, [.integer(1), .integer(2)]), (.cardID, .equal, []),
  (.created, .between, [.date(moment(1)), .date(moment(0))]),
]

private let unsent: [CardFilter] = [
  .priority(.between(6, 2)), .priority(.equals(11)), .templateName(.oneOf([])),
  .variable("n", .equals(Double.nan)), .created(.between(moment(1), moment(0))),
  .variable("vip", .noneOf([Int]())),
]
