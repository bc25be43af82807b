import EngagementJSON
import EngagementModel
import Testing

@Suite("Reading a document from front to back")
struct JSONCursorTests {
  @Test("a document is split into its list items and other members")
  func document() throws {
    var cursor = JSONCursor(bytes(#"{"cards": [{"id":"a"}, 7 ], "full" : true, "n":3.0}"#))
    var items: [RawItem]?
    var full: Bool?
    var number: Int64?
    #expect(try cursor.enterObject())
    while let key = try cursor.nextKey() {
      switch key {
      case "cards": items = try cursor.items()
      case "full": full = try cursor.bool()
      case "n": number = try cursor.integer()
      default: break
      }
    }
    try cursor.finish()
    #expect(items?.map { String(decoding: $0.bytes, as: UTF8.self) } == [#"{"id":"a"}"#, "7"])
    #expect(full == true)
    #expect(number == 3)
  }

  private static let kinds: [(String, JSONKind)] = [
    ("{}", .object), ("[]", .array), (#""""#, .string), ("0", .number), ("-1.5", .number),
    ("true", .bool), ("false", .bool), ("null", .null),
  ]

  @Test("the kind of the next value is known without reading it", arguments: kinds)
  func kind(text: String, kind: JSONKind) throws {
    var cursor = JSONCursor(bytes(" " + text))
    #expect(try cursor.kind() == kind)
    #expect(try cursor.kind() == kind)
    try cursor.skip()
    try cursor.finish()
  }

  @Test("reading a value as another kind gives nil and skips the value", arguments: kinds)
  func otherKind(text: String, kind: JSONKind) throws {
    let document = bytes("[\(text),\"next\"]")
    func expectNil(_ read: (inout JSONCursor) throws(JSONFault) -> Bool) throws {
      var cursor = JSONCursor(document)
      _ = try cursor.enterArray()
      _ = try cursor.nextElement()
      #expect(try read(&cursor))
      #expect(try cursor.nextElement())
      #expect(try cursor.string() == "next")
      #expect(try !cursor.nextElement())
      try cursor.finish()
    }
    if kind != .string { try expectNil { cursor throws(JSONFault) in try cursor.string() == nil } }
    if kind != .number {
      try expectNil { cursor throws(JSONFault) in try cursor.integer() == nil }
      try expectNil { cursor throws(JSONFault) in try cursor.number() == nil }
    }
    if kind != .bool { try expectNil { cursor throws(JSONFault) in try cursor.bool() == nil } }
    if kind != .object { try expectNil { cursor throws(JSONFault) in try !cursor.enterObject() } }
    if kind != .array {
      try expectNil { cursor throws(JSONFault) in try !cursor.enterArray() }
      try expectNil { cursor throws(JSONFault) in try cursor.items() == nil }
    }
  }

  @Test("unread values are skipped at any level")
  func unread() throws {
    var cursor = JSONCursor(bytes(#"{"a":{"b":[1,2]},"c":[{"d":1},{"e":2}],"f":"x"}"#))
    #expect(try cursor.enterObject())
    #expect(try cursor.nextKey() == "a")
    #expect(try cursor.nextKey() == "c")
    #expect(try cursor.enterArray())
    #expect(try cursor.nextElement())
    #expect(try cursor.nextElement())
    #expect(try cursor.enterObject())
    #expect(try cursor.nextKey() == "e")
    #expect(try cursor.nextKey() == nil)
    #expect(try !cursor.nextElement())
    #expect(try cursor.nextKey() == "f")
    #expect(try cursor.string() == "x")
    #expect(try cursor.nextKey() == nil)
    try cursor.finish()
  }

  @Test("finishing checks the unread rest of the document", arguments: [0, 1, 2, 3])
  func finishing(steps: Int) throws {
    for (text, kind) in [
      (#"{"a":[1,2]}"#, nil), (#"{"a":[1,2]} x"#, .trailingBytes),
      (#"{"a":[1,2}"#, .unexpectedByte), (#"{"a":[1,"\u0000"]}"#, .nul),
    ] as [(String, JSONFault.Kind?)] {
      var cursor = JSONCursor(bytes(text))
      if steps > 0 { _ = try cursor.enterObject() }
      if steps > 1 { _ = try cursor.nextKey() }
      if steps > 2 { _ = try cursor.enterArray() }
      var met: JSONFault?
      do throws(JSONFault) { try cursor.finish() } catch { met = error }
      #expect(met?.kind == kind)
    }
  }

  @Test("the raw bytes of a value are a slice of the document and not a copy")
  func raw() throws {
    let document = bytes(#"{"a": {"b" : 1} }"#)
    var cursor = JSONCursor(document)
    _ = try cursor.enterObject()
    _ = try cursor.nextKey()
    let raw = try cursor.raw()
    #expect(String(decoding: raw, as: UTF8.self) == #"{"b" : 1}"#)
    #expect(raw.startIndex == 6)
  }

  @Test("a slice is read from its own start, and offsets count from there")
  func slices() throws {
    let padded = bytes("xx[1,«ff»]yy")
    var cursor = JSONCursor(padded[2..<padded.count - 2])
    #expect(throws: JSONFault(.unexpectedByte, at: 3)) { try cursor.items() }
    let good = bytes(#"xx[{"a":1},2]yy"#)
    var second = JSONCursor(good[2..<good.count - 2])
    #expect(try second.items()?.map { Array($0.bytes) } == [bytes(#"{"a":1}"#), bytes("2")])
    try second.finish()
  }

  @Test("reading where no value stands is a fault, and the cursor continues")
  func misuse() throws {
    var cursor = JSONCursor(bytes(#"{"a":1}"#))
    #expect(try cursor.nextKey() == nil)
    #expect(try !cursor.nextElement())
    #expect(try cursor.enterObject())
    #expect(throws: JSONFault(.noValue, at: 1)) { try cursor.string() }
    #expect(throws: JSONFault(.noValue, at: 1)) { try cursor.kind() }
    #expect(try !cursor.nextElement())
    #expect(try cursor.nextKey() == "a")
    #expect(try cursor.integer() == 1)
    #expect(throws: JSONFault(.noValue, at: 6)) { try cursor.integer() }
    #expect(try cursor.nextKey() == nil)
    #expect(throws: JSONFault(.noValue, at: 7)) { try cursor.json() }
    try cursor.finish()
    try cursor.finish()
  }

  @Test("after a structural fault every call throws the same fault")
  func broken() throws {
    var cursor = JSONCursor(bytes(#"{"a":[[[1}],"b":2}"#))
    let fault = JSONFault(.unexpectedByte, at: 9)
    #expect(try cursor.enterObject())
    #expect(try cursor.nextKey() == "a")
    #expect(throws: fault) { try cursor.skip() }
    #expect(throws: fault) { try cursor.nextKey() }
    #expect(throws: fault) { try cursor.items() }
    #expect(throws: fault) { try cursor.finish() }
  }
}
