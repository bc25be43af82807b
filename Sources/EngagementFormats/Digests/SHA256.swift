/// SHA-256 of FIPS 180-4, over bytes given at once or in pieces.
///
/// A message may have up to 2⁶¹ bytes, as in the standard.
public struct SHA256: Sendable {
  private var state = SIMD8<UInt32>(
    0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a,
    0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19)
  /// The bytes after the last whole block, fewer than 64.
  private var rest: [UInt8] = []
  private var byteCount: UInt64 = 0

  /// The digest of an empty message.
  public init() {}

  /// Adds bytes to the message; the pieces may have any length.
  public mutating func update(_ bytes: RawSpan) {
    byteCount &+= UInt64(bytes.byteCount)
    var start = 0
    if !rest.isEmpty {
      start = min(MessagePadding.blockSize - rest.count, bytes.byteCount)
      keep(bytes, 0..<start)
      guard rest.count == MessagePadding.blockSize else { return }
      state = Self.compress(rest.span.bytes, from: state)
      rest.removeAll(keepingCapacity: true)
    }
    let end = bytes.byteCount - (bytes.byteCount - start) % MessagePadding.blockSize
    state = Self.compress(bytes.extracting(start..<end), from: state)
    keep(bytes, end..<bytes.byteCount)
  }

  /// Adds bytes to the message; the pieces may have any length.
  public mutating func update(_ bytes: [UInt8]) { update(bytes.span.bytes) }

  /// The digest of all bytes so far. More bytes may follow.
  public func digest() -> Digest { Self.digest(after: state, rest.span.bytes, byteCount) }

  /// The digest of a whole message.
  public static func digest(of bytes: RawSpan) -> Digest {
    let end = bytes.byteCount - bytes.byteCount % MessagePadding.blockSize
    let state = compress(bytes.extracting(0..<end), from: Self().state)
    let rest = bytes.extracting(end..<bytes.byteCount)
    return digest(after: state, rest, UInt64(bytes.byteCount))
  }

  /// The digest of a whole message.
  public static func digest(of bytes: [UInt8]) -> Digest { digest(of: bytes.span.bytes) }

  /// The digest of a string's UTF-8 bytes.
  public static func digest(of text: String) -> Digest { text.readingBytes(digest(of:)) }

  private mutating func keep(_ bytes: RawSpan, _ range: Range<Int>) {
    // Appending nothing to an empty array would still write to the storage that all empty arrays
    // share.
    guard !range.isEmpty else { return }
    rest.append(addingCapacity: range.count) { output in
      for offset in range { output.append(bytes.byte(at: offset)) }
    }
  }

  private static func digest(
    after state: SIMD8<UInt32>, _ rest: RawSpan, _ byteCount: UInt64
  ) -> Digest {
    let end = MessagePadding.lastBlocks(rest: rest, byteCount: byteCount)
    return Digest(words: compress(end.span.bytes, from: state))
  }
}
