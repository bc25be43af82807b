import EngagementJSON
import EngagementModel
import Testing

@Suite("The grammar of RFC 8259")
struct GrammarTests {
  /// What must be read, with the value that it is.
  private static let accepted: [(String, JSON)] = [
    ("null", .null), ("true", true), ("false", false), ("0", 0), ("-0", 0), ("1", 1), ("-1", -1),
    ("1234567890", 1_234_567_890), ("123456789012345678", 123_456_789_012_345_678),
    ("0.5", .number(0.5)), ("-0.5", .number(-0.5)), ("1e3", .number(1000)), ("1E+3", .number(1000)),
    ("1e-3", .number(0.001)), ("1.25e02", .number(125)), ("0e0", .number(0)), ("0.0", .number(0)),
    (#""""#, ""), (#""a""#, "a"), (#"" ""#, " "), (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{c}\n\r\t"),
    (#""\u0041\u00e9\u20ac""#, "Aé€"), (#""\ud834\udd1e""#, "𝄞"), (#""\uD834\uDD1E""#, "𝄞"),
    (#""é€𝄞""#, "é€𝄞"),
    (
      "\"\u{7f}\u{2028}\u{2029}\u{fffe}\u{10ffff}\"",
      "\u{7f}\u{2028}\u{2029}\u{fffe}\u{10ffff}"
    ),
    (#""\u001f\u007f\ufffe""#, "\u{1f}\u{7f}\u{fffe}"), (#""//not a comment""#, "//not a comment"),
    ("[]", []), ("[ ]", []), ("[1]", [1]), ("[1,2]", [1, 2]), ("[ 1 , 2 ]", [1, 2]),
    ("[[],[[]]]", [[], [[]]]), ("[null,true,\"x\",{}]", [.null, true, "x", [:]]),
    ("{}", [:]), ("{ }", [:]), (#"{"a":1}"#, ["a": 1]),
    (#"{ "a" : 1 , "b" : [ ] }"#, ["a": 1, "b": []]),
    (#"{"":0}"#, ["": 0]), (#"{"a":{"a":{"a":null}}}"#, ["a": ["a": ["a": .null]]]),
    (#"{"a":"x","b":"y"}"#, ["a": "x", "b": "y"]), (#"{"a":1,"A":2}"#, ["a": 1, "A": 2]),
    ("\t\n\r 1 \t\n\r", 1), ("\n[\n1\n,\n2\n]\n", [1, 2]),
    ("{\"a\"\n:\t\"x\"\r,\n \"b\" : true }", ["a": "x", "b": true]),
    (
      #"{"abcdefgh":1,"abcdefghi":2,"abcdefghijklmnop":3}"#,
      ["abcdefgh": 1, "abcdefghi": 2, "abcdefghijklmnop": 3]
    ),
  ]

  /// What must not be read, with the place of the fault. All of it is structural.
  private static let rejected: [(String, JSONFault.Kind, Int)] = [
    ("", .unexpectedEnd, 0), (" ", .unexpectedEnd, 1), ("«00»", .unexpectedByte, 0),
    ("1 2", .trailingBytes, 2), ("[] []", .trailingBytes, 3), ("{}}", .trailingBytes, 2),
    ("1«00»", .trailingBytes, 1), ("\"a\"b", .trailingBytes, 3), ("null//", .trailingBytes, 4),
    ("«ef bb bf»1", .byteOrderMark, 0), ("«ef bb bf»", .byteOrderMark, 0),
    ("«ff fe»1«00»", .unexpectedByte, 0), (" «ef bb bf»1", .unexpectedByte, 1),
    ("«e9»", .unexpectedByte, 0), ("[«e9»]", .unexpectedByte, 1), ("[«a0»1]", .unexpectedByte, 1),
    ("[«0b»1]", .unexpectedByte, 1), ("[«0c»1]", .unexpectedByte, 1),
    ("[1«00»]", .unexpectedByte, 2),
    ("nul", .unexpectedEnd, 3), ("nulL", .unexpectedByte, 3), ("Null", .unexpectedByte, 0),
    ("tru", .unexpectedEnd, 3), ("truE", .unexpectedByte, 3), ("fals", .unexpectedEnd, 4),
    ("falsy", .unexpectedByte, 4), ("nulla", .trailingBytes, 4), ("f", .unexpectedEnd, 1),
    ("t", .unexpectedEnd, 1), ("n", .unexpectedEnd, 1), ("[tRue]", .unexpectedByte, 2),
    ("NaN", .unexpectedByte, 0), ("Infinity", .unexpectedByte, 0),
    ("-Infinity", .unexpectedByte, 1),
    ("undefined", .unexpectedByte, 0), ("'a'", .unexpectedByte, 0), ("a", .unexpectedByte, 0),
    ("-", .unexpectedEnd, 1), ("+1", .unexpectedByte, 0), ("--1", .unexpectedByte, 1),
    ("01", .unexpectedByte, 1), ("-01", .unexpectedByte, 2), ("00", .unexpectedByte, 1),
    ("[012,1]", .unexpectedByte, 2), ("-a", .unexpectedByte, 1), ("- 1", .unexpectedByte, 1),
    (".5", .unexpectedByte, 0), ("1.", .unexpectedEnd, 2), ("1.e1", .unexpectedByte, 2),
    ("-.5", .unexpectedByte, 1), ("1e", .unexpectedEnd, 2), ("1e+", .unexpectedEnd, 3),
    ("1e-a", .unexpectedByte, 3), ("1ee1", .unexpectedByte, 2), ("1.5.5", .trailingBytes, 3),
    ("0x10", .trailingBytes, 1), ("1_000", .trailingBytes, 1), ("1a", .trailingBytes, 1),
    ("0.1.", .trailingBytes, 3), ("1e1.5", .trailingBytes, 3), ("[1.,2]", .unexpectedByte, 3),
    ("[", .unexpectedEnd, 1), ("[1", .unexpectedEnd, 2), ("[1,", .unexpectedEnd, 3),
    ("[,", .unexpectedByte, 1), ("[,1]", .unexpectedByte, 1), ("[1,]", .unexpectedByte, 3),
    ("[1,,2]", .unexpectedByte, 3), ("[1 2]", .unexpectedByte, 3), ("[1:2]", .unexpectedByte, 2),
    ("[1}", .unexpectedByte, 2), ("]", .unexpectedByte, 0), ("[\"a\",\n", .unexpectedEnd, 6),
    ("{", .unexpectedEnd, 1), ("{1:2}", .unexpectedByte, 1), ("{a:1}", .unexpectedByte, 1),
    (#"{"a"}"#, .unexpectedByte, 4), (#"{"a":}"#, .unexpectedByte, 5),
    (#"{"a":1,}"#, .unexpectedByte, 7), (#"{"a":"x",}"#, .unexpectedByte, 9),
    (#"{,"a":1}"#, .unexpectedByte, 1), (#"{"a":1,,"b":2}"#, .unexpectedByte, 7),
    (#"{"a":1 "b":2}"#, .unexpectedByte, 7), (#"{"a":"x""b":2}"#, .unexpectedByte, 8),
    (#"{"a" 1}"#, .unexpectedByte, 5), (#"{"a"::1}"#, .unexpectedByte, 5),
    (#"{"a":1]"#, .unexpectedByte, 6), (#"{"a","b"}"#, .unexpectedByte, 4),
    (#"{null:1}"#, .unexpectedByte, 1), (#"{"a":1"#, .unexpectedEnd, 6),
    (#"{"a""#, .unexpectedEnd, 4),
    (#"{"a":"#, .unexpectedEnd, 5), (#"{"a"#, .unexpectedEnd, 3), ("}", .unexpectedByte, 0),
    (#"{"a":1/**/}"#, .unexpectedByte, 6), (#"{'a':1}"#, .unexpectedByte, 1),
    (#"""#, .unexpectedEnd, 1), (#""a"#, .unexpectedEnd, 2),
    (#""abcdefghijklmnopqrst"#, .unexpectedEnd, 21),
    ("\"«0a»\"", .controlCharacter, 1), ("\"a«00»b\"", .controlCharacter, 2),
    ("\"abcdefghijklmnopq«1f»\"", .controlCharacter, 18), ("\"«09»\"", .controlCharacter, 1),
    ("{\"«0d»\":1}", .controlCharacter, 2), (#""\"#, .unexpectedEnd, 2),
    (#""\""#, .unexpectedEnd, 3),
    (#""\x41""#, .invalidEscape, 1), (#""\a""#, .invalidEscape, 1), (#""\'""#, .invalidEscape, 1),
    (#""\U0041""#, .invalidEscape, 1), (#""\u""#, .invalidEscape, 1),
    (#""\u12""#, .invalidEscape, 1),
    (#""\u123g""#, .invalidEscape, 1), (#""\u 123""#, .invalidEscape, 1),
    (#""\u+123""#, .invalidEscape, 1),
    (#""\u12"#, .unexpectedEnd, 5), (#""\u"#, .unexpectedEnd, 3), ("\"\\«00»\"", .invalidEscape, 1),
    (#""abc\ud800\u12g4""#, .invalidEscape, 10), (#"{"\q":1}"#, .invalidEscape, 2),
    ("\"\\«c3 a9»\"", .invalidEscape, 1),
  ]

  @Test("valid JSON is read as its value", arguments: accepted)
  func accepts(text: String, value: JSON) throws {
    #expect(try JSON(parsing: Array(text.utf8)) == value)
  }

  @Test("invalid JSON fails the document at the faulty byte", arguments: rejected)
  func rejects(text: String, kind: JSONFault.Kind, offset: Int) {
    #expect(fault(bytes(text)) == JSONFault(kind, at: offset))
    #expect(JSONFault(kind, at: offset).isStructural)
  }

  @Test("invalid JSON inside an array is rejected too", arguments: rejected)
  func rejectsNested(text: String, kind: JSONFault.Kind, offset: Int) {
    let document = bytes("[{\"a\":[\(text)]}]")
    #expect(fault(document)?.isStructural == true || text == " " || text.isEmpty)
    var cursor = JSONCursor(document)
    #expect(((try? cursor.items()) == nil) == (fault(document) != nil))
  }

  @Test(
    "any amount of whitespace is allowed between tokens",
    arguments: [0, 1, 7, 8, 15, 16, 40])
  func space(count: Int) throws {
    let space = String(repeating: " \n", count: count)
    let text = ["{", "\"a\"", ":", "[", "1", ",", "true", ",", "\"x\"", "]", "}"]
      .joined(separator: space)
    #expect(try JSON(parsing: Array(text.utf8)) == ["a": [1, true, "x"]])
  }

  @Test(
    "sixty-four nested containers are accepted, and sixty-five are refused",
    arguments: ["[]", "{}", "[{}]"])
  func depth(brackets: String) throws {
    func nested(_ depth: Int) -> [UInt8] {
      let opening = (0..<depth).map { index in
        brackets == "[]" || brackets == "[{}]" && index % 2 == 0 ? "[" : "{\"a\":"
      }
      let closing = opening.reversed().map { $0 == "[" ? "]" : "}" }
      return Array((opening + ["1"] + closing).joined().utf8)
    }
    #expect(fault(nested(64)) == nil)
    let document = nested(65)
    let deep = try #require(fault(document))
    #expect(deep.kind == .tooDeep)
    #expect(document[deep.offset...].first.map { $0 == 0x5b || $0 == 0x7b } == true)
    #expect(document[..<deep.offset].filter { $0 == 0x5b || $0 == 0x7b }.count == 64)
  }

  @Test("a million opening brackets are a fault instead of a crash", arguments: ["[", "{\"a\":"])
  func bomb(opening: String) {
    let document = Array(repeating: Array(opening.utf8), count: many(1_000_000)).flatMap { $0 }
    #expect(fault(document) == JSONFault(.unexpectedEnd, at: document.count))
  }
}
