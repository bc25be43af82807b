extension SHA256 {
  /// The 32 bytes of a digest.
  public struct Digest: Hashable, Sendable, CustomStringConvertible {
    /// The digest as eight words, the most significant first.
    let words: SIMD8<UInt32>

    /// The digest with these 32 bytes.
    init(bytes: [UInt8]) {
      let span = bytes.span.bytes
      var words = SIMD8<UInt32>()
      for place in words.indices { words[place] = span.bigEndianWord(at: 4 * place) }
      self.words = words
    }

    /// The 32 bytes.
    public var bytes: [UInt8] {
      [UInt8](capacity: 32) { output in
        for word in words.indices { output.appendBigEndian(words[word]) }
      }
    }

    /// The first 64 bits as a number, enough to tell some millions of items apart.
    public var prefix: UInt64 { UInt64(words[0]) << 32 | UInt64(words[1]) }

    /// 64 lower-case hexadecimal digits.
    public var description: String { Hex.text(of: bytes) }
  }
}
