import EngagementModel
import Foundation
import Testing

@testable import EngagementStore

@Suite struct SalvageTests {
  // The suite holds the folder, so that it outlives the files that a test opens in it.
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func ids(
    _ database: inout Database, _ read: (borrowing Row) -> Int64? = { $0.integer(0) }
  ) -> Database.Salvaged<Int64> { database.salvage("id, body", from: "note", read: read) }

  @Test("salvage reads an intact table once, from the first row to the last")
  func sound() throws {
    try scratch.fillNotes(300)
    var opened = try scratch.openNotes()
    var rows = 0
    let found = ids(&opened.database) { row in
      rows += 1
      return row.integer(0)
    }
    #expect(found.isComplete)
    #expect(found.inOrder == Array(1...300))
    #expect(rows == 300)
  }

  @Test("G9: salvage skips invalid rows and reports the table as incomplete")
  func unsound() throws {
    try scratch.fillNotes(300)
    var opened = try scratch.openNotes()
    let found = ids(&opened.database) { $0.integer(0) % 3 == 0 ? nil : $0.integer(0) }
    #expect(!found.isComplete)
    #expect(found.inOrder == (1...300).filter { $0 % 3 != 0 })
  }

  @Test("G9: salvage reads the rows before and after a damaged page", arguments: 3...9)
  func hole(page: Int) throws {
    try scratch.fillNotes(300)
    var bytes = try scratch.bytes()
    try #require(bytes.count >= 4096 * 10)
    bytes.replaceSubrange(
      4096 * page..<4096 * (page + 1), with: Data(repeating: 0xa5, count: 4096))
    try scratch.write(bytes)
    var database = try scratch.open(.readOnly)
    let found = ids(&database)
    #expect(!found.isComplete)
    #expect((200..<300).contains(found.values.count))
    #expect(found.inOrder == found.inOrder.sorted())
  }

  @Test("G9: salvage ends when pages point to each other", .timeLimit(.minutes(20)))
  func circle() throws {
    try scratch.fillNotes(300)
    var bytes = try scratch.bytes()
    // Every child of the table's root becomes the first one.
    let root = try #require((1..<bytes.count / 4096).first { bytes[$0 * 4096] == 0x05 }) * 4096
    func number(_ place: Int) -> Int { Int(bytes[place]) << 8 | Int(bytes[place + 1]) }
    let cells = (0..<number(root + 3)).map { root + number(root + 12 + 2 * $0) }
    try #require(cells.count > 3)
    let child = bytes[cells[0]..<cells[0] + 4]
    for cell in cells { bytes.replaceSubrange(cell..<cell + 4, with: child) }
    try scratch.write(bytes)
    var database = try scratch.open(.readOnly)
    let found = ids(&database)
    #expect(!found.isComplete)
    #expect(found.values.count < 300)
  }

  @Test("G9: salvage of a missing table yields no rows and reports it as incomplete")
  func missing() throws {
    var database = try scratch.open(.create)
    let found = ids(&database)
    #expect(found.values.isEmpty && !found.isComplete)
  }
}
