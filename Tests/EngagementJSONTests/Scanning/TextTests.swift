import EngagementJSON
import EngagementModel
import TestSupport
import Testing

@Suite("Strings")
struct TextTests {
  private func quoted(_ content: [UInt8]) -> [UInt8] { [0x22] + content + [0x22] }

  @Test("every non-ASCII character is read, raw and escaped, at any offset")
  func scalars() throws {
    let step = isDebug ? 509 : 17
    for value in stride(from: 0x80 as UInt32, through: 0x10_ffff, by: step) {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let padding = String(repeating: "x", count: Int(value % 19))
      let text = padding + String(scalar) + padding
      #expect(try JSON(parsing: quoted(Array(text.utf8))) == .string(text))
      let escaped = String(scalar).utf16.map { "\\u" + hexadecimal($0) }.joined()
      #expect(try JSON(parsing: bytes("\"\(padding)\(escaped)\(padding)\"")) == .string(text))
    }
  }

  @Test("bytes are valid UTF-8 exactly when Swift accepts them", arguments: 0..<4)
  func validity(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    let leads: [UInt8] = [0x41, 0x80, 0x9f, 0xa0, 0xbf, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xed, 0xef]
    let more: [UInt8] = [0x8f, 0x90, 0xf0, 0xf1, 0xf4, 0xf5, 0xff, 0xee, 0xc0, 0x7f]
    let alphabet = leads + more
    for _ in 0..<many(100_000) {
      let content = (0..<Int.random(in: 1...20, using: &random)).map { _ in
        alphabet[Int.random(in: alphabet.indices, using: &random)]
      }
      let isValid = String(validating: content, as: UTF8.self) != nil
      #expect((fault(quoted(content))?.kind == .invalidUTF8) == !isValid)
    }
  }

  @Test("the offset of invalid UTF-8 is the first byte of the invalid sequence")
  func place() {
    for count in 0..<40 {
      let start = Array(repeating: UInt8(ascii: "a"), count: count)
      #expect(fault(quoted(start + [0xc3, 0x28])) == JSONFault(.invalidUTF8, at: count + 1))
      #expect(
        fault(quoted(start + [0xc3, 0xa9, 0xe2, 0x82])) == JSONFault(.invalidUTF8, at: count + 3))
    }
  }

  @Test("closing quotes and control characters are found at any offset")
  func ends() throws {
    for count in 0..<70 {
      let text = String(repeating: "a", count: count)
      #expect(
        try JSON(parsing: bytes("[\"\(text)\",\"\(text)\"]")) == [.string(text), .string(text)])
      for control: UInt8 in [0x00, 0x01, 0x0a, 0x1f] {
        let document = quoted(Array(text.utf8) + [control] + Array(text.utf8))
        #expect(fault(document) == JSONFault(.controlCharacter, at: count + 1))
      }
      #expect(
        try JSON(parsing: bytes("\"\(text)\\\"\(text)\\\\\"")) == .string("\(text)\"\(text)\\"))
    }
  }

  @Test("among plain ASCII bytes, only those below 0x20 must be escaped")
  func controls() {
    for byte: UInt8 in 0..<0x80 where byte != 0x22 && byte != 0x5c {
      #expect((fault(quoted([byte])) == nil) == (byte >= 0x20))
    }
  }

  @Test("a megabyte string survives writing and reading")
  func long() throws {
    let text = String(repeating: "0123456789abcdé\n", count: many(64_000))
    #expect(try JSON(parsing: JSON.string(text).encoded()) == .string(text))
  }

  private func hexadecimal(_ unit: UInt16) -> String {
    let digits = String(unit, radix: 16)
    return String(repeating: "0", count: 4 - digits.count) + digits
  }
}
