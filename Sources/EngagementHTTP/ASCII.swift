extension UInt8 {
  var isDigit: Bool { 0x30...0x39 ~= self }
  var isLetter: Bool { 0x61...0x7a ~= lowercased }

  /// The lower-case letter of an upper-case one; every other byte unchanged.
  var lowercased: UInt8 { 0x41...0x5a ~= self ? self | 0x20 : self }

  /// The value of a hexadecimal digit, or nil.
  var hexValue: UInt8? {
    switch lowercased {
    case 0x30...0x39: self - 0x30
    case let letter where 0x61...0x66 ~= letter: letter - 0x57
    default: nil
    }
  }

  /// Whether the byte may be in a token, RFC 9110 §5.6.2.
  var isTokenByte: Bool {
    switch self {
    case _ where isDigit || isLetter: true
    case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"),
      UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"),
      UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "^"), UInt8(ascii: "_"),
      UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
      true
    default: false
    }
  }

  /// Whether the byte never needs percent-encoding, RFC 3986 §2.3.
  var isUnreserved: Bool {
    switch self {
    case _ where isDigit || isLetter: true
    case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): true
    default: false
    }
  }

  var isBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }
}

extension Collection where Element == UInt8 {
  /// Whether both are equal, ignoring the case of ASCII letters.
  func equalsIgnoringCase(_ other: some Collection<UInt8>) -> Bool {
    elementsEqual(other) { $0.lowercased == $1.lowercased }
  }

  /// Whether this is a token of RFC 9110: not empty, and only token bytes.
  var isToken: Bool { !isEmpty && allSatisfy(\.isTokenByte) }
}

extension BidirectionalCollection where Element == UInt8, SubSequence: BidirectionalCollection {
  /// Without the spaces and tabs at either end.
  var trimmed: SubSequence {
    let end = lastIndex { !$0.isBlank }.map { index(after: $0) } ?? startIndex
    return self[..<end].drop(while: \.isBlank)
  }
}

extension String {
  init(ascii bytes: some Collection<UInt8>) { self.init(decoding: bytes, as: UTF8.self) }

  func equalsIgnoringCase(_ other: String) -> Bool { utf8.equalsIgnoringCase(other.utf8) }
}
