#if canImport(CommonCrypto)
  import CommonCrypto
#else
  import CCrypto
#endif

/// SHA-1 of FIPS 180-4, for the key that a WebSocket server answers with (RFC 6455, section 4.2.2), by
/// the system's library.
///
/// Collisions are easy to make: do not use SHA-1 for trust or identity. Use `SHA256`.
public enum SHA1 {
  /// The 20 bytes of the digest.
  public static func digest(of bytes: RawSpan) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: 20) { digest, count in
      unsafe bytes.withUnsafeBytes { bytes in
        _ = unsafe CC_SHA1(bytes.baseAddress, CC_LONG(bytes.count), digest.baseAddress)
      }
      count = 20
    }
  }

  /// The 20 bytes of the digest.
  public static func digest(of bytes: [UInt8]) -> [UInt8] { digest(of: bytes.span.bytes) }

  /// The 20 bytes of the digest of a string's UTF-8 bytes.
  public static func digest(of text: String) -> [UInt8] { text.readingBytes(digest(of:)) }
}
