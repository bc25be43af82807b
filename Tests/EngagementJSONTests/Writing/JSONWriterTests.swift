import EngagementJSON
import EngagementModel
import TestSupport
import Testing

@Suite("Writing JSON")
struct JSONWriterTests {
  private func written(_ write: (inout JSONWriter) -> Void) -> String {
    var writer = JSONWriter()
    write(&writer)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  @Test("commas and colons are written where they belong")
  func punctuation() {
    let text = written { writer in
      writer.beginObject()
      writer.member("a", "x")
      writer.member("b", 1 as Int64)
      writer.key("c")
      writer.beginArray()
      writer.value(true)
      writer.null()
      writer.beginObject()
      writer.endObject()
      writer.value(["p", "q"])
      writer.endArray()
      writer.member("d", 0.5)
      writer.member("e", false)
      writer.member("f", ["g": .null] as JSON)
      writer.key("h")
      writer.raw(bytes("[1, 2]")[...])
      writer.key("i")
      writer.value(-3 as Int)
      writer.endObject()
    }
    #expect(
      text
        == #"{"a":"x","b":1,"c":[true,null,{},["p","q"]],"d":0.5,"e":false,"f":{"g":null},"h":[1, 2],"i":-3}"#
    )
  }

  @Test("values on separate lines have no commas between them")
  func lines() {
    let text = written { writer in
      for number in 1...3 as ClosedRange<Int64> {
        writer.beginArray()
        writer.value(number)
        writer.endArray()
        writer.newline()
      }
    }
    #expect(text == "[1]\n[2]\n[3]\n")
  }

  private static let escapes: [(String, String)] = [
    ("", ""), ("a", "a"), ("\"", #"\""#), ("\\", #"\\"#), ("/", "/"),
    ("\u{8}\u{c}\n\r\t", #"\b\f\n\r\t"#),
    ("\u{0}\u{1}\u{b}\u{1f}", #"\u0000\u0001\u000b\u001f"#),
    ("\u{7f}é€🎉\u{2028}", "\u{7f}é€🎉\u{2028}"),
    ("0123456789abcdef\"0123456789abcdef\n", #"0123456789abcdef\"0123456789abcdef\n"#),
  ]

  @Test(
    "only quotes, backslashes and control characters are escaped",
    arguments: escapes)
  func escaping(text: String, escaped: String) {
    #expect(written { $0.value(text) } == "\"\(escaped)\"")
    #expect(written { $0.key(text) } == "\"\(escaped)\":")
  }

  @Test("every control character survives at any position in a string")
  func controls() throws {
    for count in 0..<20 {
      for value: UInt8 in 1..<0x20 {
        let text = String(repeating: "a", count: count) + String(Unicode.Scalar(value)) + "é"
        #expect(try JSON(parsing: JSON.string(text).encoded()) == .string(text))
      }
    }
  }

  @Test("integers are written in full", arguments: [0, 1, -1, 10, 99, 100, .max, .min] as [Int64])
  func integers(value: Int64) {
    #expect(written { $0.value(value) } == value.description)
  }

  private static let doubles: [(Double, String)] = [
    (0.1, "0.1"), (1, "1.0"), (-0.0, "-0.0"), (1e20, "1e+20"), (.leastNonzeroMagnitude, "5e-324"),
    (.nan, "null"),
    (.infinity, "null"), (-.infinity, "null"),
  ]

  @Test(
    "doubles use their shortest exact form, and NaN and infinity become null",
    arguments: doubles)
  func double(value: Double, text: String) {
    #expect(written { $0.value(value) } == text)
    #expect(written { $0.member("d", value) } == "\"d\":" + text)
  }

  @Test("a written value reads back equal", arguments: 0..<8)
  func roundTrip(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    for _ in 0..<many(4_000) {
      let value = randomValue(depth: 5, &random)
      let bytes = value.encoded()
      #expect(try JSON(parsing: bytes) == value)
      #expect(try JSON(parsing: bytes).encoded() == bytes)
    }
  }

  @Test("members keep their order")
  func order() throws {
    let text = #"{"z":1,"a":2,"m":{"y":3,"b":4}}"#
    #expect(try JSON(parsing: bytes(text)).encoded() == bytes(text))
  }

  private func randomValue(depth: Int, _ random: inout SeededGenerator) -> JSON {
    switch Int.random(in: 0..<(depth > 0 ? 8 : 6), using: &random) {
    case 0: return .null
    case 1: return .bool(.random(using: &random))
    case 2:
      return .integer(Int64(bitPattern: random.next() >> UInt64.random(in: 0..<64, using: &random)))
    case 3:
      let value = Double(bitPattern: random.next())
      return .number(value.isFinite ? value : 0.25)
    case 4, 5: return .string(randomText(&random))
    case 6:
      return .array(
        (0..<Int.random(in: 0...5, using: &random)).map { _ in
          randomValue(depth: depth - 1, &random)
        })
    default:
      var object = JSONObject()
      for _ in 0..<Int.random(in: 0...6, using: &random) {
        object[randomText(&random)] = randomValue(depth: depth - 1, &random)
      }
      return .object(object)
    }
  }

  private func randomText(_ random: inout SeededGenerator) -> String {
    let alphabet = Array("abcdefghijk\"\\/\n\t\u{1}é€🎉日 ")
    return String(
      (0..<Int.random(in: 0...24, using: &random)).map { _ in
        alphabet[Int.random(in: alphabet.indices, using: &random)]
      })
  }
}
