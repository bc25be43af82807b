import EngagementFormats
import EngagementJSON
import EngagementModel
import EngagementPlatform

/// Reads single values. A value that is absent or of the wrong type is nil.
enum AtomicText {
  /// A text id, or a number as text; nil if empty.
  static func id(_ fields: JSONFields, _ key: JSONKey) -> String? {
    if let text = fields.string(key) { return text.isEmpty ? nil : text }
    return fields.integer(key).map { String($0) }
  }

  static func date(_ fields: JSONFields, _ key: JSONKey) -> Date? {
    fields.string(key).flatMap(ISO8601.date(from:))
  }

  /// The address; nil if it could run code.
  static func address(_ fields: JSONFields, _ key: JSONKey) -> String? {
    VendorURL.checked(fields.string(key))
  }

  /// The number of cards in a container.
  static func total(_ fields: JSONFields) -> Int? {
    fields.integer("totalCards").flatMap { Int(exactly: $0) }.flatMap { $0 >= 0 ? $0 : nil }
  }
}
