import EngagementFormats
public import EngagementModel

/// The SHA-256 of a public key, as a certificate carries it (SubjectPublicKeyInfo, DER).
public struct Pin: Hashable, Sendable {
  /// 32 bytes.
  public let sha256: [UInt8]

  /// Reads `sha256/BASE64`, or `sha256//BASE64` as curl writes it: padded, canonical Base64 of 32
  /// bytes and nothing else. Anything else throws `invalidConfiguration`, without the value.
  public init(_ text: String) throws(EngagementError) {
    guard let sha256 = Self.parsed(text) else {
      throw EngagementError(
        .invalidConfiguration, "A pin is sha256/ and the Base64 of 32 bytes.")
    }
    self.sha256 = sha256
  }

  /// Takes the hash itself, which has 32 bytes; else `invalidConfiguration`.
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
    // A slash is a Base64 digit too: only the length tells a second separator from the first one.
    if rest.count == 45, rest.first == UInt8(ascii: "/") { rest = rest.dropFirst() }
    guard rest.count == 44, let bytes = Base64.bytes(from: String(Substring(rest))) else {
      return nil
    }
    return bytes.count == 32 ? bytes : nil
  }
}
