/// Texts as ClickHouse's SQL has them.
package enum ClickHouseText {
  /// A string, between quotes.
  package static func literal(_ text: String) -> String { "'\(escaped(text))'" }

  /// A name, between backticks.
  package static func identifier(_ text: String) -> String { "`\(escaped(text))`" }

  /// A list of strings, such as `('a', 'b')`, of one or more.
  package static func list(_ texts: [String]) -> String {
    "(\(texts.map(literal).joined(separator: ", ")))"
  }

  /// Bytes and not characters: in Swift, a quote and an accent that follows it are one.
  private static func escaped(_ text: String) -> String {
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case 0: bytes += [UInt8(ascii: "\\"), UInt8(ascii: "0")]
      case UInt8(ascii: "\\"), UInt8(ascii: "'"), UInt8(ascii: "`"):
        bytes += [UInt8(ascii: "\\"), byte]
      default: bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
