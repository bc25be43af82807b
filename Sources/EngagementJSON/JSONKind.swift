/// The kind of a JSON value.
public enum JSONKind: Hashable, Sendable, CaseIterable {
  case object, array, string, number, bool, null

  /// The kind of a value that begins with the byte; nil if no value does.
  init?(first byte: UInt8) {
    switch byte {
    case UInt8(ascii: "{"): self = .object
    case UInt8(ascii: "["): self = .array
    case UInt8(ascii: "\""): self = .string
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): self = .number
    case UInt8(ascii: "t"), UInt8(ascii: "f"): self = .bool
    case UInt8(ascii: "n"): self = .null
    default: return nil
    }
  }
}
