/// The four bytes that mask a client's frame. The caller makes them: unpredictable and new for each
/// frame, as RFC 6455 §5.3 requires.
public struct WebSocketMask: Hashable, Sendable {
  /// The masking key, its first byte in the lowest bits.
  private let word: UInt32

  public init(_ first: UInt8, _ second: UInt8, _ third: UInt8, _ fourth: UInt8) {
    word = UInt32(first) | UInt32(second) << 8 | UInt32(third) << 16 | UInt32(fourth) << 24
  }

  /// Takes four random bytes as one number.
  public init(random word: UInt32) { self.word = word }

  var bytes: [UInt8] { (0..<4).map(key) }

  /// Masks or unmasks a part of a payload. The part begins `offset` bytes into the payload.
  func apply(to bytes: inout [UInt8], in range: Range<Int>, offset: Int) {
    let shift = offset &- range.lowerBound
    for index in range { bytes[index] ^= key(index &+ shift) }
  }

  private func key(_ index: Int) -> UInt8 {
    UInt8(truncatingIfNeeded: word >> UInt32(truncatingIfNeeded: (index & 3) &* 8))
  }
}
