import EngagementJSON
import EngagementModel
import Foundation
import TestSupport
import Testing

@Suite("Numbers")
struct NumberTests {
  private static let integers: [(String, Int64)] = [
    ("0", 0), ("-0", 0), ("7", 7), ("-7", -7), ("9223372036854775807", .max),
    ("-9223372036854775808", .min), ("-9223372036854775807", .min + 1),
    ("9223372036854775806", .max - 1), ("999999999999999999", 999_999_999_999_999_999),
    ("1000000000000000000", 1_000_000_000_000_000_000), ("9007199254740993", 9_007_199_254_740_993),
  ]

  @Test("a number without a fraction and an exponent is an integer", arguments: integers)
  func integer(text: String, value: Int64) throws {
    #expect(try JSON(parsing: bytes(text)) == .integer(value))
    #expect(try JSON(parsing: bytes("[\(text),1]")) == [.integer(value), 1])
    let fields = try JSONFields(bytes("{\"n\":\(text)}")[...])
    #expect(fields.integer("n") == value)
    #expect(fields.number("n") == Double(value))
  }

  private static let reals: [(String, Double)] = [
    ("0.0", 0), ("-0.0", -0.0), ("0e5", 0), ("0.1", 0.1), ("1.5", 1.5), ("-2.25", -2.25),
    ("1e0", 1), ("1E2", 100), ("1e+2", 100), ("1e-2", 0.01),
    ("9007199254740991.0", 9_007_199_254_740_991),
    ("9007199254740992.0", 9_007_199_254_740_992), ("9007199254740993.0", 9_007_199_254_740_992),
    ("9007199254740995.0", 9_007_199_254_740_996), ("1e22", 1e22), ("1e23", 1e23), ("1e-22", 1e-22),
    ("1e-23", 1e-23), ("1e308", 1e308), ("1.7976931348623157e308", .greatestFiniteMagnitude),
    ("1.7976931348623158e308", .greatestFiniteMagnitude), ("1e-400", 0), ("-1e-400", -0.0),
    ("5e-324", .leastNonzeroMagnitude), ("2e-324", 0),
    ("2.2250738585072014e-308", .leastNormalMagnitude),
    ("2.2250738585072011e-308", Double(bitPattern: 0x000f_ffff_ffff_ffff)), ("0e999999999999", 0),
    ("0.0e-9", 0),
    ("123456789012345678901234567890.0", 1.2345678901234568e29),
    ("0.000000000000000000000000000000000001e40", 1e4), ("1.0000000000000002", 1.0000000000000002),
    ("179769313486231570000.0e288", .greatestFiniteMagnitude),
  ]

  @Test("a number with a fraction or an exponent is the nearest Double", arguments: reals)
  func real(text: String, value: Double) throws {
    let read = try #require(try JSON(parsing: bytes(text)).number)
    #expect(read.bitPattern == value.bitPattern)
    guard case .number = try JSON(parsing: bytes(text)) else {
      Issue.record("an integer")
      return
    }
    let fields = try JSONFields(bytes("{\"n\":\(text) }")[...])
    #expect(fields.number("n")?.bitPattern == value.bitPattern)
  }

  private static let longNumbers: [(String, Double)] = [
    (String(repeating: "1", count: 308) + ".0", 1.1111111111111111e307),
    ("0." + String(repeating: "0", count: 5000) + "1e5001", 1),
    ("0." + String(repeating: "3", count: 5000), 1.0 / 3),
    ("9007199254740993." + String(repeating: "0", count: 900) + "1", 9_007_199_254_740_994),
  ]

  @Test(
    "a number with thousands of digits is rounded correctly",
    arguments: longNumbers)
  func longNumber(text: String, value: Double) throws {
    #expect(try JSON(parsing: bytes(text)) == .number(value))
  }

  private static let borders: [(String, Bool)] = [
    ("1.7976931348623158079e308", false), ("1.797693134862315808e308", true), ("1e308", false),
    ("1e309", true), (String(repeating: "9", count: 308) + ".0", false),
    (String(repeating: "9", count: 309) + ".0", true), ("0.00001e313", false),
    ("0.0001e313", true),
    ("-1e309", true), ("0e309", false), ("1e-309", false),
  ]

  @Test(
    "a number overflows where the nearest Double would be infinite",
    arguments: borders)
  func border(text: String, overflows: Bool) throws {
    #expect(fault(bytes(text))?.kind == (overflows ? .realOverflow : nil))
    #expect(try items(bytes("[\(text)]"))[0].fault?.kind == (overflows ? .realOverflow : nil))
  }

  private static let wholes: [(String, Int64?)] = [
    ("3.0", 3), ("3e2", 300), ("-4.0e1", -40), ("3.5", nil), ("1e19", nil), ("1e-1", nil),
    ("-0.0", 0), ("9223372036854775807.0", nil),
  ]

  @Test(
    "the integer accessor reads a real only if it is a whole number that fits",
    arguments: wholes)
  func whole(text: String, value: Int64?) throws {
    var cursor = JSONCursor(bytes(text))
    #expect(try cursor.integer() == value)
    #expect(try JSONFields(bytes("{\"n\":\(text)}")[...]).integer("n") == value)
  }

  @Test("every Double survives a round trip with seventeen digits", arguments: 0..<4)
  func roundTrip(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    for _ in 0..<many(50_000) {
      let value = Double(bitPattern: random.next())
      guard value.isFinite else { continue }
      #expect(
        try JSON(parsing: JSON.number(value).encoded()).number?.bitPattern == value.bitPattern)
      let digits = String(format: "%.16e", value)
      #expect(try JSON(parsing: bytes(digits)).number?.bitPattern == value.bitPattern)
    }
  }

  @Test("short decimals equal the values that Swift reads")
  func decimals() throws {
    var random = SeededGenerator(seed: 9)
    for _ in 0..<many(50_000) {
      let digits = UInt64.random(in: 0...99_999_999_999_999_999, using: &random)
      let text = "\(digits)e\(Int.random(in: -40...40, using: &random))"
      #expect(try JSON(parsing: bytes(text)).number == Double(text))
    }
  }
}
