public import EngagementPlatform

extension UUID {
  /// A UUID of version 7: the milliseconds of the time, then random bits.
  ///
  /// Uses the last 12 bits of `random.high` and the last 62 of `random.low`. Never fails: a time
  /// before 1970, or one that is not a number, counts as 1970, and a time after 9999 as the end of
  /// 9999. Ids of the same millisecond have no order; `UUIDv7Sequence` gives them one.
  public init(version7 date: Date, random: (high: UInt64, low: UInt64)) {
    self.init(milliseconds: Self.version7Milliseconds(of: date), random: random)
  }

  /// A UUID of version 8 from 122 of these 128 bits; the version and the variant overwrite six. The
  /// same bits make the same id.
  public init(version8 bits: (high: UInt64, low: UInt64)) {
    self.init(version: 8, bits: bits)
  }

  /// A UUID of version 8 from the first 128 bits of a digest, as in RFC 9562, appendix B.2.
  public init(version8 digest: SHA256.Digest) { self.init(version8: digest.leadingBits) }

  init(milliseconds: UInt64, random: (high: UInt64, low: UInt64)) {
    self.init(version: 7, bits: (milliseconds << 16 | random.high & 0xfff, random.low))
  }

  /// The milliseconds of a UUID of version 7: 48 bits, unsigned.
  static func version7Milliseconds(of date: Date) -> UInt64 {
    let last = UInt64(Epoch.range.upperBound)
    guard let milliseconds = Epoch.milliseconds(of: date) else {
      return date.timeIntervalSince1970 > 0 ? last : 0
    }
    return UInt64(max(0, milliseconds))
  }

  private init(version: UInt64, bits: (high: UInt64, low: UInt64)) {
    self.init(
      bits: (
        high: bits.high & 0xffff_ffff_ffff_0fff | version << 12,
        low: bits.low & 0x3fff_ffff_ffff_ffff | 1 << 63
      ))
  }
}
