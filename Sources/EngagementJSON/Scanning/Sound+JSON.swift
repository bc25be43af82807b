import EngagementModel

extension Sound {
  /// The value at the offset.
  static func json(_ bytes: ArraySlice<UInt8>, _ start: Int) -> JSON {
    var builder = JSONBuilder(bytes: bytes, position: start)
    return builder.value()
  }
}

/// Builds values from checked bytes.
private struct JSONBuilder {
  private let bytes: ArraySlice<UInt8>
  private var position: Int
  private var depth = 0

  init(bytes: ArraySlice<UInt8>, position: Int) {
    self.bytes = bytes
    self.position = position
  }

  private var byte: UInt8 { bytes.span.bytes.byte(position) }

  mutating func value() -> JSON {
    switch JSONKind(first: byte) {
    case .object: return nested { .object($0.members()) }
    case .array: return nested { .array($0.elements()) }
    case .string: return .string(string())
    case .number: return number()
    case .bool, .null, nil:
      let first = byte
      position = Sound.end(bytes.span.bytes, position)
      return first == UInt8(ascii: "t") ? true : first == UInt8(ascii: "f") ? false : .null
    }
  }

  /// Limits the depth to that of checked bytes: unchecked bytes may be nested deeper.
  private mutating func nested(_ make: (inout JSONBuilder) -> JSON) -> JSON {
    guard depth < Scanner.deepest else {
      position = Sound.end(bytes.span.bytes, position)
      return .null
    }
    depth += 1
    defer { depth -= 1 }
    position += 1
    return make(&self)
  }

  private mutating func members() -> JSONObject {
    var members: [JSONObject.Member] = []
    while moveToNext(), byte == UInt8(ascii: "\"") {
      let key = string()
      skip(UInt8(ascii: ":"))
      members.append(JSONObject.Member(key, value()))
    }
    return JSONObject(uniqueMembers: members)
  }

  private mutating func elements() -> [JSON] {
    var elements: [JSON] = []
    while moveToNext() { elements.append(value()) }
    return elements
  }

  /// Moves to the next member or element. After the closing bracket, returns false.
  private mutating func moveToNext() -> Bool {
    skip(UInt8(ascii: ","))
    switch byte {
    case UInt8(ascii: "}"), UInt8(ascii: "]"):
      position += 1
      return false
    default: return position < bytes.count
    }
  }

  /// Skips white space and, if it is next, the byte.
  private mutating func skip(_ expected: UInt8) {
    let bytes = bytes
    let span = bytes.span.bytes
    position = Sound.space(span, position)
    guard span.byte(position) == expected else { return }
    position = Sound.space(span, position + 1)
  }

  private mutating func string() -> String {
    let text = Sound.text(bytes.span.bytes, position + 1)
    position = min(text.end + 1, bytes.count)
    return Unescaped.string(bytes, text)
  }

  private mutating func number() -> JSON {
    let bytes = bytes
    let span = bytes.span.bytes
    let range = position..<max(Sound.end(span, position), position)
    position = range.upperBound
    if let integer = Number.integer(span, range) { return .integer(integer) }
    return .number(Number.real(span, range))
  }
}
