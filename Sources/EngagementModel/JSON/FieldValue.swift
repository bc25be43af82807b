/// What a field of the neutral JSON can hold: printed by `json`, read back by `init(_:)`.
package protocol FieldValue {
  var json: JSON { get }

  /// What a member of an object holds; nil where it is left out: for an empty collection, and
  /// for a number or a time that has no text. Written as `Optional.none`: `JSON` takes a plain
  /// `nil` for its own null.
  var member: JSON? { get }

  /// Throws `invalidArgument` naming the field where its value is of another type.
  init(_ field: JSONField) throws(EngagementError)
}

extension FieldValue {
  package var member: JSON? { json }
}

/// A value with the place where it stands, such as `card.buttons[1].action`.
package struct JSONField {
  package let value: JSON
  package let place: String

  package init(value: JSON, place: String) {
    self.value = value
    self.place = place
  }

  /// The elements of the array that stands here; throws `invalidArgument` where none does.
  package func elements() throws(EngagementError) -> [JSONField] {
    guard let values = value.array else { throw fault("an array") }
    return values.enumerated().map { JSONField(value: $1, place: "\(place)[\($0)]") }
  }

  /// What is thrown for a value that is not what the field holds. The value is never part of it.
  package func fault(_ expected: String) -> EngagementError {
    EngagementError(.invalidArgument, "The field \(place) is not \(expected).")
  }
}
