import EngagementFormats
import EngagementPlatform

extension CardFilter {
  /// Whether the card meets the condition. Nil if that is unknown: the card lacks the field, or its
  /// variable has another type.
  ///
  /// Unknown is not false, because a vendor may know a value that it did not send. A card without a
  /// priority is unknown too, although feeds sort it as 5: no vendor documents that default for
  /// filters.
  public func matches(_ card: Card) -> Bool? {
    guard let found = value(in: card) else { return nil }
    return verdict(on: found).bool
  }

  /// Whether the card meets every condition: false if it fails one, otherwise nil if one is
  /// unknown, otherwise true. Every card meets an empty list.
  public static func all(_ filters: [CardFilter], match card: Card) -> Bool? {
    var verdict = Verdict.yes
    for filter in filters where verdict != .no {
      verdict = min(verdict, Verdict(filter.matches(card)))
    }
    return verdict.bool
  }

  private func value(in card: Card) -> Value? {
    switch field {
    case .priority: card.priority.map { .integer(Int64($0)) }
    case .created: card.createdAt.map(Value.date)
    case .templateID: card.templateID.map(Value.string)
    case .templateName: card.templateName.map(Value.string)
    case .cardID: .string(card.id.value)
    case .variable(let name):
      card.variables[name].flatMap { json in
        values.first.flatMap { Value(json, as: $0.kind) }
      }
    }
  }

  private func verdict(on found: Value) -> Verdict {
    switch self.operator {
    case .equal, .oneOf: isAny { found.equals($0) }
    case .notEqual, .noneOf: !isAny { found.equals($0) }
    case .greaterThan: isAny { $0.precedes(found) }
    case .greaterThanOrEqual: !isAny { found.precedes($0) }
    case .lessThan: isAny { found.precedes($0) }
    case .lessThanOrEqual: !isAny { $0.precedes(found) }
    case .between:
      values.count == 2
        ? min(!Verdict(found.precedes(values[0])), !Verdict(values[1].precedes(found))) : .unknown
    }
  }

  /// Whether the test holds for any value; unknown if there are no values.
  private func isAny(_ test: (Value) -> Bool?) -> Verdict {
    guard !values.isEmpty else { return .unknown }
    var verdict = Verdict.no
    for value in values where verdict != .yes {
      verdict = max(verdict, Verdict(test(value)))
    }
    return verdict
  }
}

/// Three-valued logic: *and* is the minimum of two verdicts, *or* the maximum.
private enum Verdict: Int, Comparable {
  case no, unknown, yes

  init(_ bool: Bool?) {
    self =
      switch bool {
      case true?: .yes
      case false?: .no
      case nil: .unknown
      }
  }

  var bool: Bool? { self == .unknown ? nil : self == .yes }

  static prefix func ! (verdict: Verdict) -> Verdict {
    Verdict(verdict.bool.map(!))
  }

  static func < (left: Verdict, right: Verdict) -> Bool { left.rawValue < right.rawValue }
}
