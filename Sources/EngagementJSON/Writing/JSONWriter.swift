public import EngagementModel

/// Writes JSON into a buffer, front to back, without building values.
///
/// ```swift
/// var writer = JSONWriter()
/// writer.beginObject()
/// writer.key("ids")
/// writer.value(["a", "b"])
/// writer.endObject()
/// ```
///
/// The writer adds commas. The caller must match the brackets and give each key a value. The same
/// calls give the same bytes.
public struct JSONWriter: Sendable {
  /// The bytes written so far.
  public private(set) var bytes: [UInt8] = []

  /// An empty writer with room for that many bytes.
  public init(reservingCapacity capacity: Int = 0) { bytes.reserveCapacity(capacity) }

  public mutating func beginObject() { open(UInt8(ascii: "{")) }
  public mutating func endObject() { bytes.append(UInt8(ascii: "}")) }
  public mutating func beginArray() { open(UInt8(ascii: "[")) }
  public mutating func endArray() { bytes.append(UInt8(ascii: "]")) }

  /// Begins a member; its value must follow.
  public mutating func key(_ key: String) {
    value(key)
    bytes.append(UInt8(ascii: ":"))
  }

  public mutating func null() {
    separate()
    bytes.append(contentsOf: "null".utf8)
  }

  public mutating func value(_ value: Bool) {
    separate()
    bytes.append(contentsOf: value ? "true".utf8 : "false".utf8)
  }

  public mutating func value(_ value: Int64) {
    separate()
    var digits = InlineArray<20, UInt8>(repeating: UInt8(ascii: "0"))
    var first = digits.count
    var rest = value.magnitude
    repeat {
      first -= 1
      digits[first] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    } while rest > 0
    if value < 0 { bytes.append(UInt8(ascii: "-")) }
    for index in first..<digits.count { bytes.append(digits[index]) }
  }

  public mutating func value(_ value: Int) { self.value(Int64(value)) }

  /// Writes the shortest text that reads back as the same number; `null` for NaN and infinity.
  public mutating func value(_ value: Double) {
    guard value.isFinite else { return null() }
    separate()
    bytes.append(contentsOf: value.description.utf8)
  }

  /// Writes a string. Escapes only quotes, backslashes and control characters.
  public mutating func value(_ value: String) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    JSONEscape.append(value, to: &bytes)
    bytes.append(UInt8(ascii: "\""))
  }

  public mutating func value(_ value: JSON) {
    switch value {
    case .null: null()
    case .bool(let bool): self.value(bool)
    case .integer(let integer): self.value(integer)
    case .number(let number): self.value(number)
    case .string(let string): self.value(string)
    case .array(let elements):
      beginArray()
      for element in elements { self.value(element) }
      endArray()
    case .object(let object):
      beginObject()
      for member in object.members { self.member(member.key, member.value) }
      endObject()
    }
  }

  public mutating func value(_ values: [String]) {
    beginArray()
    for value in values { self.value(value) }
    endArray()
  }

  /// Writes bytes that are already JSON, such as those of a `RawItem`, unchanged.
  public mutating func raw(_ json: ArraySlice<UInt8>) {
    separate()
    bytes.append(contentsOf: json)
  }

  /// Ends a line, for formats with one value per line.
  public mutating func newline() { bytes.append(UInt8(ascii: "\n")) }

  private mutating func open(_ bracket: UInt8) {
    separate()
    bytes.append(bracket)
  }

  /// Writes a comma unless a value may begin here. The last byte decides: no value ends with one of
  /// these bytes.
  private mutating func separate() {
    switch bytes.last {
    case nil, UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: ":"), UInt8(ascii: "\n"): break
    default: bytes.append(UInt8(ascii: ","))
    }
  }
}

// MARK: Members

extension JSONWriter {
  public mutating func member(_ key: String, _ value: String) {
    self.key(key)
    self.value(value)
  }

  public mutating func member(_ key: String, _ value: Int64) {
    self.key(key)
    self.value(value)
  }

  public mutating func member(_ key: String, _ value: Double) {
    self.key(key)
    self.value(value)
  }

  public mutating func member(_ key: String, _ value: Bool) {
    self.key(key)
    self.value(value)
  }

  public mutating func member(_ key: String, _ value: JSON) {
    self.key(key)
    self.value(value)
  }
}
