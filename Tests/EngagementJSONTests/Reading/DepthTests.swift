import EngagementJSON
import EngagementModel
import Testing

@Suite("Values that are nested too deep")
struct DepthTests {
  private static let contents = [
    "", "1", #""x""#, "1, [], {} , [2 ,{}], true", #"{"a": 1, "b":[{}], "c" : "é"} , null"#,
    #""\u0000",1e999,{"a":1,"a":2}"#,
  ]

  private static func nested(_ text: String, levels: Int, inObjects: Bool = false) -> String {
    let (opening, closing) = inObjects ? (#"{"k" : [ "#, " ] }") : ("[", "]")
    let levels = inObjects ? levels / 2 : levels
    return String(repeating: opening, count: levels) + text
      + String(repeating: closing, count: levels)
  }

  @Test(
    "G17: one item of a list that is nested too deep costs only itself",
    arguments: contents, [false, true])
  func isolation(content: String, inObjects: Bool) throws {
    for levels in [80, 128, 2_050, many(500_000)] {
      let deep = Self.nested(content, levels: levels, inObjects: inObjects)
      let texts = [#"{"id":"a"}"#, "{\"id\":\"b\",\"e\":\(deep)}", deep, #"{"id":"c"}"#]
      let items = try items(bytes("[\(texts.joined(separator: " , "))]"))
      #expect(items.map(\.fault?.kind) == [nil, .tooDeep, .tooDeep, nil])
      #expect(items.map { Array($0.bytes) } == texts.map(bytes))
      #expect(throws: JSONFault(.tooDeep, at: items[2].fault?.offset ?? 0)) {
        try JSONFields(items[2])
      }
    }
  }

  @Test("the fault is at the first bracket that is too deep")
  func place() throws {
    let text = Self.nested("1", levels: 70)
    let items = try items(bytes("[1,\(text)]"))
    #expect(items[1].fault == JSONFault(.tooDeep, at: 3 + 63))
  }

  @Test(
    "G17: the grammar of a value that is nested too deep is still checked",
    arguments: [
      ("[", .unexpectedEnd, 1), ("[1", .unexpectedEnd, 2), ("[1,]", .unexpectedByte, 3),
      ("[1}", .unexpectedByte, 2), ("[,1]", .unexpectedByte, 1), ("[1 2]", .unexpectedByte, 3),
      (#"{"a"}"#, .unexpectedByte, 4), (#"{"a":}"#, .unexpectedByte, 5),
      (#"{"a":1,}"#, .unexpectedByte, 7), (#"{"a":1]"#, .unexpectedByte, 6),
      (#"{,"a":1}"#, .unexpectedByte, 1), (#"{1:2}"#, .unexpectedByte, 1),
      (#"{"a":1 "b":2}"#, .unexpectedByte, 7), ("[01]", .unexpectedByte, 2),
      ("[tru]", .unexpectedByte, 4), ("[\"«01»\"]", .controlCharacter, 2),
      (#"["\x"]"#, .invalidEscape, 2), ("[[1],[2}]", .unexpectedByte, 7),
      (#"[{"a":1},{"b":2]"#, .unexpectedByte, 15),
    ] as [(String, JSONFault.Kind, Int)])
  func grammar(text: String, kind: JSONFault.Kind, offset: Int) {
    for levels in [64, 127, 128, 130] {
      let document = bytes(Self.nested(text, levels: levels))
      let cut = kind == .unexpectedEnd ? Array(document[..<(levels + text.utf8.count)]) : document
      #expect(fault(cut) == JSONFault(kind, at: levels + offset))
      #expect(throws: JSONFault(kind, at: levels + offset)) { try items(cut) }
    }
  }

  @Test("G17: members before and after a value that is nested too deep can still be read")
  func members() throws {
    let deep = Self.nested("1", levels: 100)
    var cursor = JSONCursor(bytes("{\"a\":1,\"deep\":\(deep),\"b\":2}"))
    var read: [String] = []
    #expect(try cursor.enterObject())
    while true {
      do throws(JSONFault) {
        guard let key = try cursor.nextKey() else { break }
        read.append("\(key)=\(try cursor.json().integer ?? -1)")
      } catch {
        read.append("\(error.kind)")
      }
    }
    #expect(read == ["a=1", "tooDeep", "b=2"])
    try cursor.finish()
  }

  @Test("a container that is nested too deep cannot be entered, and the one around it continues")
  func entering() throws {
    var cursor = JSONCursor(bytes(Self.nested("[7],8", levels: 64)))
    for _ in 0..<64 {
      #expect(try cursor.enterArray())
      #expect(try cursor.nextElement())
    }
    #expect(throws: JSONFault(.tooDeep, at: 64)) { try cursor.enterArray() }
    #expect(try cursor.nextElement())
    #expect(try cursor.integer() == 8)
    try cursor.finish()
  }
}
