/// An address that a vendor sent. It stays text until somebody opens it, and one that could run
/// code or read files never reaches the model.
public enum VendorURL {
  /// The address as it was sent, or nil for an empty one and for one that a browser would run.
  ///
  /// A browser drops leading spaces and control bytes, and tabs and line breaks anywhere, before
  /// it reads the scheme in any case; so does this.
  public static func checked(_ text: String?) -> String? {
    guard let text, !text.isEmpty else { return nil }
    // Nearly every address; ten thousand cards are mapped in the time of a frame or two.
    if text.utf8.starts(with: "https://".utf8) { return text }
    return isActive(text.utf8.drop { $0 <= 0x20 }) ? nil : text
  }

  private static let active: Set<String> = ["javascript", "data", "vbscript", "file"]
  /// Schemes whose rest is an address of its own.
  private static let wrapping: Set<String> = ["feed", "view-source", "jar", "blob", "filesystem"]
  private static let longestScheme = 16

  private static func isActive(_ address: Substring.UTF8View) -> Bool {
    var address = address
    while let (scheme, rest) = schemed(address) {
      if active.contains(scheme) { return true }
      guard wrapping.contains(scheme) else { return false }
      address = rest.drop { $0 <= 0x20 }
    }
    return false
  }

  /// The scheme in lower case and what follows its colon.
  private static func schemed(
    _ address: Substring.UTF8View
  ) -> (scheme: String, rest: Substring.UTF8View)? {
    var (scheme, rest): ([UInt8], Substring.UTF8View) = ([], address)
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: ":"): return (String(decoding: scheme, as: UTF8.self), rest)
      case 0x09, 0x0a, 0x0d: continue
      case _ where scheme.count < longestScheme:
        scheme.append((0x41...0x5a).contains(byte) ? byte | 0x20 : byte)
      default: return nil
      }
    }
    return nil
  }
}
