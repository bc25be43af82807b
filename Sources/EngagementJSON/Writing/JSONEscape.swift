/// Escapes the content of JSON strings.
enum JSONEscape {
  /// Appends the text without quotes around it.
  @inline(__always)
  static func append(_ text: String, to bytes: inout [UInt8]) {
    let utf8 = text.utf8
    let first = utf8.span.bytes.next(0, Bytes.escaped, Bytes.escaped)
    if first == utf8.count {
      bytes.append(contentsOf: utf8)
    } else {
      append(text, escapingFrom: first, to: &bytes)
    }
  }

  @inline(never)
  private static func append(
    _ text: String, escapingFrom first: Int, to bytes: inout [UInt8]
  ) {
    let utf8 = text.utf8
    let span = utf8.span.bytes
    var start = 0
    var end = first
    while end < utf8.count {
      appendPlain(utf8, start..<end, to: &bytes)
      append(span.byte(end), to: &bytes)
      start = end + 1
      end = span.next(start, Bytes.escaped, Bytes.escaped)
    }
    appendPlain(utf8, start..<utf8.count, to: &bytes)
  }

  private static func appendPlain(
    _ utf8: String.UTF8View, _ range: Range<Int>, to bytes: inout [UInt8]
  ) {
    let start = utf8.index(utf8.startIndex, offsetBy: range.lowerBound)
    bytes.append(contentsOf: utf8[start..<utf8.index(start, offsetBy: range.count)])
  }

  private static func append(_ byte: UInt8, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\\"))
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(byte)
    case 0x08: bytes.append(UInt8(ascii: "b"))
    case 0x09: bytes.append(UInt8(ascii: "t"))
    case 0x0a: bytes.append(UInt8(ascii: "n"))
    case 0x0c: bytes.append(UInt8(ascii: "f"))
    case 0x0d: bytes.append(UInt8(ascii: "r"))
    default:
      bytes.append(contentsOf: "u00".utf8)
      bytes.append(digit(byte &>> 4))
      bytes.append(digit(byte & 15))
    }
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? value + UInt8(ascii: "0") : value - 10 + UInt8(ascii: "a")
  }
}
