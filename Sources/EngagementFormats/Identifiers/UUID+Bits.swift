public import EngagementPlatform

extension UUID {
  /// Takes 128 bits unchanged, the most significant 64 first.
  public init(bits: (high: UInt64, low: UInt64)) {
    let (a, b) = (Self.bytes(of: bits.high), Self.bytes(of: bits.low))
    self.init(
      uuid: (
        a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7],
        b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]
      ))
  }

  /// The 128 bits, the most significant 64 first.
  public var bits: (high: UInt64, low: UInt64) {
    let (a0, a1, a2, a3, a4, a5, a6, a7, b0, b1, b2, b3, b4, b5, b6, b7) = uuid
    return (
      high: Self.number(of: SIMD8(a0, a1, a2, a3, a4, a5, a6, a7)),
      low: Self.number(of: SIMD8(b0, b1, b2, b3, b4, b5, b6, b7))
    )
  }

  private static func bytes(of number: UInt64) -> SIMD8<UInt8> {
    let shifts = SIMD8<UInt64>(56, 48, 40, 32, 24, 16, 8, 0)
    return SIMD8(truncatingIfNeeded: SIMD8(repeating: number) &>> shifts)
  }

  private static func number(of bytes: SIMD8<UInt8>) -> UInt64 {
    let shifts = SIMD8<UInt64>(56, 48, 40, 32, 24, 16, 8, 0)
    return (SIMD8<UInt64>(truncatingIfNeeded: bytes) &<< shifts).wrappedSum()
  }
}
