/// A request as a vendor's server sees it.
struct Call: Sendable {
  var method: String
  /// Path and query as they were sent.
  var target: String
  var headers: [(name: String, value: String)]
  var body: [UInt8]

  /// The path as it was sent, without the query.
  var path: String {
    String(Substring(target.utf8.prefix { $0 != UInt8(ascii: "?") }))
  }

  /// The parts of the path, decoded; nil for a part that does not decode to text.
  var segments: [String]? {
    var segments: [String] = []
    for part in path.utf8.split(separator: UInt8(ascii: "/")) {
      guard let text = PercentDecoding.text(part) else { return nil }
      segments.append(text)
    }
    return segments
  }

  /// The value of a member of the query, decoded.
  func query(_ name: String) -> String? {
    guard let mark = target.utf8.firstIndex(of: UInt8(ascii: "?")) else { return nil }
    let query = target.utf8[target.utf8.index(after: mark)...]
    for pair in query.split(separator: UInt8(ascii: "&")) {
      let parts = pair.split(
        separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      if PercentDecoding.text(parts[0]) == name {
        return parts.count > 1 ? PercentDecoding.text(parts[1]) : ""
      }
    }
    return nil
  }

  /// The values of a header, in order.
  func all(_ name: String) -> [String] {
    let name = name.lowercased()
    return headers.filter { $0.name == name }.map(\.value)
  }

  /// The names of the headers that carry a credential.
  var credentials: [String] {
    let secret: Set = [
      "authorization", "cookie", "proxy-authorization", "x-api-key", "x-braze-api-key",
      "x-braze-auth-signature",
    ]
    return Set(headers.map(\.name)).intersection(secret).sorted()
  }

  /// The first value of a header.
  func header(_ name: String) -> String? { all(name).first }
}

/// Text out of a URL.
enum PercentDecoding {
  /// The bytes with `%XX` undone; nil where a `%` stands alone or the result is not UTF-8.
  static func text(_ bytes: some Collection<UInt8>) -> String? {
    var decoded: [UInt8] = []
    var rest = bytes[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        decoded.append(byte)
        continue
      }
      guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit)
      else { return nil }
      decoded.append(high << 4 | low)
    }
    return String(validating: decoded, as: UTF8.self)
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    Character(Unicode.Scalar(byte)).hexDigitValue.map(UInt8.init)
  }
}
