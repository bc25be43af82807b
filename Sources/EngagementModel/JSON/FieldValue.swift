/// A type that a field of the neutral JSON can hold: `json` writes a value, `init(_:)` reads it.
package protocol FieldValue {
  var json: JSON { get }

  /// The value as a member of an object; nil if the object leaves it out. Empty collections, and
  /// numbers and times that have no text, are left out. Write `Optional.none`: the compiler takes a
  /// plain `nil` for the null of `JSON`.
  var member: JSON? { get }

  /// Throws `invalidArgument`, which names the field, if its value has another type.
  init(_ field: JSONField) throws(EngagementError)
}

extension FieldValue {
  package var member: JSON? { json }
}

/// A value and its path in the document, such as `card.buttons[1].action`.
package struct JSONField {
  package let value: JSON
  package let place: String

  package init(value: JSON, place: String) {
    self.value = value
    self.place = place
  }

  /// The elements of the array; throws `invalidArgument` if the value is not an array.
  package func elements() throws(EngagementError) -> [JSONField] {
    guard let values = value.array else { throw fault("an array") }
    return values.enumerated().map { JSONField(value: $1, place: "\(place)[\($0)]") }
  }

  /// The error for a value of the wrong type. It never contains the value.
  package func fault(_ expected: String) -> EngagementError {
    EngagementError(.invalidArgument, "The field \(place) is not \(expected).")
  }
}
