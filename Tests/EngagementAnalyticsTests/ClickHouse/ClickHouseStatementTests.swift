import EngagementJSON
import EngagementModel
import TestSupport
import Testing

@testable import EngagementAnalytics

/// What is sent to ClickHouse, and how its errors are understood.
@Suite struct ClickHouseStatementTests {
  private static let hostile = [
    "'", "\\", "`", "\\'", "a\0b", "'; DROP TABLE events --", "'\u{301}", "\u{202e}", "\t\n\r", "é",
    "\u{1F9E1}", "\\0", "",
  ]

  /// A text as ClickHouse reads it; nil if it does not end with the last byte.
  private static func read(_ literal: String, _ quote: Character) -> [UInt8]? {
    var rest = Array(literal.utf8)[...]
    guard rest.popFirst() == quote.asciiValue else { return nil }
    var text: [UInt8] = []
    while let byte = rest.popFirst() {
      if byte == quote.asciiValue { return rest.isEmpty ? text : nil }
      guard byte == UInt8(ascii: "\\") else {
        text.append(byte)
        continue
      }
      guard let escaped = rest.popFirst() else { return nil }
      text.append(escaped == UInt8(ascii: "0") ? 0 : escaped)
    }
    return nil
  }

  @Test("X14: no name or text ends its quotes", arguments: hostile)
  func quotes(text: String) {
    #expect(Self.read(ClickHouseText.literal(text), "'") == Array(text.utf8))
    #expect(Self.read(ClickHouseText.identifier(text), "`") == Array(text.utf8))
    #expect(!ClickHouseTable(text, in: text, over: text).creation.utf8.contains(0))
  }

  @Test(
    "X14: a row is JSON with the texts, the data as a text and whole numbers", arguments: hostile)
  func row(text: String) throws {
    var encoder = ClickHouseEncoder()
    encoder.begin()
    for column in EventColumn.allCases {
      switch column {
      case .time: encoder.time(-1)
      case .sequence: encoder.integer(.max)
      case .uptime: encoder.integer(.min)
      case .recordedTime, .zoneOffset: encoder.missing()
      case .data: encoder.json(#"{"a":"q\",","n":9007199254740993}"#.utf8.span.bytes)
      default: encoder.text(text)
      }
    }
    encoder.endEvent()
    #expect(encoder.rows == 1 && encoder.bytes.last == UInt8(ascii: "\n"))
    let row = try JSON(parsing: Array(encoder.bytes.dropLast()))
    #expect(row["id"]?.string == text.replacing("\0", with: "\u{fffd}"))
    #expect(row["time"]?.integer == -1 && row["sequence"]?.integer == .max)
    #expect(row["uptime"]?.integer == .min && row["zoneoffset"] == nil)
    #expect(row["data"]?.string == #"{"a":"q\",","n":9007199254740993}"#)
    #expect(row.object?.members.count == EventColumn.allCases.count - 2)
  }

  @Test(
    "X14: an exception is found with its code, however a release writes it",
    arguments: [
      ("Code: 81, e.displayText() = DB::Exception: Database x doesn't exist", 81, "notFound"),
      ("Code: 516. DB::Exception: ana: Authentication failed", 516, "unauthenticated"),
      ("1\t2\nCode: 241, e.displayText() = DB::Exception: Memory", 241, "unavailable"),
      ("Code: 75, e.displayText() = DB::ErrnoException: x, errno: 28, y", 75, "storage"),
      ("Code: 999999, e.displayText() = DB::Exception: new", 999_999, "internalFailure"),
    ])
  func faults(body: String, code: Int, kind: String) throws {
    let fault = try #require(ClickHouseFault(in: body.utf8))
    #expect(fault.code == code && fault.error.code.rawValue == kind)
    #expect(fault.error.underlying == "ClickHouse code \(code)")
  }

  @Test("X14: the comment of the column of users says how they are named, and nothing else does")
  func userComments() {
    for naming in [UserNaming.ids, .key(digest: "1a2b3c4d"), .salt, .absent] {
      #expect(UserNaming(comment: naming.comment) == naming)
      let table = ClickHouseTable("events", in: "shop")
      #expect(table.creating(naming).contains("`userid` Nullable(String) COMMENT 'engage: users "))
      #expect(!table.creation.contains("COMMENT"))
    }
    let key = UserNaming.key(digest: "").comment
    for other in ["", "people", "engage: users ", key, UserNaming.ids.comment + " "] {
      #expect(UserNaming(comment: other) == nil, "\(other)")
    }
  }

  @Test("X14: a batch is compared with all its events, with and without a user")
  func otherUsers() {
    let rows = [nil, "u'1"].enumerated().map { number, user in
      let user = user.map { #","userid":"\#($0)""# } ?? ""
      return #"{"id":"\#(number)","source":"s"\#(user)}"# + "\n"
    }
    let table = ClickHouseTable("events", in: "default")
    let queries = table.searchesForOtherUsers(of: Array(rows.joined().utf8))
    let query = queries.joined()
    #expect(
      queries.count == 1 && query.contains("('s', '0', '')")
        && query.contains(#"('s', '1', 'u\'1')"#), "\(query)")
  }

  @Test("X14: a body without an exception has none")
  func noFaults() {
    for body in ["", "Code: x", "1\tCode: 12\n", "Code: 99999999999999999999, DB::"] {
      #expect(ClickHouseFault(in: body.utf8) == nil)
    }
  }
}
