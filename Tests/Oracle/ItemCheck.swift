import EngagementJSON
import EngagementModel

/// Compares one item of a list with jansson's reading of the same bytes.
struct ItemCheck {
  private let item: RawItem
  private let verdict: JanssonVerdict

  init(_ item: RawItem) {
    self.item = item
    verdict = JanssonVerdict(of: Array(item.bytes))
  }

  func run() throws(Disagreement) {
    let alone = RawItem(index: item.index, bytes: item.bytes)
    let isDeep = item.fault?.kind == .tooDeep
    // Levels count from the document: an item that is too deep there may not be too deep alone.
    try Disagreement.unless(
      alone.hash == item.hash && alone.bytes == item.bytes
        && (isDeep || alone.fault?.kind == item.fault?.kind),
      "an item alone is another one: \(alone.fault as Any)")
    switch (item.fault, verdict) {
    case (let fault?, .refused):
      try Disagreement.unless(!fault.isStructural, "an item's fault is structural: \(fault)")
    case (_?, .tooDeep) where isDeep, (_?, .accepted) where isDeep: break
    case (nil, .accepted(let value)): try compare(value)
    default: throw Disagreement("item \(item.index): \(item.fault as Any), jansson: \(verdict)")
    }
  }

  private func compare(_ value: JSON) throws(Disagreement) {
    let bytes = item.bytes
    let parsed = Result { () throws(JSONFault) in try JSON(parsing: bytes) }
    try Oracle.compare(parsed, verdict)
    switch (Result { () throws(JSONFault) in try JSONFields(item) }, value) {
    case (.success(let fields), .object(let object)): try compare(fields, object)
    case (.success, _): throw Disagreement("an item has fields and is no object")
    case (.failure(let fault), .object): throw Disagreement("an object without fields: \(fault)")
    case (.failure(let fault), _):
      try Disagreement.unless(fault.kind == .notAnObject, "no object: \(fault)")
    }
  }

  private func compare(_ fields: JSONFields, _ object: JSONObject) throws(Disagreement) {
    try Disagreement.unless(fields.json.isIdentical(to: .object(object)), "the fields' object")
    try Disagreement.unless(
      fields.keys.count == object.count
        && zip(fields.keys, object.members).allSatisfy { $0.hasSameBytes(as: $1.key) },
      "the fields' keys")
    for member in object.members { try compare(fields, JSONKey(member.key), member.value) }
  }

  private func compare(
    _ fields: JSONFields, _ key: JSONKey, _ value: JSON
  ) throws(Disagreement) {
    try Disagreement.unless(fields.json(key)?.isIdentical(to: value) == true, "a field's value")
    let raw = JanssonVerdict(of: Array(fields.raw(key) ?? []))
    try Disagreement.unless(raw.isAccepted(as: value), "a field's bytes")
    let isSame =
      Self.isSame(fields.string(key).map(JSON.string), value.string.map(JSON.string))
      && fields.integer(key) == value.integer
      && Self.isSame(fields.number(key), value)
      && fields.bool(key) == value.bool
      && Self.isSame(fields.fields(key)?.json, value.object.map(JSON.object))
      && Self.isSame(
        fields.strings(key).map { .array($0.map(JSON.string)) },
        value.array.map { .array($0.filter { $0.string != nil }) })
      && Self.isSame(
        fields.objects(key).map { .array($0.map(\.json)) },
        value.array.map { .array($0.filter { $0.object != nil }) })
    try Disagreement.unless(isSame, "a field as its kind: \(value)")
  }

  /// Compares bit by bit, except for `-0`: as a value it is the integer 0, as a number it may be
  /// -0.0.
  private static func isSame(_ number: Double?, _ value: JSON) -> Bool {
    if case .integer = value { return number == value.number }
    return number?.bitPattern == value.number?.bitPattern
  }

  private static func isSame(_ left: JSON?, _ right: JSON?) -> Bool {
    guard let left, let right else { return left == nil && right == nil }
    return left.isIdentical(to: right)
  }
}
