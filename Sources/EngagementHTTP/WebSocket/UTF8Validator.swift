/// Checks UTF-8 as it arrives: the first byte that can't be part of it is refused, wherever the
/// pieces are cut.
struct UTF8Validator: Sendable {
  /// How many bytes the scalar that has begun still needs.
  private var missing = 0
  /// What the next of them may be: narrower after E0, ED, F0 and F4, which could otherwise begin
  /// an overlong form, a surrogate or a scalar beyond U+10FFFF.
  private var allowed: ClosedRange<UInt8> = 0x80...0xbf

  /// Whether no scalar is cut off here.
  var isComplete: Bool { missing == 0 }

  /// Whether all that was taken so far is, or can become, UTF-8.
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
