import EngagementJSON
import EngagementModel
import Testing

@Suite("Raw items")
struct RawItemTests {
  @Test("a standalone item is checked and loses its surrounding whitespace")
  func alone() {
    let item = RawItem(index: 4, bytes: bytes(" {\"a\":1}\n")[...])
    #expect(item.index == 4)
    #expect(Array(item.bytes) == bytes("{\"a\":1}"))
    #expect(item.fault == nil)
    #expect(item.id == nil)
    #expect(item.hash == ContentHash.of(bytes("{\"a\":1}")[...]))
  }

  private static let faults: [(String, JSONFault.Kind)] = [
    ("{\"a\":1} x", .trailingBytes), ("{\"a\":1", .unexpectedEnd), ("", .unexpectedEnd),
    ("[\"\\u0000\"]", .nul), ("{\"a\":1,\"a\":1}", .duplicateKey), ("«ff»", .unexpectedByte),
  ]

  @Test(
    "a standalone item keeps its fault, structural or not",
    arguments: faults)
  func fault(text: String, kind: JSONFault.Kind) {
    let item = RawItem(index: 0, bytes: bytes(text)[...])
    #expect(item.fault?.kind == kind)
    #expect(throws: JSONFault.self) { try JSONFields(item) }
  }

  @Test("an item is equal alone and in a list")
  func sameInList() throws {
    let text = #"{"id":"x","n":[1,2,{"a":null}]}"#
    let list = try items(bytes("[ \(text) , \(text)]"))
    #expect(list[0] == RawItem(index: 0, bytes: bytes(text)[...]))
    #expect(list[1] == RawItem(index: 1, uncheckedBytes: bytes(text)[...]))
    #expect(list[0] != list[1])
    #expect(list[0].hash == list[1].hash)
  }

  @Test("a given hash is kept unchanged")
  func givenHash() {
    #expect(RawItem(index: 0, uncheckedBytes: bytes("1")[...], hash: 42).hash == 42)
  }

  @Test("items differ when the bytes of their ids differ")
  func ids() {
    var first = RawItem(index: 0, bytes: bytes("1")[...])
    var second = first
    #expect(first == second)
    first.id = "\u{e9}"
    #expect(first != second)
    second.id = "e\u{301}"
    #expect(first != second)
    second.id = "\u{e9}"
    #expect(first == second)
    #expect(first.hashValue == second.hashValue)
  }

  @Test("a single value is read as an item with the given index")
  func single() throws {
    var cursor = JSONCursor(bytes(#"{"card":{"id":1},"bad":"\u0000"}"#))
    _ = try cursor.enterObject()
    _ = try cursor.nextKey()
    let item = try cursor.item(at: 7)
    #expect(item.index == 7)
    #expect(Array(item.bytes) == bytes(#"{"id":1}"#))
    _ = try cursor.nextKey()
    #expect(try cursor.item(at: 8).fault == JSONFault(.nul, at: 24))
    #expect(try cursor.nextKey() == nil)
    try cursor.finish()
  }

  @Test("a list of items of all kinds keeps their order", arguments: [0, 1, 15, 16, 17, 100, 5000])
  func order(count: Int) throws {
    let parts = (0..<count).map { index in
      [#"{"id":\#(index)}"#, "\(index)", "null", #""\#(index)""#, "[\(index)]"][index % 5]
    }
    let items = try items(bytes("[" + parts.joined(separator: ", ") + "]"))
    #expect(items.map { String(decoding: $0.bytes, as: UTF8.self) } == parts)
    #expect(items.map(\.index) == Array(0..<count))
  }

  @Test("a list with more than 65,536 elements is refused")
  func tooLarge() throws {
    func list(_ count: Int) -> [UInt8] {
      [0x5b] + Array(repeating: [0x31, 0x2c], count: count - 1).flatMap { $0 } + [0x31, 0x5d]
    }
    #expect(try items(list(65_536)).count == 65_536)
    #expect(throws: JSONFault(.tooLarge, at: 1 + 2 * 65_536)) { try items(list(65_537)) }
  }
}
