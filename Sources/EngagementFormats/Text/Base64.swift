/// Base64 of RFC 4648, section 4.
///
/// Reading is strict, so that two texts never stand for the same bytes: no line breaks, no other
/// character, padding exactly as it is asked for, and no bits left over.
public enum Base64 {
  /// The text of the bytes, with padding unless asked otherwise.
  public static func text(of bytes: RawSpan, padded: Bool = true) -> String {
    Base64Alphabet.standard.text(of: bytes, padded: padded)
  }

  /// The text of the bytes, with padding unless asked otherwise.
  public static func text(of bytes: [UInt8], padded: Bool = true) -> String {
    text(of: bytes.span.bytes, padded: padded)
  }

  /// The bytes of a text, which must have its padding, or with `padded: false` none.
  public static func bytes(from text: String, padded: Bool = true) -> [UInt8]? {
    text.readingBytes { bytes(from: $0, padded: padded) }
  }

  /// The bytes of a text in UTF-8, by the same rules.
  public static func bytes(from text: RawSpan, padded: Bool = true) -> [UInt8]? {
    Base64Alphabet.standard.bytes(from: text, padded: padded)
  }
}
