/// The two alphabets of RFC 4648 and the conversion that they share.
struct Base64Alphabet: Sendable {
  static let standard = Base64Alphabet(last62: "+", last63: "/")
  static let url = Base64Alphabet(last62: "-", last63: "_")

  /// The character of each value.
  private let characters: [UInt8]
  /// The value of each byte, or `invalid`.
  private let values: [UInt8]

  private static let invalid: UInt8 = 0xff
  private static let padding = UInt8(ascii: "=")

  private init(last62: Unicode.Scalar, last63: Unicode.Scalar) {
    let common = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
    characters = Array(common.utf8) + [UInt8(ascii: last62), UInt8(ascii: last63)]
    var values = [UInt8](repeating: Self.invalid, count: 256)
    for (value, character) in characters.enumerated() { values[Int(character)] = UInt8(value) }
    self.values = values
  }

  func text(of bytes: RawSpan, padded: Bool) -> String {
    String(capacity: (bytes.byteCount + 2) / 3 * 4) { output in
      let end = bytes.byteCount - bytes.byteCount % 3
      let characters = characters.span
      for offset in stride(from: 0, to: end, by: 3) {
        let group =
          UInt32(bytes.byte(at: offset)) << 16
          | UInt32(bytes.byte(at: offset + 1)) << 8
          | UInt32(bytes.byte(at: offset + 2))
        output.append(characters[Int(group >> 18)])
        output.append(characters[Int(group >> 12 & 63)])
        output.append(characters[Int(group >> 6 & 63)])
        output.append(characters[Int(group & 63)])
      }
      appendLast(bytes.extracting(end..<bytes.byteCount), padded: padded, to: &output)
    }
  }

  func bytes(from text: RawSpan, padded: Bool) -> [UInt8]? {
    guard !padded || text.byteCount.isMultiple(of: 4) else { return nil }
    let count = padded ? Self.countWithoutPadding(of: text) : text.byteCount
    let rest = count % 4
    guard rest != 1 else { return nil }
    let size = count / 4 * 3 + max(rest - 1, 0)
    let bytes = [UInt8](capacity: size) { output in
      let values = values.span
      for offset in stride(from: 0, to: count - rest, by: 4) {
        let first = values[Int(text.byte(at: offset))]
        let second = values[Int(text.byte(at: offset + 1))]
        let third = values[Int(text.byte(at: offset + 2))]
        let fourth = values[Int(text.byte(at: offset + 3))]
        guard first | second | third | fourth < 64 else { return }
        output.append(first << 2 | second >> 4)
        output.append(second << 4 | third >> 2)
        output.append(third << 6 | fourth)
      }
      appendLast(text.extracting(count - rest..<count), to: &output)
    }
    return bytes.count == size ? bytes : nil
  }

  /// The characters of the last one or two bytes.
  private func appendLast(
    _ bytes: RawSpan, padded: Bool, to output: inout OutputSpan<UInt8>
  ) {
    guard !bytes.isEmpty else { return }
    let first = bytes.byte(at: 0)
    let second = bytes.byteCount > 1 ? bytes.byte(at: 1) : 0
    output.append(characters[Int(first >> 2)])
    output.append(characters[Int(first << 4 & 63 | second >> 4)])
    if bytes.byteCount > 1 { output.append(characters[Int(second << 2 & 63)]) }
    if padded { output.append(repeating: Self.padding, count: 3 - bytes.byteCount) }
  }

  /// Decodes the last two or three characters. Writes nothing if one of them is not in the alphabet
  /// or has unused bits set.
  private func appendLast(_ text: RawSpan, to output: inout OutputSpan<UInt8>) {
    guard !text.isEmpty else { return }
    let first = values[Int(text.byte(at: 0))]
    let second = values[Int(text.byte(at: 1))]
    let third = text.byteCount > 2 ? values[Int(text.byte(at: 2))] : 0
    let unused = text.byteCount > 2 ? third & 3 : second & 15
    guard first | second | third < 64, unused == 0 else { return }
    output.append(first << 2 | second >> 4)
    if text.byteCount > 2 { output.append(second << 4 | third >> 2) }
  }

  private static func countWithoutPadding(of text: RawSpan) -> Int {
    var count = text.byteCount
    while count > 0, text.byteCount - count < 2, text.byte(at: count - 1) == padding { count -= 1 }
    return count
  }
}
