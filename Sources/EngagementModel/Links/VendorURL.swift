/// Checks addresses that a vendor sent. An address stays text until the application opens it. One
/// that could run code or read files never reaches the model.
public enum VendorURL {
  /// The address as sent; nil for an empty address and for one whose scheme could run code or read
  /// files.
  ///
  /// Browsers drop leading spaces and control bytes, and tabs and line breaks anywhere, before they
  /// read the scheme in any case. So does this function.
  public static func checked(_ text: String?) -> String? {
    guard let text, !text.isEmpty else { return nil }
    // A fast path for nearly every address: an adapter maps ten thousand cards within a frame or
    // two.
    if text.utf8.starts(with: "https://".utf8) { return text }
    return isActive(text.utf8.drop { $0 <= 0x20 }) ? nil : text
  }

  private static let active: Set<String> = ["javascript", "data", "vbscript", "file"]
  /// Schemes whose remainder is itself an address.
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

  /// The scheme in lower case, and the text after its colon.
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
