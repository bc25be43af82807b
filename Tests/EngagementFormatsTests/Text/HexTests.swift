import EngagementFormats
import Testing

@Suite("Hexadecimal text")
struct HexTests {
  @Test(
    "text and bytes match the vectors of RFC 4648, section 10",
    arguments: [
      ("", ""), ("f", "66"), ("fo", "666F"), ("foo", "666F6F"), ("foob", "666F6F62"),
      ("fooba", "666F6F6261"), ("foobar", "666F6F626172"),
    ])
  func vectors(_ plain: String, _ hex: String) {
    let bytes = Array(plain.utf8)
    #expect(Hex.text(of: bytes, uppercase: true) == hex)
    #expect(Hex.text(of: bytes) == hex.lowercased())
    #expect(Hex.bytes(from: hex) == bytes)
    #expect(Hex.bytes(from: hex.lowercased()) == bytes)
  }

  @Test("every byte survives a round trip in either case")
  func everyByte() {
    let bytes = (0...255).map { UInt8($0) }
    for uppercase in [false, true] {
      let text = Hex.text(of: bytes, uppercase: uppercase)
      #expect(Hex.bytes(from: text) == bytes)
      #expect(text.hasSuffix(uppercase ? "FDFEFF" : "fdfeff"))
    }
  }

  @Test("mixed case is read")
  func mixedCase() {
    #expect(Hex.bytes(from: "aBcDeF") == [0xab, 0xcd, 0xef])
  }

  @Test(
    "text that is not hexadecimal gives nil",
    arguments: [
      "0", "000", "0g", "g0", "0x00", " 00", "00 ", "0 ", "00\n0", "-1", "+1", "/0", ":0", "@0",
      "G0", "`0", "é", "００", "0\0",
    ])
  func noHex(_ text: String) {
    #expect(Hex.bytes(from: text) == nil)
  }

  @Test("only hexadecimal digits are read")
  func everyCharacter() {
    let digits = (UInt8.min...UInt8.max).filter {
      Hex.bytes(from: [UInt8(ascii: "0"), $0].span.bytes) != nil
    }
    #expect(String(decoding: digits, as: UTF8.self) == "0123456789ABCDEFabcdef")
  }

  @Test("a buffer receives all digits or none", arguments: [0, 1, 5, 6, 7])
  func buffer(_ capacity: Int) {
    let bytes: [UInt8] = [1, 0x2a, 0xff]
    let written = [UInt8](capacity: capacity) { output in
      let isWritten = Hex.write(bytes.span.bytes, to: &output)
      #expect(isWritten == (capacity >= 6))
    }
    #expect(String(decoding: written, as: UTF8.self) == (capacity >= 6 ? "012aff" : ""))
  }
}
