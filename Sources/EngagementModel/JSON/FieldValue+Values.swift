import EngagementFormats
import EngagementPlatform

extension JSON: FieldValue {
  package var json: JSON { self }
  package init(_ field: JSONField) { self = field.value }
}

extension JSONObject: FieldValue {
  package var json: JSON { .object(self) }
  package var member: JSON? { isEmpty ? Optional.none : json }

  package init(_ field: JSONField) throws(EngagementError) {
    guard let object = field.value.object else { throw field.fault("an object") }
    self = object
  }
}

extension Array: FieldValue where Element: FieldValue {
  package var json: JSON { .array(map(\.json)) }
  package var member: JSON? { isEmpty ? Optional.none : json }

  package init(_ field: JSONField) throws(EngagementError) {
    self = []
    for element in try field.elements() { append(try Element(element)) }
  }
}

extension String: FieldValue {
  package var json: JSON { .string(self) }

  package init(_ field: JSONField) throws(EngagementError) {
    guard let string = field.value.string else { throw field.fault("a string") }
    self = string
  }
}

extension Bool: FieldValue {
  package var json: JSON { .bool(self) }

  package init(_ field: JSONField) throws(EngagementError) {
    guard let bool = field.value.bool else { throw field.fault("true or false") }
    self = bool
  }
}

extension Int64: FieldValue {
  package var json: JSON { .integer(self) }

  package init(_ field: JSONField) throws(EngagementError) {
    guard let integer = field.value.integer else { throw field.fault("a whole number") }
    self = integer
  }
}

extension Int: FieldValue {
  package var json: JSON { .integer(Int64(self)) }

  package init(_ field: JSONField) throws(EngagementError) {
    guard let integer = field.value.integer.flatMap(Int.init(exactly:)) else {
      throw field.fault("a whole number")
    }
    self = integer
  }
}

extension Double: FieldValue {
  package var json: JSON { .number(self) }
  package var member: JSON? { isFinite ? json : Optional.none }

  package init(_ field: JSONField) throws(EngagementError) {
    guard let number = field.value.number else { throw field.fault("a number") }
    self = number
  }
}

/// ISO 8601 in UTC with milliseconds. A time whose year does not fit four digits is left out.
extension Date: FieldValue {
  package var json: JSON { member ?? .null }
  package var member: JSON? { ISO8601.text(of: self).map(JSON.string) }

  package init(_ field: JSONField) throws(EngagementError) {
    guard let date = field.value.string.flatMap(ISO8601.date(from:)) else {
      throw field.fault("a time of ISO 8601")
    }
    self = date
  }
}
