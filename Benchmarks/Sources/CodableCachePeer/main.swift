// CodableCachePeer DB FIRST SECOND body|columns PRAGMAS TABLE UPSERT COUNT
//
// What a Swift developer writes first: Codable structures and SQLite. `body` encodes each card
// anew, since a decoder does not keep the bytes; `columns` leaves the column empty.
import BenchReport
import CSQLite
import Foundation

struct Card: Codable {
  var id, tp, tt, ds, i, u: String
  var ca, ea: Int64
  var ar: Double
  var v, cl, p, db, uw: Bool
  var e: [String: String]
}

struct Cards: Decodable { var cards: [Card] }

struct SQLiteFault: Error { var code: Int32 }

/// One connection, as ours is set.
struct Table {
  let handle: OpaquePointer?

  init(_ path: String, _ pragmas: String, _ table: String) throws {
    for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) }
    var handle: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
    guard sqlite3_open_v2(path, &handle, flags, nil) == SQLITE_OK else {
      throw SQLiteFault(code: SQLITE_CANTOPEN)
    }
    self.handle = handle
    try run(pragmas)
    try run("PRAGMA journal_mode=WAL")
    try run(table)
  }

  func run(_ sql: String) throws {
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw SQLiteFault(code: code) }
  }

  func prepare(_ sql: String) throws -> OpaquePointer? {
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v3(
      handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
    guard code == SQLITE_OK else { throw SQLiteFault(code: code) }
    return statement
  }

  func put(_ card: Card, _ extras: String, _ body: Data?, by statement: OpaquePointer?) throws {
    let texts = ["braze", card.id, card.tp, card.tt, card.ds, card.i, card.u]
    for (index, text) in texts.enumerated() { bind(text, Int32(index + 1), statement) }
    sqlite3_bind_int64(statement, 8, card.ca)
    sqlite3_bind_int64(statement, 9, card.ea)
    sqlite3_bind_double(statement, 10, card.ar)
    for (index, flag) in [card.v, card.cl, card.p, card.db, card.uw].enumerated() {
      sqlite3_bind_int(statement, Int32(index + 11), flag ? 1 : 0)
    }
    bind(extras, 16, statement)
    body?.withUnsafeBytes { bytes in
      _ = sqlite3_bind_text(
        statement, 17, bytes.bindMemory(to: CChar.self).baseAddress, Int32(bytes.count),
        csqlite_transient())
    }
    guard sqlite3_step(statement) == SQLITE_DONE else { throw SQLiteFault(code: SQLITE_ERROR) }
    sqlite3_reset(statement)
    sqlite3_clear_bindings(statement)
  }

  private func bind(_ text: String, _ place: Int32, _ statement: OpaquePointer?) {
    var text = text
    text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { characters in
        _ = sqlite3_bind_text(
          statement, place, characters.baseAddress, Int32(characters.count), csqlite_transient())
      }
    }
  }

  func sync(_ data: Data, _ upsert: String, keepsBody: Bool) throws {
    let cards = try JSONDecoder().decode(Cards.self, from: data).cards
    let encoder = JSONEncoder()
    let statement = try prepare(upsert)
    try run("BEGIN IMMEDIATE")
    for card in cards {
      let extras = String(decoding: try encoder.encode(card.e), as: UTF8.self)
      try put(card, extras, keepsBody ? try encoder.encode(card) : nil, by: statement)
    }
    try run("COMMIT")
    sqlite3_finalize(statement)
  }

  func count(_ sql: String) throws -> (rows: Int, check: Int) {
    let statement = try prepare(sql)
    defer { sqlite3_finalize(statement) }
    guard sqlite3_step(statement) == SQLITE_ROW else { throw SQLiteFault(code: SQLITE_ERROR) }
    return (Int(sqlite3_column_int64(statement, 0)), Int(sqlite3_column_double(statement, 1)))
  }
}

let arguments = CommandLine.arguments
guard arguments.count == 9 else { exit(64) }
let table = try Table(arguments[1], arguments[5], arguments[6])
var line = Line()
for (name, file) in [("first", arguments[2]), ("second", arguments[3])] {
  guard let bytes = Kernel.bytes(of: file) else { exit(66) }
  let data = Data(bytes)
  let watch = Stopwatch()
  try table.sync(data, arguments[7], keepsBody: arguments[4] == "body")
  line.add(name, watch.passed)
  if name == "first" { line.add("peak_kb", Kernel.peakKilobytes()) }
  let (rows, check) = try table.count(arguments[8])
  line.add(name, rows: rows, check: check)
}
try table.run("PRAGMA wal_checkpoint(TRUNCATE)")
line.print()
