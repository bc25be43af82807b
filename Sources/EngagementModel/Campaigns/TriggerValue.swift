import EngagementFormats
import EngagementPlatform

/// A value of an event or of a condition, in the forms that comparisons need.
///
/// A text that writes a number compares as a number with numbers, and `true` and `false` compare
/// as texts and as 1 and 0. Texts compare without case and outer white space.
struct TriggerValue: Sendable {
  /// The elements of a list, or the one value.
  private let elements: [Element]
  private let isList: Bool

  /// Nil for a null.
  init?(_ value: JSON) {
    switch value {
    case .null: return nil
    case .array(let values):
      elements = values.compactMap(Element.init)
      isList = true
    case .bool, .integer, .number, .string, .object:
      elements = Element(value).map { [$0] } ?? []
      isList = false
    }
  }

  /// The values of an event's items. Nil if no item has one.
  init?(items values: [JSON]) {
    elements = values.flatMap { value in
      value.array?.compactMap(Element.init) ?? Element(value).map { [$0] } ?? []
    }
    guard !elements.isEmpty else { return nil }
    isList = true
  }

  /// Whether a property with this value meets the condition; for a list, whether one of its
  /// elements does.
  func meets(_ comparison: Campaign.Comparison, _ expected: TriggerValue?) -> Bool {
    elements.contains { $0.meets(comparison, expected) }
  }

  /// A value that is no list.
  private enum Element: Sendable {
    /// The text in lower case without outer white space, and the number that it writes.
    case text(String, Double?)
    case number(Double, exactly: Int64?)
    case bool(Bool)
    /// It is there, but equals nothing.
    case object

    init?(_ value: JSON) {
      switch value {
      case .null, .array: return nil
      case .object: self = .object
      case .bool(let value): self = .bool(value)
      case .integer(let value): self = .number(Double(value), exactly: value)
      case .number(let value): self = .number(value, exactly: nil)
      case .string(let value):
        let text = value.lowercased().trimmed
        self = .text(text, text.decimal)
      }
    }

    /// The value as a number, if it is or writes one.
    var number: Double? {
      switch self {
      case .text(_, let number): number
      case .number(let number, _): number
      case .bool(let value): value ? 1 : 0
      case .object: nil
      }
    }

    var text: String? {
      switch self {
      case .text(let text, _): text
      case .number(let number, let exactly): exactly.map { "\($0)" } ?? "\(number)"
      case .bool(let value): value ? "true" : "false"
      case .object: nil
      }
    }

    func meets(_ comparison: Campaign.Comparison, _ expected: TriggerValue?) -> Bool {
      switch comparison {
      case .isSet: return true
      case .isNotSet: return false
      case .greaterThan, .lessThan:
        guard let bound = expected?.bound, let number else { return false }
        return comparison == .greaterThan ? number > bound : number < bound
      case .between:
        guard let range = expected?.range, let number else { return false }
        return range.from <= number && number <= range.to
      case .equals, .notEquals:
        guard let expected, !expected.elements.isEmpty else { return false }
        return expected.elements.contains(where: equals) == (comparison == .equals)
      case .contains, .doesNotContain:
        guard let expected, !expected.elements.isEmpty else { return false }
        return expected.elements.contains(where: contains) == (comparison == .contains)
      }
    }

    private func equals(_ other: Element) -> Bool {
      switch (self, other) {
      case (.text(let left, _), .text(let right, _)): return left.hasSameBytes(as: right)
      case (.text(let text, _), .bool(let value)), (.bool(let value), .text(let text, _)):
        if text.hasSameBytes(as: value ? "true" : "false") { return true }
      case (.object, _), (_, .object): return false
      case (.text, .number), (.number, .text), (.number, .number), (.number, .bool),
        (.bool, .number), (.bool, .bool):
        break
      }
      guard let left = number, let right = other.number else { return false }
      return left == right
    }

    private func contains(_ part: Element) -> Bool {
      guard let text, let part = part.text, !part.isEmpty else { return false }
      return text.utf8.containsBytes(of: part.utf8)
    }
  }

  /// The only text that is compared with: the value, or the only element of the list.
  var onlyText: String? {
    guard elements.count == 1, case .text(let text, _) = elements[0] else { return nil }
    return text
  }

  /// The number that the value is or writes, and the text where it is one; nil for several values and
  /// for none.
  var single: (number: Double?, text: String?)? {
    guard elements.count == 1 else { return nil }
    return (elements[0].number, onlyText)
  }

  /// The number that a property is compared with: the value, or the only element of the list.
  var bound: Double? { elements.count == 1 ? elements[0].number : nil }

  var range: (from: Double, to: Double)? {
    guard isList, elements.count >= 2, let from = elements[0].number, let to = elements[1].number
    else { return nil }
    return (from, to)
  }
}

extension String {
  /// The name without white space and in lower case. Names of events and properties that differ in
  /// nothing else are the same name.
  package var normalizedName: String {
    if utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && !(0x41...0x5a).contains($0) }) { return self }
    if utf8.allSatisfy({ $0 < 0x80 }) {
      let bytes = utf8.lazy.filter { !$0.isSpace }.map {
        (0x41...0x5a).contains($0) ? $0 | 0x20 : $0
      }
      return String(decoding: Array(bytes), as: UTF8.self)
    }
    return String(String.UnicodeScalarView(lowercased().unicodeScalars.filter { !$0.isSpace }))
  }

  fileprivate var trimmed: String {
    if let first = utf8.first, let last = utf8.last, first < 0x80, last < 0x80, !first.isSpace,
      !last.isSpace
    {
      return self
    }
    let scalars = unicodeScalars
    guard let first = scalars.firstIndex(where: { !$0.isSpace }),
      let last = scalars.lastIndex(where: { !$0.isSpace })
    else { return "" }
    return String(scalars[first...last])
  }

  /// The finite number that the text writes in decimal digits.
  fileprivate var decimal: Double? {
    guard let first = utf8.first, first < 0x3a, utf8.allSatisfy(Self.isDecimal) else { return nil }
    return Double(self).flatMap { $0.isFinite ? $0 : nil }
  }

  private static func isDecimal(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || ".-+e".utf8.contains(byte)
  }
}

extension UInt8 {
  /// Whether the byte is an ASCII character that Unicode calls white space.
  fileprivate var isSpace: Bool { self == 0x20 || (0x09...0x0d).contains(self) }
}

extension Unicode.Scalar {
  fileprivate var isSpace: Bool { properties.isWhitespace }
}

extension String.UTF8View {
  fileprivate func containsBytes(of part: String.UTF8View) -> Bool {
    guard let first = part.first else { return false }
    var rest = self[...]
    while let start = rest.firstIndex(of: first) {
      rest = rest[start...]
      if rest.starts(with: part) { return true }
      rest = rest.dropFirst()
    }
    return false
  }
}
