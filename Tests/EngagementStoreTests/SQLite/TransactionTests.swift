import EngagementModel
import Foundation
import Glibc
import TestDisk
import Testing

@testable import EngagementStore

@Suite struct TransactionTests {
  // The suite holds the folder, so that it outlives the files that a test opens in it.
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private let stop = EngagementError(.cancelled, "Enough")

  @Test("G1: a transaction whose body throws is rolled back")
  func rollback() throws {
    var database = try scratch.notes()
    #expect(throws: stop) {
      try database.transaction { (database) throws(EngagementError) in
        try database.run("INSERT INTO note(body) VALUES (1)")
        throw stop
      }
    }
    #expect(try database.count() == 0)
    try database.write("INSERT INTO note(body) VALUES (2)")
    #expect(try database.count() == 1)
  }

  @Test("a transaction continues after a statement in it fails")
  func survivedFailure() throws {
    var database = try scratch.notes()
    try database.transaction { (database) throws(EngagementError) in
      try database.run("INSERT INTO note(id) VALUES (1)")
      _ = failure { () throws(EngagementError) in
        try database.run("INSERT INTO note(id) VALUES (1)")
      }
      try database.run("INSERT INTO note(id) VALUES (2)")
    }
    #expect(try database.count() == 2)
  }

  @Test("a nested transaction is refused, and the outer one continues")
  func nested() throws {
    var database = try scratch.notes()
    try database.transaction { (database) throws(EngagementError) in
      try database.run("INSERT INTO note(id) VALUES (1)")
      let error = failure { () throws(EngagementError) in
        try database.transaction { (_) throws(EngagementError) in }
      }
      #expect(error?.code == .internalFailure)
    }
    #expect(try database.count() == 1)
  }

  @Test("a write after a rollback inside the transaction's body is refused")
  func endedInside() throws {
    var database = try scratch.notes()
    let error = failure { () throws(EngagementError) in
      try database.transaction { (database) throws(EngagementError) in
        try database.run("INSERT INTO note(id) VALUES (1)")
        try database.connection.execute("ROLLBACK")
        try database.run("INSERT INTO note(id) VALUES (2)")
      }
    }
    #expect(error?.underlying == "SQLITE_ABORT")
    #expect(try database.count() == 0)
  }

  @Test("G11: a writer waits for another, throws `busy`, and can write afterwards")
  func busy() throws {
    var first = try scratch.notes()
    var second = try scratch.open(.readWrite, wait: .milliseconds(20))
    try first.transaction { (first) throws(EngagementError) in
      try first.run("INSERT INTO note(id) VALUES (1)")
      let error = failure { () throws(EngagementError) in
        try second.write("INSERT INTO note(id) VALUES (2)")
      }
      #expect(error?.code == .busy)
      #expect(
        failure { () throws(EngagementError) in try second.checkpoint(.passive) }?.code == .busy)
      #expect((try? second.count()) == 0)
    }
    try second.write("INSERT INTO note(id) VALUES (2)")
    #expect(try first.count() == 2)
  }

  @Test("G11: concurrent writers on many threads lose no row")
  func contention() async throws {
    var database = try scratch.notes()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<4 {
        group.addTask {
          var database = try scratch.open(.readWrite, wait: .seconds(60))
          for number in 0..<25 {
            try database.write(
              "INSERT INTO note(id) VALUES (?)", .integer(writer * 100 + number))
            if number % 10 == 0 { try database.checkpoint(.passive) }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try database.count() == 100)
    try database.verify()
  }

  @Test("a checkpoint moves the log into the file and reports completion")
  func checkpoint() throws {
    var database = try scratch.notes()
    try database.write("INSERT INTO note(id) VALUES (1)")
    let passive = try database.checkpoint(.passive)
    #expect(passive.logged > 0)
    #expect(passive.isComplete)
    try database.checkpoint(.truncate)
    #expect(try scratch.bytes("cache.sqlite-wal").isEmpty)
  }

  @Test("a checkpoint blocked by a reader reports that it is incomplete or throws `busy`")
  func heldUpCheckpoint() throws {
    var database = try scratch.notes(wait: .milliseconds(20))
    let reader = try scratch.open(.readOnly)
    try reader.connection.execute("BEGIN; SELECT count(*) FROM note")
    try database.write("INSERT INTO note(id) VALUES (1)")
    #expect(try !database.checkpoint(.passive).isComplete)
    #expect(
      failure { () throws(EngagementError) in try database.checkpoint(.truncate) }?.code == .busy)
    try reader.connection.execute("COMMIT")
    try database.checkpoint(.truncate)
  }

  @Test("closing the last connection leaves the log in place")
  func closing() throws {
    do {
      var database = try scratch.notes()
      try database.write("INSERT INTO note(id) VALUES (1)")
    }
    #expect(try !scratch.bytes("cache.sqlite-wal").isEmpty)
  }

  @Test(
    "G12: a full disk throws a typed error, keeps earlier rows and allows writes once there is room"
  )
  func full() throws {
    var database = try scratch.notes()
    try database.write("INSERT INTO note(id, body) VALUES (1, 'kept')")
    try database.connection.execute("PRAGMA max_page_count=8")
    let error = failure { () throws(EngagementError) in
      try database.write("INSERT INTO note(id, body) VALUES (2, zeroblob(100000))")
    }
    #expect(error?.code == .storage)
    #expect(error?.underlying == "SQLITE_FULL")
    #expect(!(error?.isDamagedCache ?? true))
    #expect(try database.first("SELECT body FROM note") { $0.text(0) } == "kept")
    try database.connection.execute("PRAGMA max_page_count=100000")
    try database.write("INSERT INTO note(id, body) VALUES (2, zeroblob(100000))")
    #expect(try database.count() == 2)
  }

  @Test(
    "G12: a commit that the disk refuses is rolled back, for later connections too",
    arguments: [
      FaultyDisk.Fault.write, .lateWrite,
    ])
  func failedCommit(fault: FaultyDisk.Fault) throws {
    var database = try scratch.notes()
    var insert = Statement("INSERT INTO note(id) VALUES (?)")
    try database.transaction { (database) throws(EngagementError) in
      try database.run(&insert, .integer(1))
    }
    let error = try FaultyDisk.failing(fault, under: scratch.folder.path) {
      failure { () throws(EngagementError) in
        try database.transaction { (database) throws(EngagementError) in
          try database.run(&insert, .integer(2))
        }
      }
    }
    #expect(error?.underlying == "SQLITE_IOERR_WRITE")
    #expect(database.isSuspect == true)
    #expect(try database.count() == 1)
    // The store replaces the connection here; the statement was prepared on the former one.
    try database.transaction { (database) throws(EngagementError) in
      try database.run(&insert, .integer(3))
    }
    #expect(database.isSuspect == false)
    #expect(try database.first("SELECT sum(id) FROM note") { $0.integer(0) } == 4)
    var other = try scratch.open(.readOnly)
    #expect(try other.first("SELECT sum(id) FROM note") { $0.integer(0) } == 4)
  }

  @Test(
    "G1: a commit that failed after reaching the log does not reappear after a reopen",
    arguments: [FaultyDisk.Fault.lateWriteOnce, .lateWrite])
  func noResurrection(fault: FaultyDisk.Fault) throws {
    do {
      var database = try scratch.notes()
      let error = try FaultyDisk.failing(fault, under: scratch.folder.path) {
        failure { () throws(EngagementError) in
          try database.write("INSERT INTO note(id) VALUES (1)")
        }
      }
      #expect(error?.underlying == "SQLITE_IOERR_WRITE")
      if fault == .lateWrite {
        // The disk also failed after the write, so the next transaction cleans up the log. This one
        // does so without writing anything itself.
        #expect(throws: stop) {
          try database.transaction { (_) throws(EngagementError) in throw stop }
        }
      }
    }
    var database = try scratch.open(.readWrite)
    #expect(try database.count() == 0)
  }

  @Test("G12: every write throws while the disk keeps failing")
  func lastingFailure() throws {
    var database = try scratch.notes()
    try FaultyDisk.failing(.write, under: scratch.folder.path) {
      for _ in 0..<3 {
        let error = failure { () throws(EngagementError) in
          try database.write("INSERT INTO note(id) VALUES (1)")
        }
        #expect(error?.code == .storage)
        #expect(database.isSuspect == true)
      }
    }
    try database.write("INSERT INTO note(id) VALUES (2)")
    #expect(try database.first("SELECT sum(id) FROM note") { $0.integer(0) } == 2)
  }
}
