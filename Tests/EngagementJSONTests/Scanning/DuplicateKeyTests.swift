import EngagementJSON
import EngagementModel
import TestSupport
import Testing

@Suite("Duplicate keys")
struct DuplicateKeyTests {
  private func object(_ keys: [String]) -> String {
    "{" + keys.enumerated().map { "\"\($1)\":\($0)" }.joined(separator: ",") + "}"
  }

  @Test(
    "a duplicate key is found at any distance, in objects of any size",
    arguments: [2, 3, 8, 31, 32, 33, 34, 40, 112, 113, 500])
  func twin(count: Int) {
    for length in [1, 7, 8, 9, 20] {
      let keys = (0..<count).map { index in
        String(repeating: "k", count: max(length - 3, 0)) + String(index)
      }
      #expect(fault(bytes(object(keys))) == nil)
      for place in [0, count / 2, count - 1] {
        let document = object(keys + [keys[place]] + ["z"])
        #expect(fault(bytes(document))?.kind == .duplicateKey)
      }
    }
  }

  @Test("an escaped key and its plain form are duplicates")
  func escapes() {
    for (key, escaped) in [
      ("a", #"\u0061"#), ("/", #"\/"#), ("é", #"\u00e9"#), ("🎉", #"\ud83c\udf89"#),
      ("abcdefghijklmnop", #"abcdefgh\u0069jklmnop"#),
    ] {
      #expect(fault(bytes(object([key, "b", escaped])))?.kind == .duplicateKey)
      #expect(fault(bytes(object([escaped, "b", key])))?.kind == .duplicateKey)
      #expect(fault(bytes(object([escaped, "b", escaped])))?.kind == .duplicateKey)
    }
  }

  @Test("composed and decomposed letters are different keys")
  func normalisation() throws {
    let object = try JSON(parsing: bytes("{\"\u{e9}\":1,\"e\u{301}\":2}")).object
    #expect(object?.count == 2)
    #expect(object?["e\u{301}"] == 2)
  }

  @Test("the same key in two objects is not a duplicate")
  func twoObjects() {
    #expect(fault(bytes(#"[{"a":{"a":1}},{"a":{"a":1}},{"b":1,"a":{"b":1}}]"#)) == nil)
  }

  @Test("keys with the same start and end are told apart, however many there are")
  func alike() {
    let count = many(100_000)
    let keys = (0..<count).map { "beginning\(1_000_000 + $0)the-end" }
    #expect(fault(bytes(object(keys))) == nil)
    #expect(fault(bytes(object(keys + [keys[count / 2]])))?.kind == .duplicateKey)
  }

  @Test("a million keys are read, and one duplicate among them is found")
  func million() throws {
    let count = many(1_000_000)
    var writer = JSONWriter()
    writer.beginObject()
    for index in 0..<count { writer.member("k\(index)", Int64(index)) }
    let open = writer.bytes
    var cursor = JSONCursor(open + bytes("}"))
    try cursor.finish()
    var second = JSONCursor(open + bytes(",\"k\(count / 3)\":0}"))
    #expect(throws: JSONFault(.duplicateKey, at: open.count + 1)) { try second.finish() }
  }

  @Test(
    "items with varied keys, orders and spacing are checked like single objects",
    arguments: 0..<6)
  func lists(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let names = [
      "id", "tp", "a", "b", "title", "abcdefg", "abcdefgh", "abcdefghi", "abcdefghijklm",
      "abcdefghijklmn", "abcdefghijklmno", "abcdefghijklmnopqrstuvwxyz", #"i\u0064"#, "é", "",
    ]
    for _ in 0..<many(2_000) {
      let values = (0..<12).map { _ in
        var keys = Bool.random(using: &random) ? names : names.shuffled(using: &random)
        keys.removeAll { _ in Int.random(in: 0..<4, using: &random) == 0 }
        if Int.random(in: 0..<4, using: &random) == 0, let key = keys.randomElement(using: &random)
        {
          keys.insert(key, at: Int.random(in: 0...keys.count, using: &random))
        }
        let colon = Int.random(in: 0..<9, using: &random) == 0 ? " : " : ":"
        return object(keys).replacing("\":", with: "\"" + colon)
      }
      let items = try items(bytes("[" + values.joined(separator: ",") + "]"))
      for (item, value) in zip(items, values) {
        #expect(item.fault?.kind == fault(bytes(value))?.kind)
      }
    }
  }
}
