import EngagementFormats
import EngagementJSON
import EngagementModel
import FoundationEssentials

/// How single values of Atomic's are read. What is absent or of a wrong type is nil.
enum AtomicText {
  /// An id: text, or a number as text. An empty one is none.
  static func id(_ fields: JSONFields, _ key: JSONKey) -> String? {
    if let text = fields.string(key) { return text.isEmpty ? nil : text }
    return fields.integer(key).map { String($0) }
  }

  static func date(_ fields: JSONFields, _ key: JSONKey) -> Date? {
    fields.string(key).flatMap(ISO8601.date(from:))
  }

  /// An address that cannot run code.
  static func address(_ fields: JSONFields, _ key: JSONKey) -> String? {
    VendorURL.checked(fields.string(key))
  }

  /// How many cards a container has.
  static func total(_ fields: JSONFields) -> Int? {
    fields.integer("totalCards").flatMap { Int(exactly: $0) }.flatMap { $0 >= 0 ? $0 : nil }
  }
}
