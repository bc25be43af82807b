public import EngagementModel

/// The host of a URL: a DNS name, an IPv4 address or a bracketed IPv6 address.
///
/// Hosts are normalised, so equal hosts have equal texts: names are in lower case, IPv6 addresses
/// in the form of RFC 5952. Forms that other parsers read differently are refused: a trailing dot,
/// `127.1` and `0x7f.1`, leading zeros, percent-encoding, zone identifiers, letters beyond ASCII
/// (use the `xn--` form), and the underscore, which no certificate may contain.
public struct HTTPHost: Hashable, Sendable, CustomStringConvertible {
  /// The host as in a URL, an IPv6 address with its brackets.
  public let text: String
  /// Whether the host is an IP address.
  public let isAddress: Bool
  /// Whether the host is a loopback address in digits: in 127.0.0.0/8, or `[::1]`.
  ///
  /// False for `localhost`, because a hosts file or a resolver can change its address.
  public let isLoopbackLiteral: Bool

  public var description: String { text }

  /// Throws `invalidArgument` if the text is not a host.
  public init(_ text: String) throws(EngagementError) {
    do { try self.init(bytes: Array(text.utf8)[...]) } catch { throw error.error }
  }

  init(bytes: ArraySlice<UInt8>) throws(URLFault) {
    if bytes.isEmpty { throw .noHost }
    if bytes.first == UInt8(ascii: "[") {
      guard bytes.last == UInt8(ascii: "]"), let groups = IPv6.groups(bytes.dropFirst().dropLast())
      else { throw .invalidHost }
      text = "[\(IPv6.text(groups))]"
      isAddress = true
      isLoopbackLiteral = groups == [0, 0, 0, 0, 0, 0, 0, 1]
    } else if Self.endsInNumber(bytes) {
      guard let address = IPv4.octets(bytes) else { throw .invalidHost }
      text = address.map(String.init).joined(separator: ".")
      isAddress = true
      isLoopbackLiteral = address[0] == 127
    } else {
      guard Self.isName(bytes) else { throw .invalidHost }
      text = String(ascii: bytes.map(\.lowercased))
      isAddress = false
      isLoopbackLiteral = false
    }
  }

  /// Whether a resolver may read the text as an IPv4 address, because its last label is a number.
  private static func endsInNumber(_ bytes: ArraySlice<UInt8>) -> Bool {
    let last = bytes.suffix { $0 != UInt8(ascii: ".") }
    if last.allSatisfy(\.isDigit) { return !last.isEmpty }
    return last.count >= 2 && last.prefix(2).equalsIgnoringCase("0x".utf8)
      && last.dropFirst(2).allSatisfy { $0.hexValue != nil }
  }

  private static func isName(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.count <= 253
      && bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        .allSatisfy(isLabel)
  }

  private static func isLabel(_ label: ArraySlice<UInt8>) -> Bool {
    let hyphen = UInt8(ascii: "-")
    return 1...63 ~= label.count && label.first != hyphen && label.last != hyphen
      && label.allSatisfy { $0.isDigit || $0.isLetter || $0 == hyphen }
  }
}

extension BidirectionalCollection {
  /// The longest suffix whose elements all pass.
  fileprivate func suffix(while passes: (Element) -> Bool) -> SubSequence {
    self[(lastIndex { !passes($0) }.map { index(after: $0) } ?? startIndex)...]
  }
}
