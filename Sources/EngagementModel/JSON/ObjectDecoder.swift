/// Reads the fields of an object of the neutral JSON. What it is not asked for is ignored.
package struct ObjectDecoder {
  package let object: JSONObject
  private let place: String

  /// Throws `invalidArgument` where no object stands there.
  package init(_ field: JSONField) throws(EngagementError) {
    object = try JSONObject(field)
    place = field.place
  }

  /// The field as it stands, or nil where there is none.
  package func field(_ name: String) -> JSONField? {
    object[name].map { JSONField(value: $0, place: "\(place).\(name)") }
  }

  /// The field's value, or nil where there is no field. A null is of no type but `JSON`.
  package func read<Value: FieldValue>(_ name: String) throws(EngagementError) -> Value? {
    guard let field = field(name) else { return nil }
    return try Value(field)
  }

  /// The field's value; throws `invalidArgument` where there is no field.
  package func require<Value: FieldValue>(_ name: String) throws(EngagementError) -> Value {
    guard let value: Value = try read(name) else {
      throw EngagementError(.invalidArgument, "The field \(place).\(name) is missing.")
    }
    return value
  }

  /// Every member but those, in one walk.
  package func attributes(except taken: [String]) -> JSONObject {
    JSONObject(uniqueMembers: object.members.filter { !$0.isNamed(oneOf: taken) })
  }
}
