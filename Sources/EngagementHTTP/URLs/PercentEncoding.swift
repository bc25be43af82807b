/// Percent-encoding for parts of a URL.
public enum PercentEncoding {
  /// The text with every byte but letters, digits and `-._~` as `%XX` (RFC 3986 §2).
  ///
  /// The result is valid as a path segment and as the name or the value of a query item. Servers
  /// resolve the segments `.` and `..` in any encoding; `HTTPURL.appending(path:query:)` refuses
  /// them.
  public static func encode(_ text: String) -> String { encode(text.utf8) { !$0.isUnreserved } }

  /// The text as a path segment: what RFC 3986 §3.3 allows in one stays as it is.
  static func segment(_ text: String) -> String {
    encode(text.utf8) { !$0.isUnreserved && !"!$&'()*+,;=:@".utf8.contains($0) }
  }

  /// `name=value` pairs joined by `&`, in their order, both sides encoded.
  public static func query(_ items: [(name: String, value: String)]) -> String {
    items.map { "\(encode($0.name))=\(encode($0.value))" }.joined(separator: "&")
  }

  static func encodeBeyondASCII(_ bytes: some Collection<UInt8>) -> String {
    encode(bytes) { $0 >= 0x80 }
  }

  private static func encode(
    _ bytes: some Collection<UInt8>, where isEncoded: (UInt8) -> Bool
  ) -> String {
    var output: [UInt8] = []
    output.reserveCapacity(bytes.count)
    for byte in bytes {
      guard isEncoded(byte) else {
        output.append(byte)
        continue
      }
      output += [UInt8(ascii: "%"), digit(byte >> 4), digit(byte & 15)]
    }
    return String(ascii: output)
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? 0x30 + value : 0x41 + value - 10
  }
}
