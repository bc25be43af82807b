/// A request as a vendor's server sees it.
public struct VendorRequest: Sendable {
  public var method: String
  /// Path and query as they were sent.
  public var target: String
  /// The header fields, names in lower case.
  public var headers: [(name: String, value: String)]
  public var body: [UInt8]

  public init(
    method: String, target: String, headers: [(name: String, value: String)] = [],
    body: [UInt8] = []
  ) {
    self.method = method
    self.target = target
    self.headers = headers.map { ($0.name.lowercased(), $0.value) }
    self.body = body
  }

  /// The path as it was sent, without the query.
  public var path: String {
    String(Substring(target.utf8.prefix { $0 != UInt8(ascii: "?") }))
  }

  /// The parts of the path, decoded; nil where a part does not decode to text.
  public var segments: [String]? {
    var segments: [String] = []
    for part in path.utf8.split(separator: UInt8(ascii: "/")) {
      guard let text = Self.decoded(part) else { return nil }
      segments.append(text)
    }
    return segments
  }

  /// The value of a member of the query, decoded.
  public func query(_ name: String) -> String? {
    guard let mark = target.utf8.firstIndex(of: UInt8(ascii: "?")) else { return nil }
    let query = target.utf8[target.utf8.index(after: mark)...]
    for pair in query.split(separator: UInt8(ascii: "&")) {
      let parts = pair.split(
        separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      if Self.decoded(parts[0]) == name {
        return parts.count > 1 ? Self.decoded(parts[1]) : ""
      }
    }
    return nil
  }

  /// The query from the value of its first member to its end, decoded: the value of a member that is
  /// alone and has `&` unescaped in it. Nil where the first member has another name.
  public func query(only name: String) -> String? {
    guard let mark = target.utf8.firstIndex(of: UInt8(ascii: "?")) else { return nil }
    let query = target.utf8[target.utf8.index(after: mark)...]
    let parts = query.split(
      separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count > 1, Self.decoded(parts[0]) == name else { return nil }
    return Self.decoded(parts[1])
  }

  /// The values of a header, in order.
  public func all(_ name: String) -> [String] {
    let name = name.lowercased()
    return headers.filter { $0.name == name }.map(\.value)
  }

  /// The first value of a header.
  public func header(_ name: String) -> String? { all(name).first }

  // MARK: Text of a URL

  /// The bytes with `%XX` decoded; nil where a `%` stands alone or the result is not UTF-8.
  private static func decoded(_ bytes: some Collection<UInt8>) -> String? {
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
