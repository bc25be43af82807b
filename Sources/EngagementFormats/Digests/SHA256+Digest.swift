extension SHA256 {
  /// The 32 bytes of a digest.
  public struct Digest: Hashable, Sendable, CustomStringConvertible {
    /// The 32 bytes.
    public let bytes: [UInt8]

    /// The first 64 bits as a number, enough to tell some millions of items apart.
    public var prefix: UInt64 { number(at: 0) }

    /// The first 128 bits as two numbers.
    package var leadingBits: (high: UInt64, low: UInt64) { (number(at: 0), number(at: 8)) }

    private func number(at place: Int) -> UInt64 {
      bytes[place..<(place + 8)].reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// 64 lower-case hexadecimal digits.
    public var description: String { Hex.text(of: bytes) }
  }
}
