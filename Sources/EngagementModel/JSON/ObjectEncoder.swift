/// Writes an object of the neutral JSON: the fields that are there, in the order given.
package struct ObjectEncoder {
  private var members: [JSONObject.Member] = []

  /// Takes a table of names and values; the names must differ.
  package init(_ fields: KeyValuePairs<String, (any FieldValue)?>) {
    members.reserveCapacity(fields.count)
    append(fields)
  }

  /// Adds what is there: nothing for nil, nor for a value that is left out.
  package mutating func append(_ fields: KeyValuePairs<String, (any FieldValue)?>) {
    for (name, value) in fields {
      if let json = value?.member { members.append(JSONObject.Member(name, json)) }
    }
  }

  /// Adds attributes of outside between fields of ours, in one walk; names of ours are taken.
  package mutating func append(_ attributes: JSONObject, except taken: [String]) {
    members += attributes.members.filter { !$0.isNamed(oneOf: taken) }
  }

  package var object: JSONObject { JSONObject(uniqueMembers: members) }
  package var json: JSON { .object(object) }
}

extension JSONObject.Member {
  func isNamed(oneOf names: [String]) -> Bool { names.contains { $0.hasSameBytes(as: key) } }
}
