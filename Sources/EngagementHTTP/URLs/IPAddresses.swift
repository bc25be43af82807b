/// Reads IPv4 addresses: four decimal numbers from 0 to 255 without leading zeros.
enum IPv4 {
  static func octets(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
    let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    let octets = parts.compactMap(octet)
    return parts.count == 4 && octets.count == 4 ? octets : nil
  }

  private static func octet(_ digits: ArraySlice<UInt8>) -> UInt8? {
    guard 1...3 ~= digits.count, digits.allSatisfy(\.isDigit) else { return nil }
    guard digits.count == 1 || digits.first != UInt8(ascii: "0") else { return nil }
    return UInt8(exactly: digits.reduce(0) { $0 * 10 + Int($1 - 0x30) })
  }
}

/// Reads the text forms of RFC 4291 §2.2, without a zone. Writes the canonical form of RFC 5952.
enum IPv6 {
  static func groups(_ bytes: ArraySlice<UInt8>) -> [UInt16]? {
    let colon = UInt8(ascii: ":")
    let gap = bytes.indices.dropLast().first { bytes[$0] == colon && bytes[$0 + 1] == colon }
    guard let gap else {
      guard let all = list(bytes), all.count == 8 else { return nil }
      return all
    }
    // An IPv4 tail ends the address, so it can't be before the gap.
    guard let head = list(bytes[..<gap], mayEndInIPv4: false), let tail = list(bytes[(gap + 2)...]),
      head.count + tail.count < 8
    else { return nil }
    return head + Array(repeating: 0, count: 8 - head.count - tail.count) + tail
  }

  private static func list(_ bytes: ArraySlice<UInt8>, mayEndInIPv4: Bool = true) -> [UInt16]? {
    if bytes.isEmpty { return [] }
    var groups: [UInt16] = []
    let parts = bytes.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    for (index, part) in parts.enumerated() {
      if let group = group(part) {
        groups.append(group)
      } else if mayEndInIPv4, index == parts.count - 1, let octets = IPv4.octets(part) {
        groups.append(UInt16(octets[0]) << 8 | UInt16(octets[1]))
        groups.append(UInt16(octets[2]) << 8 | UInt16(octets[3]))
      } else {
        return nil
      }
    }
    return groups
  }

  private static func group(_ digits: ArraySlice<UInt8>) -> UInt16? {
    guard 1...4 ~= digits.count else { return nil }
    var value: UInt16 = 0
    for digit in digits {
      guard let four = digit.hexValue else { return nil }
      value = value << 4 | UInt16(four)
    }
    return value
  }

  static func text(_ groups: [UInt16]) -> String {
    let words = groups.map { String($0, radix: 16) }
    guard let gap = longestZeroRun(groups) else { return words.joined(separator: ":") }
    return words[..<gap.lowerBound].joined(separator: ":") + "::"
      + words[gap.upperBound...].joined(separator: ":")
  }

  /// The first of the longest runs of two or more zero groups.
  private static func longestZeroRun(_ groups: [UInt16]) -> Range<Int>? {
    var longest = 0..<1
    var start = 0
    for (index, group) in groups.enumerated() {
      if group != 0 {
        start = index + 1
      } else if index + 1 - start > longest.count {
        longest = start..<(index + 1)
      }
    }
    return longest.count > 1 ? longest : nil
  }
}
