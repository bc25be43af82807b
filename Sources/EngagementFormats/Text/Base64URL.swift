/// Base64 of RFC 4648, section 5: safe in URLs and file names. Not padded by default, as in a JSON
/// Web Token.
///
/// Reading is as strict as in `Base64`.
public enum Base64URL {
  /// The text of the bytes, not padded by default.
  public static func text(of bytes: RawSpan, padded: Bool = false) -> String {
    Base64Alphabet.url.text(of: bytes, padded: padded)
  }

  /// The text of the bytes, not padded by default.
  public static func text(of bytes: [UInt8], padded: Bool = false) -> String {
    text(of: bytes.span.bytes, padded: padded)
  }

  /// The bytes of a text. The text must not be padded, or must be with `padded: true`. Nil for any
  /// other text.
  public static func bytes(from text: String, padded: Bool = false) -> [UInt8]? {
    text.readingBytes { bytes(from: $0, padded: padded) }
  }

  /// The bytes of a text in UTF-8, by the same rules.
  public static func bytes(from text: RawSpan, padded: Bool = false) -> [UInt8]? {
    Base64Alphabet.url.bytes(from: text, padded: padded)
  }
}
