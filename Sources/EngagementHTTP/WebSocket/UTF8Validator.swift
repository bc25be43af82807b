/// Validates UTF-8 in pieces of any size. It refuses the first invalid byte at once.
struct UTF8Validator: Sendable {
  /// How many bytes the current scalar still needs.
  private var missing = 0
  /// The allowed values of the next byte. The range is narrower after E0, ED, F0 and F4, to refuse
  /// overlong forms, surrogates and scalars beyond U+10FFFF.
  private var allowed: ClosedRange<UInt8> = 0x80...0xbf

  /// Whether the input so far ends between two scalars.
  var isComplete: Bool { missing == 0 }

  /// Takes the next bytes. Returns false if the input so far can't be the start of valid UTF-8.
  mutating func take(_ bytes: ArraySlice<UInt8>) -> Bool {
    for byte in bytes {
      if missing == 0 {
        if byte < 0x80 { continue }
        guard begin(with: byte) else { return false }
      } else {
        guard allowed.contains(byte) else { return false }
        allowed = 0x80...0xbf
        missing -= 1
      }
    }
    return true
  }

  private mutating func begin(with byte: UInt8) -> Bool {
    switch byte {
    case 0xc2...0xdf: missing = 1
    case 0xe0...0xef: missing = 2
    case 0xf0...0xf4: missing = 3
    default: return false
    }
    switch byte {
    case 0xe0: allowed = 0xa0...0xbf
    case 0xed: allowed = 0x80...0x9f
    case 0xf0: allowed = 0x90...0xbf
    case 0xf4: allowed = 0x80...0x8f
    default: break
    }
    return true
  }
}
