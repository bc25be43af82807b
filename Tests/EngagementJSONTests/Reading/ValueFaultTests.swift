import EngagementJSON
import EngagementModel
import Testing

@Suite("Faults that affect a single item")
struct ValueFaultTests {
  /// The text of one value, with the kind of its fault and the offset in it.
  static let faults: [(String, JSONFault.Kind, Int)] = [
    (#""\u0000""#, .nul, 1), (#""a\u0000b""#, .nul, 2), (#"{"\u0000":1}"#, .nul, 2),
    (#"[1,"x\u0000"]"#, .nul, 5),
    ("\"«80»\"", .invalidUTF8, 1), ("\"a«ff»b\"", .invalidUTF8, 2),
    ("\"«c0 80»\"", .invalidUTF8, 1),
    ("\"«c1 bf»\"", .invalidUTF8, 1), ("\"«c3»\"", .invalidUTF8, 1),
    ("\"«e0 80 80»\"", .invalidUTF8, 1),
    ("\"«e0 9f bf»\"", .invalidUTF8, 1), ("\"«ed a0 80»\"", .invalidUTF8, 1),
    ("\"«ed bf bf»\"", .invalidUTF8, 1), ("\"«e2 82»\"", .invalidUTF8, 1),
    ("\"«f0 80 80 80»\"", .invalidUTF8, 1), ("\"«f0 8f bf bf»\"", .invalidUTF8, 1),
    ("\"«f4 90 80 80»\"", .invalidUTF8, 1), ("\"«f5 80 80 80»\"", .invalidUTF8, 1),
    ("\"«f8 88 80 80 80»\"", .invalidUTF8, 1), ("\"é«e9»\"", .invalidUTF8, 3),
    ("\"0123456789abcdefé«f0 9f 8e»\"", .invalidUTF8, 19), ("{\"«fe»\":1}", .invalidUTF8, 2),
    (#""\ud800""#, .invalidSurrogate, 1), (#""\udc00""#, .invalidSurrogate, 1),
    (#""\ud800x""#, .invalidSurrogate, 1), (#""\ud800\n""#, .invalidSurrogate, 1),
    (#""\ud800\ud800\udc00""#, .invalidSurrogate, 1), (#""\ud800\u0041""#, .invalidSurrogate, 1),
    (#""ab\udfff\ud800""#, .invalidSurrogate, 3), (#"{"\ud83c":1}"#, .invalidSurrogate, 2),
    ("9223372036854775808", .integerOverflow, 0), ("-9223372036854775809", .integerOverflow, 0),
    ("18446744073709551616", .integerOverflow, 0), ("[99999999999999999999]", .integerOverflow, 1),
    ("1000000000000000000000000000000", .integerOverflow, 0),
    ("1e309", .realOverflow, 0), ("-1e309", .realOverflow, 0), ("1.8e308", .realOverflow, 0),
    ("1e99999999999999999999", .realOverflow, 0), ("[0.1,123456e400]", .realOverflow, 5),
    (#"{"a":1,"a":2}"#, .duplicateKey, 7), (#"{"a":1,"\u0061":2}"#, .duplicateKey, 7),
    (#"{"":1,"":2}"#, .duplicateKey, 6), (#"{"a":{"b":1,"c":2,"b":3}}"#, .duplicateKey, 18),
    (#"{"abcdefgh":1,"abcdefgh":2}"#, .duplicateKey, 14),
    (#"{"é":1,"\u00e9":2}"#, .duplicateKey, 8),
    (#"{"abcdefghijklmnopqrstuvwxyz":1,"abcdefghijklmnopqrstuvwxyz":2}"#, .duplicateKey, 32),
    (#"{"a":[{"x":1,"x":1}]}"#, .duplicateKey, 13),
    (#"{"a" : 1 , "b":2, "a" :3}"#, .duplicateKey, 18),
  ]

  @Test("a value fault outside items fails the document at its offset", arguments: faults)
  func document(text: String, kind: JSONFault.Kind, offset: Int) {
    #expect(fault(bytes(text)) == JSONFault(kind, at: offset))
    #expect(!JSONFault(kind, at: offset).isStructural)
    #expect(fault(bytes("{\"k\": \(text)}")) == JSONFault(kind, at: offset + 6))
  }

  @Test("a value fault in one of a hundred items leaves the others valid", arguments: faults)
  func isolation(text: String, kind: JSONFault.Kind, offset: Int) throws {
    let good = #"{"id":"a","n":[1,{"x":"é"}]}"#
    for place in [0, 1, 57, 99] {
      var parts = Array(repeating: bytes(good), count: 100)
      parts[place] = bytes("{\"id\":\"b\",\"v\":\(text)}")
      let start = 1 + place * (good.utf8.count + 1)
      let items = try items([0x5b] + parts.joined(separator: [0x2c]) + [0x5d])
      #expect(items.count == 100)
      #expect(items[place].fault == JSONFault(kind, at: start + 14 + offset))
      #expect(items.filter { $0.fault == nil }.count == 99)
      #expect(items.map(\.index) == Array(0..<100))
      #expect(items.map { Array($0.bytes) } == parts)
    }
  }

  @Test("the structure after a value fault is still checked", arguments: faults)
  func structureBehind(text: String, kind: JSONFault.Kind, offset: Int) {
    for broken in [
      "\(text) x", "[\(text)", "[\(text),]", "[\(text)}", "[\(text),\"«01»\"]", "[\(text),01]",
    ] {
      #expect(fault(bytes(broken))?.isStructural == true)
      #expect(throws: JSONFault.self) { try items(bytes(broken)) }
    }
  }

  @Test("only the first of several faults is reported")
  func first() throws {
    let items = try items(bytes(#"[["\u0000",1e999],[1e999,"\u0000"]]"#))
    #expect(items.map(\.fault?.kind) == [.nul, .realOverflow])
  }

  @Test("members before and after a value fault can still be read")
  func goOn() throws {
    var cursor = JSONCursor(bytes(#"{"a":1,"b":"\u0000","a":2,"c":3}"#))
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
    #expect(read == ["a=1", "nul", "duplicateKey", "c=3"])
    try cursor.finish()
  }
}
