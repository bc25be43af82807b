import EngagementModel
import Foundation
import Testing

/// A noun with its neutral JSON, seen from outside: values, texts and the way back.
struct Noun: Sendable, CustomTestStringConvertible {
  let name: String
  /// Every field has a value that differs from that of `empty`.
  let full: JSON
  let fullText: String
  /// Nothing but what a value cannot be made without.
  let empty: JSON
  let emptyText: String
  /// The fields that must be there.
  let required: Set<String>
  /// Reads and prints again.
  let reprint: @Sendable (JSON) throws -> JSON
  /// Whether both values are equal to what is read from their JSON.
  let isRestored: @Sendable () throws -> Bool
  /// The names of the properties that are the same in `full` and in `empty`.
  let unfilled: [String]

  var testDescription: String { name }

  init<Value: Hashable & Sendable>(
    _ name: String, full: Value, _ fullText: String, empty: Value, _ emptyText: String,
    required: Set<String>, json: @escaping @Sendable (Value) -> JSON,
    read: @escaping @Sendable (JSON) throws -> Value
  ) {
    self.name = name
    self.full = json(full)
    self.fullText = fullText
    self.empty = json(empty)
    self.emptyText = emptyText
    self.required = required
    reprint = { json(try read($0)) }
    isRestored = { try read(json(full)) == full && read(json(empty)) == empty }
    unfilled = zip(Mirror(reflecting: full).children, Mirror(reflecting: empty).children)
      .filter { String(reflecting: $0.value) == String(reflecting: $1.value) }
      .compactMap(\.0.label)
  }
}

/// A time with milliseconds: so many after 2026-09-21T14:13:20.123Z.
func moment(_ milliseconds: Int) -> Date {
  Date(timeIntervalSince1970: Double(1_790_000_000_123 + milliseconds) / 1_000)
}
