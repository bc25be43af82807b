public import EngagementPlatform

extension UUID {
  /// Reads the 36 characters of RFC 9562, with digits of either case; nil for any other form.
  public init?(text: String) {
    guard let uuid = text.readingBytes({ UUID(text: $0) }) else { return nil }
    self = uuid
  }

  /// Reads the 36 characters of RFC 9562 from UTF-8 bytes, by the same rules.
  public init?(text: RawSpan) {
    guard text.byteCount == 36 else { return nil }
    var bits: (high: UInt64, low: UInt64) = (0, 0)
    for offset in 0..<36 {
      let byte = text.byte(at: offset)
      if Self.isHyphen(offset) {
        guard byte == UInt8(ascii: "-") else { return nil }
      } else {
        guard let digit = Hex.value(of: byte) else { return nil }
        bits.high = bits.high << 4 | bits.low >> 60
        bits.low = bits.low << 4 | UInt64(digit)
      }
    }
    self.init(bits: bits)
  }

  /// The 36 characters of RFC 9562, in the lower case that it requires.
  public var text: String { String(capacity: 36) { append(to: &$0) } }

  /// Writes the characters of `text` into the caller's buffer. Returns false and writes nothing if
  /// fewer than 36 bytes are free.
  public func write(to output: inout OutputSpan<UInt8>) -> Bool {
    guard output.freeCapacity >= 36 else { return false }
    append(to: &output)
    return true
  }

  private func append(to output: inout OutputSpan<UInt8>) {
    var bits = bits
    for offset in 0..<36 {
      guard !Self.isHyphen(offset) else {
        output.append(UInt8(ascii: "-"))
        continue
      }
      output.append(Hex.digit(UInt8(truncatingIfNeeded: bits.high >> 60)))
      bits.high = bits.high << 4 | bits.low >> 60
      bits.low <<= 4
    }
  }

  private static func isHyphen(_ offset: Int) -> Bool {
    offset == 8 || offset == 13 || offset == 18 || offset == 23
  }
}
