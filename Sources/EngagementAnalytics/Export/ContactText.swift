/// Texts by which a person can be reached.
enum ContactText {
  /// Whether an address of e-mail is in the text, or it is a phone number with its country.
  static func isIn(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    return bytes.indices.contains { index in
      switch bytes[index] {
      case UInt8(ascii: "@"): isAddress(bytes, before: index, after: index + 1)
      case UInt8(ascii: "+"): isPhone(bytes, from: index)
      case _: false
      }
    }
  }

  /// Whether the sign begins a number with its country.
  private static func isPhone(_ bytes: [UInt8], from sign: Int) -> Bool {
    if sign > 0, isDigit(bytes[sign - 1]) { return false }
    let number = bytes[(sign + 1)...].prefix { isDigit($0) || " -()./".utf8.contains($0) }
    guard let first = number.first, isDigit(first) || " (".utf8.contains(first) else {
      return false
    }
    return 7...15 ~= number.count(where: isDigit)
  }

  /// The digits of a text that has the form of a phone number; nil for any other.
  static func digits(of text: String) -> [UInt8]? {
    var digits: [UInt8] = []
    for byte in text.utf8 {
      if isDigit(byte) {
        digits.append(byte)
      } else if !" +-().".utf8.contains(byte) {
        return nil
      }
    }
    return 7...15 ~= digits.count ? digits : nil
  }

  /// Whether a name stands before the sign, and a domain after it. The name of a picture such as
  /// `icon@2x.png` is no address.
  private static func isAddress(_ bytes: [UInt8], before end: Int, after start: Int) -> Bool {
    guard end > 0, isDigit(bytes[end - 1]) || isLetter(bytes[end - 1]) || bytes[end - 1] >= 0x80
    else { return false }
    let domain = bytes[start...].prefix { byte in
      isLetter(byte) || isDigit(byte) || byte >= 0x80 || "-.".utf8.contains(byte)
    }
    let labels = domain.split(separator: UInt8(ascii: "."))
    guard labels.count > 1, let first = labels.first,
      !(first.count == 2 && isDigit(first[first.startIndex]) && first.last == UInt8(ascii: "x"))
    else { return false }
    return labels.dropFirst().contains { label in
      label.count > 1 && label.allSatisfy { isLetter($0) || $0 >= 0x80 }
    }
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
  }
}

/// Texts with characters that are written as others, as in addresses of pages, in JSON and by wide keyboards.
enum EncodedText {
  /// The text with one encoding taken away; nil if it has none.
  static func decoded(_ text: String) -> String? {
    let bytes = Array(text.utf8)
    guard bytes.contains(where: { "%\\".utf8.contains($0) || $0 == wide }) else { return nil }
    var (decoded, index): ([UInt8], Int) = ([], 0)
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "%"), let byte = number(bytes, index + 1, digits: 2) {
        decoded.append(UInt8(truncatingIfNeeded: byte))
        index += 3
      } else if bytes[index] == UInt8(ascii: "\\"), index + 1 < bytes.count,
        bytes[index + 1] == UInt8(ascii: "u"), let value = number(bytes, index + 2, digits: 4),
        let scalar = Unicode.Scalar(value)
      {
        decoded += String(scalar).utf8
        index += 6
      } else if bytes[index...].starts(with: #"\/"#.utf8) {
        decoded.append(UInt8(ascii: "/"))
        index += 2
      } else if let plain = plain(bytes, index) {
        decoded.append(plain)
        index += 3
      } else {
        decoded.append(bytes[index])
        index += 1
      }
    }
    return decoded == bytes ? nil : String(decoding: decoded, as: UTF8.self)
  }

  /// The first byte of the wide forms of ASCII, which keyboards for Chinese and Japanese write.
  private static let wide: UInt8 = 0xef

  /// The character of ASCII whose wide form is there.
  private static func plain(_ bytes: [UInt8], _ index: Int) -> UInt8? {
    guard bytes[index] == wide, index + 2 < bytes.count else { return nil }
    let scalar = 0xf000 | UInt32(bytes[index + 1] & 0x3f) << 6 | UInt32(bytes[index + 2] & 0x3f)
    return 0xff01...0xff5e ~= scalar ? UInt8(scalar - 0xff01 + 0x21) : nil
  }

  private static func number(_ bytes: [UInt8], _ start: Int, digits: Int) -> UInt32? {
    guard start + digits <= bytes.count else { return nil }
    let text = bytes[start..<start + digits]
    guard text.first != UInt8(ascii: "+") else { return nil }
    return UInt32(String(decoding: text, as: UTF8.self), radix: 16)
  }
}
