/// Base64 of RFC 4648, section 5: safe in a URL and in a file name. Used without padding, as a
/// JSON Web Token has it, unless asked otherwise.
///
/// Reading is as strict as that of `Base64`.
public enum Base64URL {
  /// The text of the bytes, without padding unless asked otherwise.
  public static func text(of bytes: RawSpan, padded: Bool = false) -> String {
    Base64Alphabet.url.text(of: bytes, padded: padded)
  }

  /// The text of the bytes, without padding unless asked otherwise.
  public static func text(of bytes: [UInt8], padded: Bool = false) -> String {
    text(of: bytes.span.bytes, padded: padded)
  }

  /// The bytes of a text, which must have no padding, or with `padded: true` all of it.
  public static func bytes(from text: String, padded: Bool = false) -> [UInt8]? {
    text.readingBytes { bytes(from: $0, padded: padded) }
  }

  /// The bytes of a text in UTF-8, by the same rules.
  public static func bytes(from text: RawSpan, padded: Bool = false) -> [UInt8]? {
    Base64Alphabet.url.bytes(from: text, padded: padded)
  }
}
