import EngagementFormats
import EngagementModel
import EngagementPlatform

/// The filters of a feed or of a subscription: all of them have to match.
struct AtomicServerFilter: Sendable {
  /// Why a filter is refused, for a reader.
  struct Refusal: Error {
    var message: String
  }

  private enum Field {
    case priority, created
    case template(String)
    case variable(String)
  }

  private enum Comparison: String {
    case eq, ne, gt, gte, lt, lte, between
    case isIn = "in"
    case isNotIn = "nin"

    var takesMany: Bool { self == .isIn || self == .isNotIn || self == .between }
  }

  /// A value that can be compared with another of its kind.
  private enum Value: Hashable {
    case number(Double)
    case date(Date)
    case text(String)
    case truth(Bool)

    /// Texts that are times are compared as times.
    init?(_ json: JSON) {
      if let bool = json.bool {
        self = .truth(bool)
      } else if let number = json.number {
        self = .number(number)
      } else if let text = json.string {
        self = ISO8601.date(from: text).map { .date($0) } ?? .text(text)
      } else {
        return nil
      }
    }

    func hasKind(of other: Value) -> Bool {
      switch (self, other) {
      case (.number, .number), (.date, .date), (.text, .text), (.truth, .truth): true
      case (.number, _), (.date, _), (.text, _), (.truth, _): false
      }
    }

    /// Whether the value is less; nil for values without an order.
    func isLess(than other: Value) -> Bool? {
      switch (self, other) {
      case (.number(let a), .number(let b)): a < b
      case (.date(let a), .date(let b)): a < b
      case (.number, _), (.date, _), (.text, _), (.truth, _): nil
      }
    }
  }

  private struct Condition {
    var field: Field
    var comparison: Comparison
    var values: [Value]
  }

  private var conditions: [Condition] = []

  /// Throws for what is no object of filters, for an unknown field or operator, and for an operator
  /// that the type of the value does not have.
  init(_ json: JSON?) throws(Refusal) {
    guard let json, json != .null else { return }
    guard let object = json.object else { throw Refusal(message: "Filters are an object") }
    for member in object.members {
      conditions.append(try Self.condition(member.key, member.value))
    }
  }

  private static func condition(_ key: String, _ json: JSON) throws(Refusal) -> Condition {
    guard let mark = key.ranges(of: "__").last,
      let comparison = Comparison(rawValue: String(key[mark.upperBound...])),
      let field = field(String(key[..<mark.lowerBound]))
    else { throw Refusal(message: "There is no filter \(key)") }
    let given = comparison.takesMany ? json.array : [json]
    guard let given else { throw Refusal(message: "\(key) takes a list") }
    let values = given.compactMap(Value.init)
    guard values.count == given.count, values.allSatisfy({ $0.hasKind(of: values[0]) }) else {
      throw Refusal(message: "\(key) takes values of one type")
    }
    guard comparison != .between || values.count == 2 else {
      throw Refusal(message: "\(key) takes two values")
    }
    let condition = Condition(field: field, comparison: comparison, values: values)
    guard values.allSatisfy({ isAllowed(comparison, $0, for: field) }) else {
      throw Refusal(message: "\(key) has no such value or operator")
    }
    return condition
  }

  private static func field(_ name: String) -> Field? {
    if name.hasPrefix("variables."), name.utf8.count > 10 {
      return .variable(String(name.dropFirst(10)))
    }
    return switch name {
    case "metadata.priority": .priority
    case "metadata.created": .created
    case "metadata.cardTemplateId": .template("cardTemplateId")
    case "metadata.cardTemplateName": .template("cardTemplateName")
    case _: nil
    }
  }

  /// The table of operators and types.
  private static func isAllowed(_ comparison: Comparison, _ value: Value, for field: Field) -> Bool
  {
    let isEquality = comparison == .eq || comparison == .ne
    let isMembership = comparison == .isIn || comparison == .isNotIn
    switch (field, value) {
    case (.priority, .number(let number)):
      return number == number.rounded() && (1...10).contains(number)
    case (.created, .date): return true
    case (.template, .text), (.template, .date): return isEquality || isMembership
    case (.variable, .number), (.variable, .date): return true
    case (.variable, .text): return isEquality || isMembership
    case (.variable, .truth): return isEquality
    case (.priority, _), (.created, _), (.template, _): return false
    }
  }

  // MARK: Matching

  func matches(_ card: AtomicServerCard) -> Bool {
    conditions.allSatisfy { Self.matches(card, $0) }
  }

  private static func value(of field: Field, in card: AtomicServerCard) -> Value? {
    switch field {
    case .priority: .number(Double(card.priority))
    case .created: card.createdAt.map { .date($0) }
    case .template(let name): card.members[name].flatMap(Value.init)
    case .variable(let name): card.variables?[name].flatMap(Value.init)
    }
  }

  /// A card without the value matches only what excludes a value.
  private static func matches(_ card: AtomicServerCard, _ condition: Condition) -> Bool {
    let value = value(of: condition.field, in: card)
    let isAmong = value.map(condition.values.contains) ?? false
    func isLess(_ index: Int) -> Bool { value?.isLess(than: condition.values[index]) ?? false }
    func isGreater(_ index: Int) -> Bool {
      value.flatMap { condition.values[index].isLess(than: $0) } ?? false
    }
    return switch condition.comparison {
    case .eq, .isIn: isAmong
    case .ne, .isNotIn: !isAmong
    case .gt: isGreater(0)
    case .gte: isGreater(0) || isAmong
    case .lt: isLess(0)
    case .lte: isLess(0) || isAmong
    case .between: isAmong || isGreater(0) && isLess(1)
    }
  }
}
