/// Base64 of RFC 4648, section 4.
///
/// Reading is strict, so two texts never stand for the same bytes. It refuses line breaks and other
/// foreign characters, missing or extra padding, and unused bits that are set.
public enum Base64 {
  /// The text of the bytes, padded by default.
  public static func text(of bytes: RawSpan, padded: Bool = true) -> String {
    Base64Alphabet.standard.text(of: bytes, padded: padded)
  }

  /// The text of the bytes, padded by default.
  public static func text(of bytes: [UInt8], padded: Bool = true) -> String {
    text(of: bytes.span.bytes, padded: padded)
  }

  /// The bytes of a text. The text must be padded, or must not be with `padded: false`. Nil for any
  /// other text.
  public static func bytes(from text: String, padded: Bool = true) -> [UInt8]? {
    text.readingBytes { bytes(from: $0, padded: padded) }
  }

  /// The bytes of a text in UTF-8, by the same rules.
  public static func bytes(from text: RawSpan, padded: Bool = true) -> [UInt8]? {
    Base64Alphabet.standard.bytes(from: text, padded: padded)
  }
}
