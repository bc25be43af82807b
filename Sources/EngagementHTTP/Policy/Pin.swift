import EngagementFormats
public import EngagementModel

/// The SHA-256 of a public key in the form that certificates use (SubjectPublicKeyInfo, DER).
public struct Pin: Hashable, Sendable {
  /// 32 bytes.
  public let sha256: [UInt8]

  /// Reads `sha256/BASE64`, or `sha256//BASE64` as in curl, with padded, canonical Base64 of 32
  /// bytes. Throws `invalidConfiguration` for any other text, without the text in the error.
  public init(_ text: String) throws(EngagementError) {
    guard let sha256 = Self.parsed(text) else {
      throw EngagementError(
        .invalidConfiguration, "A pin is sha256/ and the Base64 of 32 bytes.")
    }
    self.sha256 = sha256
  }

  /// Takes the hash itself. Throws `invalidConfiguration` unless it has 32 bytes.
  public init(sha256: [UInt8]) throws(EngagementError) {
    guard sha256.count == 32 else {
      throw EngagementError(.invalidConfiguration, "A pin has 32 bytes.")
    }
    self.sha256 = sha256
  }

  private static func parsed(_ text: String) -> [UInt8]? {
    var rest = Substring(text).utf8
    guard rest.starts(with: "sha256/".utf8) else { return nil }
    rest = rest.dropFirst("sha256/".utf8.count)
    // A slash is also a Base64 digit: only the length shows whether this one is a second separator.
    if rest.count == 45, rest.first == UInt8(ascii: "/") { rest = rest.dropFirst() }
    guard rest.count == 44, let bytes = Base64.bytes(from: String(Substring(rest))) else {
      return nil
    }
    return bytes.count == 32 ? bytes : nil
  }
}
