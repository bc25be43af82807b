/// Finds the tokens of a document, valid or not.
enum Tokens {
  struct Token {
    var range: Range<Int>
    var isKey = false
    var isValue = false
  }

  static func find(in bytes: [UInt8]) -> [Token] {
    var tokens: [Token] = []
    var index = 0
    while index < bytes.count {
      let start = index
      switch bytes[start] {
      case UInt8(ascii: "\""): index = endOfString(in: bytes, after: start)
      case UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "["), UInt8(ascii: "]"),
        UInt8(ascii: ":"), UInt8(ascii: ","):
        index += 1
      default: index = endOfWord(in: bytes, from: start)
      }
      add(start..<max(index, start + 1), of: bytes, to: &tokens)
      index = max(index, start + 1)
    }
    return tokens
  }

  private static func add(_ range: Range<Int>, of bytes: [UInt8], to tokens: inout [Token]) {
    switch bytes[range.lowerBound] {
    case 0x00...0x20: return
    case UInt8(ascii: ":"):
      if let last = tokens.indices.last, tokens[last].isValue { tokens[last].isKey = true }
      tokens.append(Token(range: range))
    case UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "["), UInt8(ascii: "]"),
      UInt8(ascii: ","):
      tokens.append(Token(range: range))
    default: tokens.append(Token(range: range, isValue: true))
    }
  }

  private static func endOfString(in bytes: [UInt8], after start: Int) -> Int {
    var index = start + 1
    while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
      index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    return min(index + 1, bytes.count)
  }

  private static func endOfWord(in bytes: [UInt8], from start: Int) -> Int {
    var index = start
    while index < bytes.count, !#"{}[]:," "#.utf8.contains(bytes[index]), bytes[index] > 0x20 {
      index += 1
    }
    return index
  }
}
