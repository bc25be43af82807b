import EngagementFormats
import Foundation
import TestSupport
import Testing

@Suite("Base64")
struct Base64Tests {
  @Test(
    "text and bytes match the vectors of RFC 4648, section 10",
    arguments: [
      ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
      ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
    ])
  func vectors(_ plain: String, _ text: String) {
    let bytes = Array(plain.utf8)
    let bare = text.replacingOccurrences(of: "=", with: "")
    #expect(Base64.text(of: bytes) == text)
    #expect(Base64.text(of: bytes, padded: false) == bare)
    #expect(Base64.bytes(from: text) == bytes)
    #expect(Base64.bytes(from: bare, padded: false) == bytes)
    #expect(Base64URL.text(of: bytes) == bare)
    #expect(Base64URL.bytes(from: bare) == bytes)
    #expect(Base64URL.text(of: bytes, padded: true) == text)
    #expect(Base64URL.bytes(from: text, padded: true) == bytes)
  }

  @Test(
    "both alphabets match the vectors of RFC 7515 and their last two characters",
    arguments: [
      ([3, 236, 255, 224, 193], "A+z/4ME=", "A-z_4ME"), ([0xfb, 0xff], "+/8=", "-_8"),
      ([0xff, 0xff, 0xff], "////", "____"), ([0xfb, 0xef, 0xbe], "++++", "----"),
    ] as [([UInt8], String, String)])
  func alphabets(_ bytes: [UInt8], _ standard: String, _ url: String) {
    #expect(Base64.text(of: bytes) == standard)
    #expect(Base64.bytes(from: standard) == bytes)
    #expect(Base64URL.text(of: bytes) == url)
    #expect(Base64URL.bytes(from: url) == bytes)
  }

  @Test(
    "text that is not exactly padded Base64 gives nil",
    arguments: [
      "Z", "Zg", "Zg=", "Zg===", "Zg====", "Zm8", "Zm8==", "Zm9v=", "Zm9v====", "=", "==", "===",
      "====", "=Zg=", "Z===", "Zg=A", "Zg==Zg==", "Zm=v", "Zm9v\n", "Zm9vZm9v\n\n\n\n", "Zm9 v===",
      " Zm9v===", "Zm9\0", "Zm9-", "Zm9_", "Zm9é", "Zm9.", "Zm9*", "Zm9,", "Zm9:", "Zm9@", "Zm9[",
      "Zm9`", "Zm9{", "Zｍ9",
    ])
  func noBase64(_ text: String) {
    #expect(Base64.bytes(from: text) == nil)
  }

  @Test(
    "unused trailing bits must be zero",
    arguments: [("Zh==", "Zh"), ("Zv==", "Zv"), ("Zm9=", "Zm9"), ("Zm+=", "Zm-"), ("//==", "__")])
  func leftoverBits(_ padded: String, _ bare: String) {
    #expect(Base64.bytes(from: padded) == nil)
    #expect(Base64URL.bytes(from: bare) == nil)
  }

  @Test(
    "text that is not exactly unpadded Base64url gives nil",
    arguments: ["Z", "Zm9vZ", "Zg==", "Zm8=", "Zm9v=", "Zm9+", "Zm9/", "Zm9v ", "Zm9v\n", "Zg\0\0"])
  func noBase64URL(_ text: String) {
    #expect(Base64URL.bytes(from: text) == nil)
  }

  @Test("only the 64 characters of an alphabet are read")
  func everyCharacter() {
    let a = UInt8(ascii: "A")
    let standard = (UInt8.min...UInt8.max).filter {
      Base64.bytes(from: [a, a, a, $0].span.bytes) != nil
    }
    let url = (UInt8.min...UInt8.max).filter {
      Base64URL.bytes(from: [a, a, a, $0].span.bytes) != nil
    }
    // A `=` at the end is padding and leaves "AAA", whose spare bits are zero.
    #expect(Set(standard).subtracting(url) == Set("+/=".utf8))
    #expect(Set(url).subtracting(standard) == Set("-_".utf8))
    #expect(url.count == 64)
  }

  @Test("random bytes encode as in Foundation and decode back")
  func foundation() {
    var random = SeededGenerator(seed: 8)
    var wrong: [Int] = []
    for length in 0..<300 {
      let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
      let text = Base64.text(of: bytes)
      if text != Data(bytes).base64EncodedString() || Base64.bytes(from: text) != bytes
        || Base64URL.bytes(from: Base64URL.text(of: bytes)) != bytes
      {
        wrong.append(length)
      }
    }
    #expect(wrong.isEmpty)
  }

  @Test("damaged text never traps, and accepted text encodes back to itself")
  func damage() {
    var random = SeededGenerator(seed: 9)
    var wrong: [[UInt8]] = []
    for _ in 0..<3_000 {
      let bytes = random.damaged("Zm9vYmFyZg==")
      guard let plain = Base64.bytes(from: bytes.span.bytes) else { continue }
      if Array(Base64.text(of: plain).utf8) != bytes { wrong.append(bytes) }
    }
    #expect(wrong.isEmpty)
  }
}
