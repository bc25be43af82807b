import EngagementModel

/// One value inside a document, made wrong.
enum JSONDamage {
  /// The document with one value of another kind; which one follows from the salt. A document without
  /// a value inside is of another kind itself.
  static func wrongType(_ json: JSON, salt: UInt64) -> JSON {
    change(json, salt) { .value(otherKind($0)) }
  }

  /// The document without one member or element; one that has none is of another kind.
  static func missingField(_ json: JSON, salt: UInt64) -> JSON {
    change(json, salt) { _ in .nothing }
  }

  private enum Replacement {
    case value(JSON)
    case nothing
  }

  private static func change(
    _ json: JSON, _ salt: UInt64, _ body: (JSON) -> Replacement
  ) -> JSON {
    let count = count(json) - 1
    guard count > 0 else { return otherKind(json) }
    var left = Int(salt % UInt64(count))
    return walk(json, &left, body)
  }

  private static func count(_ json: JSON) -> Int {
    switch json {
    case .array(let elements): elements.reduce(1) { $0 + count($1) }
    case .object(let object): object.members.reduce(1) { $0 + count($1.value) }
    case .null, .bool, .integer, .number, .string: 1
    }
  }

  /// Counts down over the values inside and changes the one at which nothing is left.
  private static func walk(
    _ json: JSON, _ left: inout Int, _ body: (JSON) -> Replacement
  ) -> JSON {
    func visit(_ value: JSON) -> JSON? {
      left -= 1
      guard left == -1 else { return walk(value, &left, body) }
      guard case .value(let other) = body(value) else { return nil }
      return other
    }
    switch json {
    case .array(let elements): return .array(elements.compactMap(visit))
    case .object(let object):
      return .object(
        JSONObject(
          uniqueMembers: object.members.compactMap { member in
            visit(member.value).map { JSONObject.Member(member.key, $0) }
          }))
    case .null, .bool, .integer, .number, .string: return json
    }
  }

  private static func otherKind(_ json: JSON) -> JSON {
    switch json {
    case .string: ["unexpected": true]
    case .integer, .number: "not a number"
    case .bool: ["neither", "nor"]
    case .null: 0
    case .array: "not a list"
    case .object: [1, 2, 3]
    }
  }
}
