extension HTTPURL {
  static func parsed(_ text: String) throws(URLFault) -> HTTPURL {
    let bytes = Array(text.utf8)
    guard bytes.allSatisfy({ $0 > 0x20 && $0 != 0x7f && $0 != UInt8(ascii: "\\") }) else {
      throw .forbiddenByte
    }
    let (scheme, rest) = try scheme(of: bytes[...])
    let end = rest.firstIndex { $0.endsAuthority } ?? rest.endIndex
    let origin = try origin(scheme, rest[..<end])
    let (path, query) = parts(of: rest[end...])
    return HTTPURL(origin: origin, path: path, query: query)
  }

  private static func scheme(
    of bytes: ArraySlice<UInt8>
  ) throws(URLFault) -> (Origin.Scheme, ArraySlice<UInt8>) {
    guard let length = schemeLength(of: bytes) else { throw .noScheme }
    let name = String(ascii: bytes.prefix(length).map(\.lowercased))
    guard let scheme = Origin.Scheme(rawValue: name) else { throw .unknownScheme }
    let rest = bytes.dropFirst(length + 1)
    guard rest.starts(with: "//".utf8) else { throw .noAuthority }
    return (scheme, rest.dropFirst(2))
  }

  /// The length of the scheme before a colon (RFC 3986 §3.1); nil if the bytes begin with none.
  static func schemeLength(of bytes: ArraySlice<UInt8>) -> Int? {
    guard let first = bytes.first, first.isLetter else { return nil }
    let name = bytes.prefix { byte in
      byte.isLetter || byte.isDigit || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
        || byte == UInt8(ascii: ".")
    }
    return bytes.dropFirst(name.count).first == UInt8(ascii: ":") ? name.count : nil
  }

  private static func origin(
    _ scheme: Origin.Scheme, _ authority: ArraySlice<UInt8>
  ) throws(URLFault) -> Origin {
    if authority.contains(UInt8(ascii: "@")) { throw .userInfo }
    // The colons of an IPv6 address are between brackets.
    let closing = authority.lastIndex(of: UInt8(ascii: "]")) ?? authority.startIndex
    let colon = authority[closing...].firstIndex(of: UInt8(ascii: ":")) ?? authority.endIndex
    let host = try HTTPHost(bytes: authority[..<colon])
    let port = authority[colon...]
    return Origin(
      scheme: scheme, host: host,
      port: port.isEmpty ? scheme.defaultPort : try number(ofPort: port.dropFirst()))
  }

  private static func number(ofPort digits: ArraySlice<UInt8>) throws(URLFault) -> Int {
    guard 1...5 ~= digits.count, digits.first != UInt8(ascii: "0"), digits.allSatisfy(\.isDigit)
    else { throw .invalidPort }
    let number = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    guard number <= 65535 else { throw .invalidPort }
    return number
  }

  private static func parts(of bytes: ArraySlice<UInt8>) -> (path: String, query: String?) {
    let sent = bytes.prefix { $0 != UInt8(ascii: "#") }
    let path = sent.prefix { $0 != UInt8(ascii: "?") }
    let query = sent.dropFirst(path.count)
    return (
      path.isEmpty ? "/" : PercentEncoding.encodeBeyondASCII(path),
      query.isEmpty ? nil : PercentEncoding.encodeBeyondASCII(query.dropFirst())
    )
  }
}

extension UInt8 {
  fileprivate var endsAuthority: Bool {
    self == UInt8(ascii: "/") || self == UInt8(ascii: "?") || self == UInt8(ascii: "#")
  }
}
