/// Writes an object of the neutral JSON: the fields that have a value, in the given order.
package struct ObjectEncoder {
  private var members: [JSONObject.Member] = []

  /// Takes names and values; the names must differ.
  package init(_ fields: KeyValuePairs<String, (any FieldValue)?>) {
    members.reserveCapacity(fields.count)
    append(fields)
  }

  /// Appends the fields that have a value.
  package mutating func append(_ fields: KeyValuePairs<String, (any FieldValue)?>) {
    for (name, value) in fields {
      if let json = value?.member { members.append(JSONObject.Member(name, json)) }
    }
  }

  /// Appends attributes from outside, in one walk, without those whose names are taken.
  package mutating func append(_ attributes: JSONObject, except taken: [String]) {
    members += attributes.members.filter { !$0.isNamed(oneOf: taken) }
  }

  package var object: JSONObject { JSONObject(uniqueMembers: members) }
  package var json: JSON { .object(object) }
}

extension JSONObject.Member {
  func isNamed(oneOf names: [String]) -> Bool { names.contains { $0.hasSameBytes(as: key) } }
}
