import EngagementJSON
import EngagementModel
import Testing

@Suite("JSON keys")
struct JSONKeyTests {
  /// One literal of each length from 0 to 40.
  static let literals: [JSONKey] = [
    "", "a", "ab", "abc", "abcd", "abcde", "abcdef", "abcdefg", "abcdefgh", "abcdefghi",
    "abcdefghij", "abcdefghijk", "abcdefghijkl", "abcdefghijklm", "abcdefghijklmn",
    "abcdefghijklmno", "abcdefghijklmnop", "abcdefghijklmnopq", "abcdefghijklmnopqr",
    "abcdefghijklmnopqrs", "abcdefghijklmnopqrst", "abcdefghijklmnopqrstu",
    "abcdefghijklmnopqrstuv", "abcdefghijklmnopqrstuvw", "abcdefghijklmnopqrstuvwx",
    "abcdefghijklmnopqrstuvwxy", "abcdefghijklmnopqrstuvwxyz", "abcdefghijklmnopqrstuvwxyz0",
    "abcdefghijklmnopqrstuvwxyz01", "abcdefghijklmnopqrstuvwxyz012",
    "abcdefghijklmnopqrstuvwxyz0123", "abcdefghijklmnopqrstuvwxyz01234",
    "abcdefghijklmnopqrstuvwxyz012345", "abcdefghijklmnopqrstuvwxyz0123456",
    "abcdefghijklmnopqrstuvwxyz01234567", "abcdefghijklmnopqrstuvwxyz012345678",
    "abcdefghijklmnopqrstuvwxyz0123456789", "abcdefghijklmnopqrstuvwxyz0123456789A",
    "abcdefghijklmnopqrstuvwxyz0123456789AB", "abcdefghijklmnopqrstuvwxyz0123456789ABC",
    "abcdefghijklmnopqrstuvwxyz0123456789ABCD",
  ]
  private static let alphabet = "abcdefghijklmnopqrstuvwxyz0123456789ABCD"

  private static func keyRead(_ text: String) throws -> JSONKey? {
    var cursor = JSONCursor(JSON(dictionaryLiteral: (text, 1)).encoded())
    _ = try cursor.enterObject()
    return try cursor.nextKey()
  }

  @Test(
    "a key literal of any length equals the key with the same bytes and no other", arguments: 0...40
  )
  func literal(length: Int) throws {
    let literal = Self.literals[length]
    let text = String(Self.alphabet.prefix(length))
    #expect(literal.text == text)
    #expect(literal == JSONKey(text))
    #expect(try Self.keyRead(text) == literal)
    #expect(Set([literal, JSONKey(text), try #require(try Self.keyRead(text))]).count == 1)
    #expect(Self.literals.filter { $0 == literal }.count == 1)
  }

  @Test("keys that differ in one byte are unequal", arguments: 1...40)
  func oneByte(length: Int) throws {
    let literal = Self.literals[length]
    for index in 0..<length {
      var other = Array(Self.alphabet.utf8.prefix(length))
      other[index] ^= 1
      let text = String(decoding: other, as: UTF8.self)
      #expect(JSONKey(text) != literal)
      #expect(try Self.keyRead(text) != literal)
    }
  }

  @Test("a key differs from one with trailing zero bytes")
  func zeros() {
    #expect(JSONKey("a") != JSONKey("a\u{0}"))
    #expect("a\u{0}" as JSONKey != "a" as JSONKey)
    #expect("" as JSONKey != "\u{0}" as JSONKey)
  }

  @Test("keys compare by bytes, so composed and decomposed letters differ")
  func bytes() throws {
    #expect("é" as JSONKey == JSONKey("\u{e9}"))
    #expect("\u{e9}" as JSONKey != "e\u{301}" as JSONKey)
    #expect("0123456789012345\u{e9}" as JSONKey != "0123456789012345e\u{301}" as JSONKey)
    #expect(try Self.keyRead("e\u{301}") == "e\u{301}" as JSONKey)
  }

  @Test("an escaped key equals its unescaped form")
  func escapes() throws {
    var cursor = JSONCursor(Array(#"{"t\u0070":1,"last_full\u005fsync_at":2}"#.utf8))
    #expect(try cursor.enterObject())
    #expect(try cursor.nextKey() == "tp" as JSONKey)
    #expect(try cursor.nextKey() == "last_full_sync_at" as JSONKey)
    #expect(try cursor.nextKey() == nil)
  }

  @Test(
    "a switch selects the case of its key",
    arguments: [("tp", 1), ("t", 2), ("last_full_sync_at", 3), ("last_full_sync_a", 0), ("", 0)])
  func choice(text: String, expected: Int) throws {
    let choice =
      switch try #require(try Self.keyRead(text)) {
      case "tp": 1
      case "t": 2
      case "last_full_sync_at": 3
      default: 0
      }
    #expect(choice == expected)
  }
}
