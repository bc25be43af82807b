#if canImport(CommonCrypto)
  import CommonCrypto
#else
  import CCrypto
#endif

/// SHA-256 of FIPS 180-4, over bytes given at once or in pieces, by the system's library.
public struct SHA256: Sendable {
  private var context = CC_SHA256_CTX()

  /// The digest of an empty message.
  public init() { _ = unsafe CC_SHA256_Init(&context) }

  /// Adds bytes to the message; the pieces may have any length.
  public mutating func update(_ bytes: RawSpan) {
    unsafe bytes.withUnsafeBytes { bytes in
      _ = unsafe CC_SHA256_Update(&context, bytes.baseAddress, CC_LONG(bytes.count))
    }
  }

  /// Adds bytes to the message; the pieces may have any length.
  public mutating func update(_ bytes: [UInt8]) { update(bytes.span.bytes) }

  /// Adds a string's UTF-8 bytes to the message.
  package mutating func update(_ text: String) {
    var text = text
    text.withUTF8 { update($0.span.bytes) }
  }

  /// The first 128 bits of the digest of all bytes so far, without an array for the rest. More bytes may
  /// follow.
  package func leadingBits() -> (high: UInt64, low: UInt64) {
    var context = context
    var words = (UInt64(0), UInt64(0), UInt64(0), UInt64(0))
    unsafe withUnsafeMutableBytes(of: &words) { bytes in
      _ = unsafe CC_SHA256_Final(bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), &context)
    }
    return (UInt64(bigEndian: words.0), UInt64(bigEndian: words.1))
  }

  /// The digest of all bytes so far. More bytes may follow.
  public func digest() -> Digest {
    var context = context
    let bytes = [UInt8](unsafeUninitializedCapacity: 32) { bytes, count in
      _ = unsafe CC_SHA256_Final(bytes.baseAddress, &context)
      count = 32
    }
    return Digest(bytes: bytes)
  }

  /// The digest of a whole message.
  public static func digest(of bytes: RawSpan) -> Digest {
    var hash = SHA256()
    hash.update(bytes)
    return hash.digest()
  }

  /// The digest of a whole message.
  public static func digest(of bytes: [UInt8]) -> Digest { digest(of: bytes.span.bytes) }

  /// The digest of a string's UTF-8 bytes.
  public static func digest(of text: String) -> Digest { text.readingBytes(digest(of:)) }
}
