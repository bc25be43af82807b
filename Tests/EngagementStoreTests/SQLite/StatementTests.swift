import EngagementModel
import Testing

@testable import EngagementStore

@Suite struct StatementTests {
  // The suite holds the folder, so that it outlives the files that a test opens in it.
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private static let texts = [
    "", "plain", "a\0b", "👩‍👩‍👧‍👦", "caf\u{e9}", "cafe\u{301}", "\u{202e}abc",
    String(repeating: "é", count: 1 << 19),
  ]

  @Test("a text is read back byte for byte", arguments: texts)
  func text(text: String) throws {
    var database = try scratch.notes()
    try database.write("INSERT INTO note(body) VALUES (?)", .text(text))
    try database.write("INSERT INTO note(body) VALUES (?)", .utf8(Array(text.utf8)[...]))
    let read = try database.first("SELECT body FROM note WHERE id=1") { $0.text(0) }
    #expect(read.map { Array($0.utf8) } == Array(text.utf8))
    let same = try database.first("SELECT count(DISTINCT body), min(typeof(body)) FROM note") {
      [String($0.integer(0)), $0.text(1)]
    }
    #expect(same == ["1", "text"])
  }

  @Test("texts that differ only in Unicode normalization are distinct")
  func normalForms() throws {
    var database = try scratch.notes()
    for text in ["caf\u{e9}", "cafe\u{301}"] {
      try database.write("INSERT INTO note(body) VALUES (?)", .text(text))
    }
    var count = Statement("SELECT count(*) FROM note WHERE body=?")
    #expect(try database.first(&count, .text("caf\u{e9}")) { $0.integer(0) } == 1)
  }

  @Test("a slice binds only its own bytes", arguments: [0..<0, 3..<3, 2..<9, 0..<64])
  func slices(range: Range<Int>) throws {
    let bytes = (0..<64).map { UInt8($0 * 4 & 0xff) }
    var database = try scratch.notes()
    try database.write("INSERT INTO note(body) VALUES (?)", .blob(bytes[range]))
    let read = try database.first("SELECT body, typeof(body) FROM note") { row in
      (row.bytes(0), row.text(1), row.withBytes(0) { $0.byteCount })
    }
    #expect(read?.0 == Array(bytes[range]))
    #expect(read?.1 == "blob")
    #expect(read?.2 == range.count)
  }

  @Test("numbers and NULL are read back unchanged")
  func numbers() throws {
    var database = try scratch.notes()
    let row = try database.first(
      "SELECT ?, ?, ?, ?", .integer(Int64.min), .integer(Int64.max), .real(-0.1), .null
    ) { ($0.integer(0), $0.integer(1), $0.real(2), $0.isNull(3)) }
    #expect(row?.0 == .min)
    #expect(row?.1 == .max)
    #expect(row?.2 == -0.1)
    #expect(row?.3 == true)
  }

  @Test("a statement runs again after a failure, without its earlier bindings")
  func again() throws {
    var database = try scratch.notes()
    var insert = Statement("INSERT INTO note(id, body) VALUES (?, ?)")
    try database.transaction { (database) throws(EngagementError) in
      try database.run(&insert, .integer(1), .text("a"))
      #expect(
        failure { () throws(EngagementError) in try database.run(&insert, .integer(1), .null) }?
          .underlying == "SQLITE_CONSTRAINT_PRIMARYKEY")
      try database.run(&insert, .integer(2), .null)
      #expect(database.changes == 1)
    }
    var all = Statement("SELECT body FROM note ORDER BY id")
    #expect(try database.all(&all) { $0.isNull(0) } == [false, true])
  }

  @Test("a statement runs again after its row reader throws")
  func throwingReader() throws {
    var database = try scratch.notes()
    var select = Statement("SELECT 1")
    let stop = EngagementError(.cancelled, "Enough")
    #expect(throws: stop) {
      try database.all(&select) { (_) throws(EngagementError) -> Int in throw stop }
    }
    #expect(try database.all(&select) { $0.integer(0) } == [1])
  }

  @Test("binding more values than parameters is refused")
  func parameterCount() throws {
    var database = try scratch.notes()
    let error = failure { () throws(EngagementError) in
      _ = try database.first("SELECT ?", .null, .null) { $0.integer(0) }
    }
    #expect(error?.code == .internalFailure)
  }

  @Test("a write outside a transaction is refused")
  func outside() throws {
    var database = try scratch.notes()
    let error = failure { () throws(EngagementError) in
      try database.run("INSERT INTO note(body) VALUES (1)")
    }
    #expect(error?.code == .internalFailure)
    #expect(try database.count() == 0)
  }

  @Test("a misspelt column in double quotes is an error")
  func doubleQuotes() throws {
    var database = try scratch.notes()
    let error = failure { () throws(EngagementError) in
      _ = try database.first("SELECT \"bodi\" FROM note") { $0.integer(0) }
    }
    #expect(error?.underlying == "SQLITE_ERROR")
  }
}
