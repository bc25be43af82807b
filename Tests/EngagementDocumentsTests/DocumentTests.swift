import EngagementDocuments
import EngagementModel
import Testing

@Suite("Documents")
struct DocumentTests {
  struct Sound: Sendable, CustomTestStringConvertible {
    var text: String
    var value: JSON
    var testDescription: String { text }
  }

  static let sound: [Sound] = [
    Sound(text: "null", value: .null),
    Sound(text: " [true, false]\n", value: [true, false]),
    Sound(text: "\"\"", value: ""),
    Sound(
      text: #""tab\t quote\" slash\/ caf\u00e9 \uD83D\uDE00""#, value: "tab\t quote\" slash/ café 😀"
    ),
    Sound(text: "-0", value: 0),
    Sound(text: "9223372036854775807", value: .integer(.max)),
    Sound(text: "-9223372036854775808", value: .integer(.min)),
    Sound(text: "3.0", value: .number(3)),
    Sound(text: "1e-400", value: .number(0)),
    Sound(text: "1.7976931348623157e308", value: .number(.greatestFiniteMagnitude)),
    Sound(text: "[]", value: []),
    Sound(text: "{}", value: [:]),
    Sound(
      text: #"{"routes": {"cards": {"merge": ["braze", "atomic"]}}, "limit": 3}"#,
      value: ["routes": ["cards": ["merge": ["braze", "atomic"]]], "limit": 3]),
  ]

  @Test("a document is read as its value", arguments: sound)
  func read(_ row: Sound) throws {
    #expect(try Document.parse(Array(row.text.utf8)) == row.value)
  }

  @Test("a document keeps integers apart from numbers with a zero fraction")
  func numbers() throws {
    #expect(try Document.parse(Array("[3, 3.0, -0.0]".utf8)) != [3, 3, 0])
    let zero = try Document.parse(Array("-0.0".utf8)).number
    #expect(zero?.sign == .minus)
  }

  @Test("an object keeps its members in written order")
  func order() throws {
    let keys = (0..<200).map { "key\(($0 * 7919) % 200)" }
    let text = "{" + keys.map { "\"\($0)\": 1" }.joined(separator: ",") + "}"
    let object = try Document.parse(Array(text.utf8)).object
    #expect(object?.members.map(\.key) == keys)
  }

  @Test("keys that differ only in Unicode normalization are distinct")
  func normalForms() throws {
    let object = try Document.parse(Array("{\"\u{e9}\": 1, \"e\u{301}\": 2}".utf8))
    #expect(object["\u{e9}"] == 1)
    #expect(object["e\u{301}"] == 2)
  }

  struct Faulty: Sendable, CustomTestStringConvertible {
    var bytes: [UInt8]
    var reason: String
    var place: String
    var testDescription: String { "\(reason), \(place): \(bytes.prefix(24))" }

    init(_ text: String, _ reason: String, _ place: String) {
      self.init(bytes: Array(text.utf8), reason, place)
    }
    init(bytes: [UInt8], _ reason: String, _ place: String) {
      self.bytes = bytes
      self.reason = reason
      self.place = place
    }
  }

  static let faulty: [Faulty] = [
    Faulty("", "end", "line 1, column 0"),
    Faulty("  \n ", "end", "line 2, column 1"),
    Faulty("{\"a\": 1", "end", "line 1, column 7"),
    Faulty("{\n  \"a\": 1,\n}", "syntax", "line 3, column 1"),
    Faulty("{'a': 1}", "syntax", "line 1, column 2"),
    Faulty("[1 2]", "syntax", "line 1, column 4"),
    Faulty("[01]", "syntax", "line 1, column 2"),
    Faulty("NaN", "syntax", "line 1, column 3"),
    Faulty("\u{feff}{}", "syntax", "line 1, column 1"),
    Faulty("\"a\nb\"", "syntax", "line 1, column 2"),
    Faulty(#""\x""#, "syntax", "line 1, column 3"),
    Faulty(#""\uD800""#, "syntax", "line 1, column 8"),
    Faulty("{} {}", "trailing", "line 1, column 4"),
    Faulty(#"["\u0000"]"#, "null", "line 1, column 9"),
    Faulty(#"{"\u0000": 1}"#, "null", "line 1, column 9"),
    Faulty(#"{"a": 1, "a": 2}"#, "duplicate", "line 1, column 12"),
    Faulty(#"{"a": 1, "\u0061": 2}"#, "duplicate", "line 1, column 17"),
    Faulty("9223372036854775808", "range", "line 1, column 19"),
    Faulty("1e999", "range", "line 1, column 5"),
    Faulty(bytes: [0x22, 0xff, 0x22], "encoding", "line 1, column 1"),
    Faulty(bytes: [0x22, 0xc0, 0x80, 0x22], "encoding", "line 1, column 1"),
    Faulty(bytes: [0x22, 0xed, 0xa0, 0x80, 0x22], "encoding", "line 1, column 1"),
    Faulty(bytes: [0x5b, 0x00, 0x5d], "null", "line 1, column 2"),
    Faulty(bytes: Array("[\n\"é\", 1".utf8) + [0x00, 0x5d], "null", "line 2, column 7"),
  ]

  @Test(
    "an invalid document is refused with its line, its column and the reason", arguments: faulty)
  func refused(_ row: Faulty) throws {
    let error = try #require(throws: EngagementError.self) { try Document.parse(row.bytes) }
    #expect(error.code == .invalidConfiguration)
    #expect(error.underlying == row.reason)
    #expect(error.message.contains(row.place))
  }

  @Test("an error about a document shows no secret from it")
  func secrets() throws {
    for text in [#"{"key": "s3cret" oops}"#, #"{"s3cret": 1, "s3cret": 2}"#, "s3cret"] {
      let error = try #require(throws: EngagementError.self) {
        try Document.parse(Array(text.utf8))
      }
      #expect(!"\(error)".contains("cret"))
    }
  }

  @Test(
    "a document may be nested up to the limit and no deeper", arguments: ["[": "]", #"{"a":"#: "}"])
  func depth(open: String, close: String) throws {
    func nested(_ levels: Int) -> [UInt8] {
      let inner = open == "[" ? "" : "1"
      return Array(
        (String(repeating: open, count: levels) + inner + String(repeating: close, count: levels))
          .utf8)
    }
    #expect(throws: Never.self) { try Document.parse(nested(Document.depthLimit)) }
    for levels in [Document.depthLimit + 1, 2_000, 3_000, 1_000_000] {
      let error = try #require(throws: EngagementError.self) { try Document.parse(nested(levels)) }
      #expect(error.underlying == "depth")
    }
  }
}
