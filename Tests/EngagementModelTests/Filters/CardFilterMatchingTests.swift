import EngagementModel
import Foundation
import TestSupport
import Testing

@Suite("Card filters evaluated without a vendor")
struct CardFilterMatchingTests {
  @Test("A12: a filter matches a card, does not match it, or is unknown", arguments: verdicts)
  func verdict(filter: CardFilter, expected: Bool?) {
    #expect(filter.matches(sample) == expected)
  }

  @Test(
    "A12: every operator is unknown on a field that the card lacks",
    arguments: unanswerable)
  func absent(filter: CardFilter) {
    #expect(filter.matches(Card.with { _ in }) == nil)
  }

  @Test(
    "A12: in a conjunction false wins over unknown, and unknown wins over true", arguments: 0..<40)
  func conjunction(number: Int) {
    let truths: [(CardFilter, Bool?)] = [
      (.priority(.equals(3)), true), (.priority(.equals(4)), false),
      (.templateID(.equals("")), nil),
    ]
    // 1 + 3 + 9 + 27 lists: every list of up to three.
    let (length, first) = [(3, 13), (2, 4), (1, 1), (0, 0)].first { number >= $0.1 } ?? (0, 0)
    var digits = number - first
    let chosen = (0..<length).map { _ in
      defer { digits /= 3 }
      return truths[digits % 3]
    }
    let values = chosen.map(\.1)
    let expected = values.contains(false) ? false : values.contains(nil) ? nil : Bool?.some(true)
    #expect(CardFilter.all(chosen.map(\.0), match: sample) == expected)
  }

  @Test("A12: every operator on whole numbers agrees with plain comparisons", arguments: 0..<8)
  func wholeNumbers(seed: UInt64) throws {
    let values: [Int64] = [-2, -1, 0, 1, 2, .max, .max - 1, .min, .min + 1, 1 << 53, (1 << 53) + 1]
    try check(values, seed: seed, as: CardFilter.Value.integer, inJSON: JSON.integer)
  }

  @Test("A12: every operator on fractions agrees with plain comparisons", arguments: 0..<8)
  func fractions(seed: UInt64) throws {
    let values = [-0.0, 0, 0.5, -0.5, 1, 1e300, -1e300, .leastNonzeroMagnitude]
    try check(values, seed: seed, as: CardFilter.Value.number, inJSON: JSON.number)
  }

  @Test("A12: every operator on dates agrees with plain comparisons", arguments: 0..<8)
  func dates(seed: UInt64) throws {
    func value(_ milliseconds: Int) -> CardFilter.Value { .date(moment(milliseconds)) }
    func json(_ milliseconds: Int) -> JSON {
      .string("2026-09-21T14:13:20.\(123 + milliseconds)Z")
    }
    try check(Array(-3...3), seed: seed, as: value, inJSON: json)
  }

  @Test("whole numbers and fractions compare exactly, even beyond 2⁵³", arguments: closeCalls)
  func exact(whole: Int64, number: Double, isLess: Bool, isEqual: Bool) {
    let card = Card.with { $0.variables = ["n": .integer(whole)] }
    #expect(CardFilter.variable("n", .lessThan(number)).matches(card) == isLess)
    #expect(CardFilter.variable("n", .equals(number)).matches(card) == isEqual)
    #expect(CardFilter.variable("n", .atLeast(number)).matches(card) == !isLess)
    let other = Card.with { $0.variables = ["n": .number(number)] }
    #expect(CardFilter.variable("n", .greaterThan(whole)).matches(other) == isLess)
    #expect(CardFilter.variable("n", .equals(whole)).matches(other) == isEqual)
  }

  /// One value of these against one or two others, under every operator, five hundred times.
  private func check<Value: Comparable>(
    _ pool: [Value], seed: UInt64, as value: (Value) -> CardFilter.Value,
    inJSON json: (Value) -> JSON
  ) throws {
    var numbers = SeededGenerator(seed: seed)
    for _ in 0..<500 {
      let found = numbers.pick(pool)
      let card = Card.with { $0.variables = ["v": json(found)] }
      let bounds = [numbers.pick(pool), numbers.pick(pool)].sorted()
      for (one, values, expected) in plain(found, bounds) {
        let filter = try CardFilter(
          field: .variable("v"), operator: one, values: values.map(value))
        #expect(filter.matches(card) == expected, "\(found) \(one) \(values)")
      }
    }
  }

  private func plain<Value: Comparable>(
    _ found: Value, _ bounds: [Value]
  ) -> [(CardFilter.Operator, [Value], Bool)] {
    let bound = bounds[0]
    return [
      (.equal, [bound], found == bound), (.notEqual, [bound], found != bound),
      (.greaterThan, [bound], found > bound), (.greaterThanOrEqual, [bound], found >= bound),
      (.lessThan, [bound], found < bound), (.lessThanOrEqual, [bound], found <= bound),
      (.oneOf, bounds, bounds.contains(found)), (.noneOf, bounds, !bounds.contains(found)),
      (.between, bounds, bounds[0] <= found && found <= bounds[1]),
    ]
  }
}

private let sample = Card.with {
  $0.priority = 3
  $0.createdAt = moment(0)
  $0.templateName = "Bill"
  $0.variables = [
    "vip": true, "tier": "gold", "n": 5, "half": 0.5, "due": "2026-09-21T15:13:20.123+01:00",
    "none": .null, "e\u{301}": 1,
  ]
}

private let verdicts: [(CardFilter, Bool?)] = [
  (.priority(.between(2, 6)), true), (.priority(.between(3, 3)), true),
  (.priority(.between(4, 6)), false), (.priority(.oneOf([1, 3])), true),
  (.priority(.noneOf([1, 3])), false),
  (.created(.atMost(moment(0))), true), (.created(.lessThan(moment(0))), false),
  // What travels has milliseconds, so what is compared has no more.
  (.created(.equals(moment(0).addingTimeInterval(0.000_4))), true),
  (.created(.equals(moment(1))), false),
  (.templateName(.equals("Bill")), true), (.templateName(.notEquals("Bill")), false),
  (.templateName(.noneOf(["bill", "Bil"])), true), (.templateID(.equals("t")), nil),
  (.variable("vip", .equals(true)), true), (.variable("vip", .notEquals(true)), false),
  (.variable("tier", .oneOf(["gold", "silver"])), true),
  (.variable("n", .equals(5)), true), (.variable("n", .equals(5.0)), true),
  (.variable("n", .lessThan(5.5)), true), (.variable("half", .greaterThan(0)), true),
  (.variable("due", .equals(moment(0))), true),
  (.variable("due", .equals("2026-09-21T15:13:20.123+01:00")), true),
  (.variable("tier", .equals(true)), nil), (.variable("tier", .notEquals(1)), nil),
  (.variable("tier", .lessThan(moment(0))), nil), (.variable("n", .equals("5")), nil),
  (.variable("vip", .equals(1)), nil), (.variable("none", .equals("null")), nil),
  (.variable("missing", .notEquals("x")), nil),
  (.variable("e\u{301}", .equals(1)), true), (.variable("\u{e9}", .equals(1)), nil),
  (.cardID("1"), true), (.cardID("2"), false), (.cardID("p/1"), false),
  // What `validate()` refuses has no vendor's answer either.
  (.templateName(.oneOf([])), nil), (.variable("n", .noneOf([Int]())), nil),
  (.variable("n", .lessThan(Double.nan)), nil), (.variable("n", .equals(Double.nan)), nil),
]

private let unanswerable: [CardFilter] = [
  .priority(.equals(5)), .priority(.notEquals(5)), .priority(.greaterThan(1)),
  .priority(.atLeast(1)), .priority(.lessThan(9)), .priority(.atMost(9)),
  .priority(.between(1, 10)), .priority(.oneOf([5])), .priority(.noneOf([1])),
  .created(.notEquals(moment(0))), .templateID(.notEquals("")), .templateName(.noneOf(["a"])),
  .variable("v", .notEquals(true)), .variable("v", .equals("")),
]

private let closeCalls: [(whole: Int64, number: Double, isLess: Bool, isEqual: Bool)] = [
  (1 << 53, 0x1p53, false, true), ((1 << 53) + 1, 0x1p53, false, false),
  ((1 << 53) - 1, 0x1p53, true, false), (.max, 0x1p63, true, false),
  (.max - 1, 0x1p63, true, false), (.min, -0x1p63, false, true), (.min, -0x1p64, false, false),
  (.max, 1e300, true, false), (.min, -.infinity, false, false), (.max, .infinity, true, false),
  (0, -0.0, false, true), (0, 0.5, true, false), (0, -0.5, false, false), (1, 0.5, false, false),
  ((1 << 52) + 1, 0x1p52 + 0.5, false, false),
]
