import EngagementAdapterAPI

/// 128 bits as the 16 bytes of a column, most significant first.
enum StoredBits {
  static func bytes(_ bits: (high: UInt64, low: UInt64)) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(16)
    for shift in stride(from: 120, through: 0, by: -8) {
      let half = shift < 64 ? bits.low : bits.high
      bytes.append(UInt8(truncatingIfNeeded: half >> (shift & 63)))
    }
    return bytes
  }

  /// The bits; nil for any other number of bytes.
  static func bits(_ bytes: [UInt8]) -> (high: UInt64, low: UInt64)? {
    guard bytes.count == 16 else { return nil }
    return (number(bytes[..<8]), number(bytes[8...]))
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }
}

extension OperationKey {
  var stored: [UInt8] { StoredBits.bytes((high, low)) }

  /// Nil for any other number of bytes than 16.
  init?(stored bytes: [UInt8]) {
    guard let bits = StoredBits.bits(bytes) else { return nil }
    self.init(bits.high, bits.low)
  }
}
