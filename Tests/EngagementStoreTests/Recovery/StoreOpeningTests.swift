import EngagementModel
import Foundation
import Testing

@testable import EngagementStore

@Suite struct StoreOpeningTests {
  // The suite holds the folder, so that it outlives the files that a test opens in it.
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func damage(_ range: Range<Int>, with byte: UInt8 = 0xa5) throws {
    var bytes = try scratch.bytes()
    bytes.replaceSubrange(range, with: Data(repeating: byte, count: range.count))
    try scratch.write(bytes)
  }

  @Test("an intact cache opens without a recovery")
  func sound() throws {
    try scratch.fillNotes()
    var opened = try scratch.openNotes()
    #expect(opened.recovery == nil)
    #expect(try opened.database.notes().count == 200)
    #expect(try scratch.names().allSatisfy { !$0.contains("corrupt") })
  }

  @Test("G9: a cache with a damaged header is set aside unchanged, and a fresh one replaces it")
  func damagedStart() throws {
    try scratch.fillNotes()
    try damage(0..<16)
    let bytes = try scratch.bytes()
    var opened = try scratch.openNotes()
    let done = opened.recovery
    let recovery = try #require(done)
    let place = try #require(recovery.setAside)
    #expect(place.hasSuffix("cache.sqlite.corrupt-20260921T120000Z"))
    #expect(recovery.savedRows == 200, "the pages behind the header are whole")
    #expect(try Data(contentsOf: URL(filePath: place)) == bytes)
    #expect(try scratch.mode(of: place) == 0o600)
    #expect(try opened.database.notes().count == 200)
    try opened.database.write("INSERT INTO note VALUES (1000, 'new')")
    #expect(try scratch.openNotes().recovery == nil)
  }

  @Test("G9: rows on both sides of a damaged page are saved")
  func damagedMiddle() throws {
    try scratch.fillNotes()
    try damage(4096 * 4..<4096 * 4 + 200)
    var opened = try scratch.openNotes(isSuspect: true)
    let done = opened.recovery
    let recovery = try #require(done)
    let notes = try opened.database.notes()
    #expect(recovery.mayHaveLostRows)
    #expect(recovery.savedRows == notes.count)
    #expect(notes[1] != nil && notes[200] != nil && notes.count > 100 && notes.count < 200)
    #expect(notes.allSatisfy { $1 == NoteCache.body($0) })
  }

  @Test("G9: recovery drops a row that fails its check and reports possible loss")
  func damagedRow() throws {
    try scratch.fillNotes(keepingLog: false)
    var bytes = try scratch.bytes()
    let row = try #require(bytes.range(of: Data(NoteCache.body(7).utf8)))
    bytes[row.lowerBound + 20] ^= 1
    // Damage to the first page, so that the opening sets the cache aside.
    bytes[40] ^= 0xff
    try scratch.write(bytes)
    var opened = try scratch.openNotes(isSuspect: true)
    if let recovery = opened.recovery {
      #expect(recovery.mayHaveLostRows)
      #expect(try opened.database.notes()[7] == nil)
    }
  }

  @Test("G9: recovery also saves rows that are only in the log")
  func log() throws {
    try scratch.fillNotes(100)
    var opened = try scratch.openNotes()
    try opened.database.write(
      "INSERT INTO note VALUES (101, ?)", .text(NoteCache.body(101)))
    let (log, file) = (try scratch.bytes("cache.sqlite-wal"), try scratch.bytes())
    #expect(file.range(of: Data(NoteCache.body(101).utf8)) == nil)
    let other = try Scratch()
    try other.write(file)
    try other.write(log, to: "cache.sqlite-wal")
    let recovered = try StoreOpening(
      path: other.path(), migrations: NoteCache.migrations,
      salvaging: { (damaged, fresh) throws(EngagementError) in
        try NoteCache.salvage(damaged, into: &fresh)
      })
    var calls = 0
    var saved = try recovered.open(at: Scratch.noon) { (_) throws(EngagementError) in
      // The first check fails, as if the file were damaged.
      calls += 1
      if calls == 1 { throw .damagedCache }
    }
    #expect(saved.recovery?.savedRows == 101)
    #expect(saved.recovery?.mayHaveLostRows == false)
    #expect(try saved.database.notes()[101] == NoteCache.body(101))
    #expect(try other.names().contains { $0.hasSuffix("Z-wal") })
  }

  @Test("G9: after damage to the log nobody says that nothing was lost")
  func cutLog() throws {
    try scratch.fillNotes(100)
    try scratch.write(Data(count: 31), to: "cache.sqlite-wal")
    let recovery = try scratch.openNotes().recovery
    #expect(recovery?.savedRows == 100)
    #expect(recovery?.mayHaveLostRows == true)
  }

  @Test("G14: a cache that others could read is set aside as its owner's alone")
  func modes() throws {
    try scratch.fillNotes()
    try damage(0..<16)
    chmod(scratch.path(), 0o644)
    let place = try scratch.openNotes().recovery?.setAside
    #expect(try scratch.mode(of: try #require(place)) == 0o600)
  }

  @Test("G9: an emptied cache file is set aside together with its log, whose rows are saved")
  func emptied() throws {
    try scratch.fillNotes(keepingLog: true)
    let log = try scratch.bytes("cache.sqlite-wal")
    try scratch.write(Data())
    var opened = try scratch.openNotes()
    let done = opened.recovery
    let recovery = try #require(done)
    #expect(recovery.savedRows == 200)
    #expect(try Data(contentsOf: URL(filePath: try #require(recovery.setAside) + "-wal")) == log)
    #expect(try opened.database.notes().count == 200)
  }

  @Test("G9: a log without its file is set aside, its rows are saved, and no other file gets it")
  func orphanedLog() throws {
    try scratch.fillNotes(keepingLog: true)
    try FileManager.default.removeItem(atPath: scratch.path())
    var opened = try scratch.openNotes()
    #expect(opened.recovery?.savedRows == 200)
    #expect(try opened.database.notes().count == 200)
  }

  @Test("only the three newest damaged caches are kept")
  func bounded() throws {
    for step in 0..<5 {
      if step == 0 { try scratch.fillNotes(20) }
      var opened = try scratch.openNotes()
      try opened.database.checkpoint(.truncate)
      try damage(0..<16)
      _ = try scratch.openNotes(at: Scratch.noon.addingTimeInterval(Double(step / 2)))
    }
    let kept = try scratch.names().filter { $0.contains("corrupt") && !$0.hasSuffix("m") }
    #expect(
      kept.filter { !$0.hasSuffix("-wal") } == [
        "cache.sqlite.corrupt-20260921T120001Z", "cache.sqlite.corrupt-20260921T120001Z-2",
        "cache.sqlite.corrupt-20260921T120002Z",
      ])
  }

  @Test("G14: removing damaged caches also removes the files beside them")
  func removal() throws {
    try scratch.fillNotes(20, keepingLog: true)
    try damage(0..<16)
    _ = try scratch.openNotes()
    try DamagedFiles(of: StoreFile(scratch.path())).removeAll()
    #expect(try scratch.names().allSatisfy { !$0.contains("corrupt") })
  }
}
