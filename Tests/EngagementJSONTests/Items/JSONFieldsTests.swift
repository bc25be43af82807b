import EngagementJSON
import EngagementModel
import Testing

@Suite("Fields of an object")
struct JSONFieldsTests {
  private static let text = #"""
    {"s":"text","esc":"a\"b\u00e9\n","empty":"","i":42,"neg":-7,"r":2.5,"whole":3.0,"t":true,
     "f":false,"zero":0,"one":1,"two":2,"nil":null,"o":{"in":"ner","deep":{"x":[1]}},"list":[1,"a",{"n":1},
     ["b"],{"n":2},"c"],"k\u0065y":"escaped key","eightlen":8,"ninelener":9,"exactlyfifteen_":15,
     "exactlysixteen__":16,"a_key_that_is_quite_long_indeed":31, "spaced" : "out" , "":"no name"}
    """#

  private func fields() throws -> JSONFields { try JSONFields(bytes(Self.text)[...]) }

  @Test("each kind of value is read by its accessor")
  func accessors() throws {
    let fields = try fields()
    #expect(fields.string("s") == "text")
    #expect(fields.string("esc") == "a\"bé\n")
    #expect(fields.string("empty") == "")
    #expect(fields.string("spaced") == "out")
    #expect(fields.integer("i") == 42)
    #expect(fields.integer("neg") == -7)
    #expect(fields.integer("whole") == 3)
    #expect(fields.integer("r") == nil)
    #expect(fields.number("r") == 2.5)
    #expect(fields.number("i") == 42)
    #expect(fields.bool("t") == true)
    #expect(fields.bool("f") == false)
    #expect(fields.json("nil") == .null)
    #expect(fields.json("list") == [1, "a", ["n": 1], ["b"], ["n": 2], "c"])
    #expect(fields.raw("o").map { Array($0) } == bytes(#"{"in":"ner","deep":{"x":[1]}}"#))
    #expect(fields.raw("spaced").map { Array($0) } == bytes(#""out""#))
  }

  @Test("a flag is read only from true, false, 0 and 1")
  func flags() throws {
    let fields = try fields()
    let flags = ["t", "f", "one", "zero", "two", "s", "nil", "whole", "absent"].map { name in
      fields.flag(JSONKey(name))
    }
    #expect(flags == [true, false, true, false, nil, nil, nil, nil, nil])
  }

  @Test("an absent member or one of another kind is nil")
  func others() throws {
    let fields = try fields()
    let kinds: [(JSONKey, JSONKind?)] = [
      ("s", .string), ("i", .number), ("t", .bool), ("nil", .null), ("o", .object),
      ("list", .array), ("absent", nil),
    ]
    for (key, kind) in kinds {
      #expect(fields.kind(of: key) == kind)
      #expect((fields.string(key) != nil) == (kind == .string))
      #expect((fields.integer(key) != nil) == (kind == .number))
      #expect((fields.number(key) != nil) == (kind == .number))
      #expect((fields.bool(key) != nil) == (kind == .bool))
      #expect((fields.fields(key) != nil) == (kind == .object))
      #expect((fields.objects(key) != nil) == (kind == .array))
      #expect((fields.strings(key) != nil) == (kind == .array))
      #expect((fields.json(key) != nil) == (kind != nil))
      #expect((fields.raw(key) != nil) == (kind != nil))
    }
  }

  @Test("keys of every length and escaped keys are found, and prefixes of keys are not")
  func keys() throws {
    let fields = try fields()
    #expect(fields.string("key") == "escaped key")
    #expect(fields.integer("eightlen") == 8)
    #expect(fields.integer("ninelener") == 9)
    #expect(fields.integer("exactlyfifteen_") == 15)
    #expect(fields.integer("exactlysixteen__") == 16)
    #expect(fields.integer("a_key_that_is_quite_long_indeed") == 31)
    #expect(fields.string("") == "no name")
    #expect(fields.kind(of: "eightle") == nil)
    #expect(fields.kind(of: "eightlen\u{0}") == nil)
    #expect(fields.kind(of: "ninelene") == nil)
    #expect(fields.kind(of: "ninelenex") == nil)
    #expect(fields.kind(of: "exactlysixteen_") == nil)
    #expect(fields.kind(of: "exactlysixteen_x") == nil)
    #expect(fields.kind(of: "a_key_that_is_quite_long_indee") == nil)
  }

  @Test("nested objects and lists are read the same way")
  func nested() throws {
    let fields = try fields()
    #expect(fields.fields("o")?.string("in") == "ner")
    #expect(fields.fields("o")?.fields("deep")?.json("x") == [1])
    #expect(fields.objects("list")?.map { $0.integer("n") } == [1, 2])
    #expect(fields.strings("list") == ["a", "c"])
  }

  @Test("members are listed in their order")
  func walk() throws {
    let fields = try JSONFields(bytes(#"{"b":1,"a\n":[ 2 ],"c":"x"}"#)[...])
    #expect(fields.count == 3)
    #expect(fields.keys == ["b", "a\n", "c"])
    #expect(fields.members.map(\.key) == ["b", "a\n", "c"])
    #expect(fields.members.map { Array($0.value) } == [bytes("1"), bytes("[ 2 ]"), bytes(#""x""#)])
    #expect(fields.json == ["b": 1, "a\n": [2], "c": "x"])
    #expect(try self.fields().json == JSON(parsing: bytes(Self.text)))
  }

  @Test("an object with any number of members is indexed", arguments: [0, 1, 31, 32, 33, 64, 1000])
  func sizes(count: Int) throws {
    let object = JSON.object(
      JSONObject(uniqueMembers: (0..<count).map { .init("key\($0)", .integer(Int64($0))) }))
    let fields = try JSONFields(object.encoded()[...])
    #expect(fields.count == count)
    #expect((0..<count).allSatisfy { fields.integer(JSONKey("key\($0)")) == Int64($0) })
    #expect(fields.integer("key") == nil)
  }

  private static let refusals: [(String, JSONFault)] = [
    ("[]", JSONFault(.notAnObject, at: 0)), (" 1", JSONFault(.notAnObject, at: 1)),
    ("{", JSONFault(.unexpectedEnd, at: 1)), (#"{"a":"\u0000"}"#, JSONFault(.nul, at: 6)),
    ("[1}", JSONFault(.unexpectedByte, at: 2)), ("{} x", JSONFault(.trailingBytes, at: 3)),
  ]

  @Test("a value that is not a valid object is refused with its fault", arguments: refusals)
  func refused(text: String, fault: JSONFault) {
    #expect(throws: fault) { try JSONFields(bytes(text)[...]) }
  }

  @Test("a list item that is not an object is refused")
  func refusedItem() throws {
    let items = try items(bytes(#"[1,{"a":"x"},"s"]"#))
    #expect(throws: JSONFault(.notAnObject, at: 0)) { try JSONFields(items[0]) }
    #expect(throws: JSONFault(.notAnObject, at: 0)) { try JSONFields(items[2]) }
    #expect(try JSONFields(items[1]).string("a") == "x")
  }

  @Test("strings of every kind and length are read whole")
  func strings() throws {
    for count in 0..<40 {
      for tail in ["", "\\", "\"", "é", "🎉", "\u{1}", "a\\"] {
        let text = String(repeating: "x", count: count) + tail
        let object: JSON = ["a": .string(text), "b": 1]
        let fields = try JSONFields(object.encoded()[...])
        #expect(fields.string("a") == text)
        #expect(fields.integer("b") == 1)
      }
    }
  }
}
