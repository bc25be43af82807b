import EngagementFormats

extension CardFilter {
  /// Throws `invalidArgument`, which names the field and the operator, if the field does not take
  /// the operator or a value.
  ///
  /// It refuses a wrong type, several types in one list, a priority outside 1…10, a wrong number of
  /// values, an empty list, a range that ends before it starts, and a number or a time that has no
  /// text.
  ///
  /// A filter made from data is validated when it is made. A filter written in code always has a
  /// suitable operator; it is validated before it is sent to a vendor.
  public func validate() throws(EngagementError) {
    let kinds = Set(values.map(\.kind))
    guard kinds.count <= 1 else { throw fault("compares with values of one type") }
    try validateCount()
    for kind in kinds { try validate(kind) }
    for value in values { try validate(value) }
    if self.operator == .between, values[1].precedes(values[0]) == true {
      throw fault("starts before it ends")
    }
  }

  private func validateCount() throws(EngagementError) {
    switch self.operator {
    case .oneOf, .noneOf:
      guard !values.isEmpty else { throw fault("takes at least one value") }
    case .between:
      guard values.count == 2 else { throw fault("takes two values") }
    case .equal, .notEqual, .greaterThan, .greaterThanOrEqual, .lessThan, .lessThanOrEqual:
      guard values.count == 1 else { throw fault("takes one value") }
    }
  }

  private func validate(_ kind: Value.Kind) throws(EngagementError) {
    if let expected = field.kind, kind != expected {
      throw fault("compares with a \(expected), not a \(kind)")
    }
    let operators = field == .cardID ? [.equal] : kind.operators
    guard operators.contains(self.operator) else {
      let names = operators.map(\.rawValue).joined(separator: ", ")
      throw fault("does not exist for a \(kind); there are \(names)")
    }
  }

  private func validate(_ value: Value) throws(EngagementError) {
    switch (field, value) {
    case (.priority, _):
      guard (1...10).contains(value.integer ?? 0) else {
        throw fault("takes whole priorities from 1 to 10")
      }
    case (_, .number(let number)):
      guard number.isFinite else { throw fault("takes finite numbers") }
    case (_, .date(let date)):
      guard Epoch.milliseconds(of: date) != nil else { throw fault("takes years of four digits") }
    case (_, .integer), (_, .string), (_, .bool): break
    }
  }

  private func fault(_ reason: String) -> EngagementError {
    Self.fault(field, self.operator, reason)
  }

  static func fault(_ field: Field, _ operator: Operator, _ reason: String) -> EngagementError {
    EngagementError(
      .invalidArgument,
      "In a filter on \(field.name.rawValue), the operator \(`operator`.rawValue) \(reason).")
  }
}

extension CardFilter.Field {
  /// The kind of value that the field takes; nil if the values decide.
  var kind: CardFilter.Value.Kind? {
    switch self {
    case .priority: .number
    case .created: .date
    case .templateID, .templateName, .cardID: .string
    case .variable: nil
    }
  }
}

extension CardFilter.Value {
  /// The type of a value in vendors' terms. Whole and other numbers are one type.
  enum Kind: String, CaseIterable {
    case number, date, string, boolean

    var operators: [CardFilter.Operator] {
      switch self {
      case .number, .date: CardFilter.Operator.allCases
      case .string: [.equal, .notEqual, .oneOf, .noneOf]
      case .boolean: [.equal, .notEqual]
      }
    }
  }

  /// The value as a whole number, also for `3.0`.
  fileprivate var integer: Int64? {
    switch self {
    case .integer(let value): value
    case .number(let value): Int64(exactly: value)
    case .date, .string, .bool: nil
    }
  }

  var kind: Kind {
    switch self {
    case .integer, .number: .number
    case .date: .date
    case .string: .string
    case .bool: .boolean
    }
  }
}
