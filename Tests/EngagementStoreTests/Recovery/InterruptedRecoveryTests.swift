import EngagementModel
import Foundation
import TestDisk
import Testing

@testable import EngagementStore

/// Recreates the files as a kill between two steps of a recovery leaves them.
@Suite struct InterruptedRecoveryTests {
  // The suite holds the folder, so that it outlives the files that a test opens in it.
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func move(_ old: String, _ new: String) throws {
    try FileManager.default.moveItem(atPath: scratch.path() + old, toPath: scratch.path() + new)
  }

  @Test(
    "G8 G9: the next open completes a recovery that another process began",
    arguments: ["taken", "with log", "empty file", "fresh file"])
  func resumed(state: String) throws {
    try scratch.fillNotes(keepingLog: true)
    try move("", ".damaged")
    switch state {
    case "with log":
      try move("-wal", ".damaged-wal")
    case "empty file": try scratch.write(Data())
    case "fresh file":
      try move("-wal", ".damaged-wal")
      let fresh = try Scratch()
      try fresh.fillNotes(1)
      try scratch.write(fresh.bytes())
    default: break
    }
    var opened = try scratch.openNotes()
    let done = opened.recovery
    let recovery = try #require(done)
    #expect(!recovery.mayHaveLostRows)
    #expect(recovery.savedRows == (state == "fresh file" ? 199 : 200))
    #expect(try opened.database.notes().count == 200)
    #expect(try scratch.names().allSatisfy { !$0.contains("damaged") && !$0.contains("recovery") })
  }

  @Test("G8: with two damaged caches the store still opens, and the rows of the first are saved")
  func twice() throws {
    try scratch.fillNotes(10)
    try move("", ".damaged")
    let other = try Scratch()
    try other.fillNotes(20)
    var bytes = try other.bytes()
    bytes[0] ^= 0xff
    try scratch.write(bytes)
    var opened = try scratch.openNotes()
    #expect(opened.recovery?.savedRows == 10)
    #expect(opened.recovery?.mayHaveLostRows == true)
    #expect(try opened.database.notes().count == 10)
    #expect(try scratch.names().filter { $0.contains("corrupt") && !$0.contains("Z-") }.count == 1)
    #expect(try scratch.names().contains { $0.hasSuffix("Z-2") })
  }

  @Test("G12: if the fresh cache cannot be written, the damaged one is kept for the next open")
  func fullDisk() throws {
    try scratch.fillNotes()
    try move("", ".damaged")
    #expect(throws: EngagementError.self) {
      try FaultyDisk.failing(.write, under: scratch.folder.path) { _ = try scratch.openNotes() }
    }
    #expect(try scratch.names().contains("cache.sqlite.damaged"))
    var opened = try scratch.openNotes()
    #expect(opened.recovery?.savedRows == 200)
    #expect(try opened.database.notes().count == 200)
  }

  @Test("G11: opening during another recovery throws `busy`, then finds the saved rows")
  func together() throws {
    try scratch.fillNotes()
    try move("", ".damaged")
    var lock = try SideLock(at: scratch.path() + ".recovery")
    try lock.acquire(within: .zero)
    let error = failure { () throws(EngagementError) in
      _ = try scratch.openNotes(wait: .milliseconds(5))
    }
    #expect(error?.code == .busy)
    lock.release()
    #expect(try scratch.openNotes().recovery?.savedRows == 200)
    #expect(try scratch.openNotes().recovery == nil)
  }

  @Test("G11: a cache that another process already replaced is not set aside again")
  func overtaken() throws {
    try scratch.fillNotes()
    let file = try StoreFile(scratch.path())
    let stale = try DamagedFiles(of: file).present
    try move("", ".elsewhere")
    let fresh = try Scratch()
    try fresh.fillNotes(3)
    try scratch.write(fresh.bytes())
    try DamagedFiles(of: file).take(stale, within: .zero)
    #expect(try !DamagedFiles(of: file).areWaiting)
    var opened = try scratch.openNotes()
    #expect(opened.recovery == nil)
    #expect(try opened.database.notes().count == 3)
  }

  @Test("G1: a write through a connection to a replaced file throws `replacedCache`")
  func otherConnection() throws {
    try scratch.fillNotes()
    var old = try scratch.openNotes()
    try move("", ".elsewhere")
    let error = failure { () throws(EngagementError) in
      try old.database.write("INSERT INTO note VALUES (999, 'lost')")
    }
    #expect(error == .replacedCache)
    #expect(error?.isReplacedCache == true)
    #expect(error?.isDamagedCache == false)
  }
}
