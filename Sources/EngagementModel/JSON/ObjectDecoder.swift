/// Reads the fields of an object of the neutral JSON. Ignores other fields.
package struct ObjectDecoder {
  package let object: JSONObject
  private let place: String

  /// Throws `invalidArgument` if the field is not an object.
  package init(_ field: JSONField) throws(EngagementError) {
    object = try JSONObject(field)
    place = field.place
  }

  /// The field, or nil if it is absent.
  package func field(_ name: String) -> JSONField? {
    object[name].map { JSONField(value: $0, place: "\(place).\(name)") }
  }

  /// The field's value, or nil if the field is absent. Only the type `JSON` accepts a null.
  package func read<Value: FieldValue>(_ name: String) throws(EngagementError) -> Value? {
    guard let field = field(name) else { return nil }
    return try Value(field)
  }

  /// The field's value; throws `invalidArgument` if the field is absent.
  package func require<Value: FieldValue>(_ name: String) throws(EngagementError) -> Value {
    guard let value: Value = try read(name) else {
      throw EngagementError(.invalidArgument, "The field \(place).\(name) is missing.")
    }
    return value
  }

  /// Every member except those named, in one walk.
  package func attributes(except taken: [String]) -> JSONObject {
    JSONObject(uniqueMembers: object.members.filter { !$0.isNamed(oneOf: taken) })
  }
}
