import EngagementJSON
import EngagementModel

/// Reads an object that may be in a text, like every value of an Android push.
///
/// The vendor's Android client reads such a text leniently, and the vendor has sent a hash in
/// Ruby's notation, `{"deep_link"=>"x", "a"=>nil}`.
enum VibesLooseObject {
  /// Nil if the value is not an object in any of the notations.
  static func read(_ value: JSON) -> JSONObject? {
    switch value {
    case .object(let object): return object
    case .string(let text):
      let bytes = Array(text.utf8)
      guard let json = try? JSON(parsing: bytes) else { return LooseText(bytes).object() }
      return json.object
    case .null, .bool, .integer, .number, .array: return nil
    }
  }
}

/// A text in JSON, or nearly so: quotes of both kinds or none, `=` and `=>` for the colon, `;` for
/// the comma, and Ruby's `nil` and escaped `#`.
private struct LooseText {
  private var rest: ArraySlice<UInt8>
  private var depth = 0
  private static let deepest = 32

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  /// The object that is the whole text; nil if it is none.
  consuming func object() -> JSONObject? {
    guard case .object(let object)? = value() else { return nil }
    return next() == nil ? object : nil
  }

  /// The next byte that is no blank.
  private mutating func next() -> UInt8? {
    rest = rest.drop { $0 <= 0x20 }
    return rest.first
  }

  private mutating func take(_ bytes: String) -> Bool {
    guard let byte = next(), bytes.utf8.contains(byte) else { return false }
    rest.removeFirst()
    return true
  }

  private mutating func value() -> JSON? {
    switch next() {
    case UInt8(ascii: "{"): members()
    case UInt8(ascii: "["): elements()
    case UInt8(ascii: "\""), UInt8(ascii: "'"): string().map(JSON.string)
    case nil: nil
    default: word(endedBy: "{}[],;\"'").map(Self.meaning)
    }
  }

  private mutating func members() -> JSON? {
    guard enter("{") else { return nil }
    var object = JSONObject()
    while !take("}") {
      guard let key = key(), take(":=") else { return nil }
      _ = take(">")
      guard let value = value(), object[key] == nil else { return nil }
      object[key] = value
      guard take(",;") || next() == UInt8(ascii: "}") else { return nil }
    }
    depth -= 1
    return .object(object)
  }

  private mutating func elements() -> JSON? {
    guard enter("[") else { return nil }
    var array: [JSON] = []
    while !take("]") {
      guard let value = value() else { return nil }
      array.append(value)
      guard take(",;") || next() == UInt8(ascii: "]") else { return nil }
    }
    depth -= 1
    return .array(array)
  }

  private mutating func enter(_ bracket: String) -> Bool {
    depth += 1
    return depth <= Self.deepest && take(bracket)
  }

  private mutating func key() -> String? {
    switch next() {
    case UInt8(ascii: "\""), UInt8(ascii: "'"): string()
    default: word(endedBy: "{}[]:=,;\"'")
    }
  }

  /// A text in quotes of either kind.
  private mutating func string() -> String? {
    guard let quote = rest.popFirst() else { return nil }
    // The escapes are JSON's, so JSON reads them.
    var literal: [UInt8] = [UInt8(ascii: "\"")]
    while let byte = rest.popFirst() {
      if byte == quote {
        return (try? JSON(parsing: literal + [UInt8(ascii: "\"")]))?.string
      }
      switch byte {
      case UInt8(ascii: "\\"):
        guard let escaped = rest.popFirst() else { return nil }
        if ![UInt8(ascii: "#"), UInt8(ascii: "'")].contains(escaped) { literal.append(byte) }
        literal.append(escaped)
      case UInt8(ascii: "\""): literal += [UInt8(ascii: "\\"), byte]
      default: literal.append(byte)
      }
    }
    return nil
  }

  /// A text without quotes. A value may be an address, with a colon inside.
  private mutating func word(endedBy ends: String) -> String? {
    let word = rest.prefix { $0 > 0x20 && !ends.utf8.contains($0) }
    rest = rest.dropFirst(word.count)
    return word.isEmpty ? nil : String(decoding: word, as: UTF8.self)
  }

  private static func meaning(of word: String) -> JSON {
    if word == "nil" { return .null }
    return (try? JSON(parsing: Array(word.utf8))) ?? .string(word)
  }
}
