import EngagementModel
import Foundation
import Testing

@testable import EngagementStore

private typealias Entry = ExtensionJournal.Entry

private func event(_ id: Int) -> Entry {
  let item = ItemReference(
    ItemID("braze", "i-\(id)"), on: .push, handle: ["trace": .string("t-\(id)")])
  return Entry(
    .event(
      EngagementEvent(
        id: EventID("e-\(id)"), kind: .receive, time: Scratch.noon, zoneOffset: 7200,
        provider: "braze", item: item, properties: ["n": .integer(Int64(id))])))
}

private func action(_ id: Int) -> Entry {
  let item = ItemReference(ItemID("braze", "i-\(id)"), on: .cards)
  return Entry(
    .action(
      .snooze(seconds: 60),
      EngagementEvent(id: EventID("a-\(id)"), kind: .snooze, time: Scratch.noon, item: item)),
    of: "u-1")
}

private func push(_ id: Int, text: String = "hello") -> Entry {
  Entry(
    .push(
      EventID("p-\(id)"), ["aps": ["alert": .string(text)], "n": .integer(Int64(id))],
      receivedAt: Scratch.noon))
}

@Suite struct ExtensionJournalTests {
  // The suite holds the folder, so that it outlives the files that a test opens in it.
  private let scratch: Scratch
  private let journal: ExtensionJournal

  init() throws {
    scratch = try Scratch()
    journal = try ExtensionJournal(ofCacheAt: scratch.path())
  }

  private func bytes() throws -> Data { try scratch.bytes("cache.sqlite.journal") }

  /// All entries that an import hands over, with its report.
  private func imported() async throws(EngagementError) -> (
    entries: [Entry], report: ExtensionJournal.ImportReport
  ) {
    var entries: [Entry] = []
    let report = try await journal.importEntries { (found, _) async throws(EngagementError) in
      entries += found
    }
    return (entries, report)
  }

  @Test("X6: an import hands over an extension's entries once, in order, with every field")
  func importing() async throws {
    let entries = [event(1), push(2), action(3), push(4, text: "\u{1f600}\u{202e}\"\\\n")]
    for entry in entries { try journal.append(entry) }
    #expect(try scratch.mode(of: scratch.path("cache.sqlite.journal")) == 0o600)
    let found = try await imported()
    #expect(found.entries == entries)
    #expect(found.report == ExtensionJournal.ImportReport(entries: 4))
    #expect(try bytes().isEmpty)
    #expect(try await imported().entries.isEmpty)
    try journal.append(event(5))
    #expect(try await imported().entries == [event(5)])
  }

  @Test("an import without a journal hands over nothing and creates no file")
  func nothing() async throws {
    #expect(try await imported().report == ExtensionJournal.ImportReport())
    try journal.erase()
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.folder.path).isEmpty)
  }

  @Test("G13: an extension cannot append until the work after an import is done")
  func last() async throws {
    for entries in [[event(1)], []] {
      for entry in entries { try journal.append(entry) }
      var isDone = false
      _ = try await journal.importEntries(
        then: { () async throws(EngagementError) in
          let error = failure { () throws(EngagementError) in
            try journal.append(event(2), within: .milliseconds(5))
          }
          #expect(error?.code == .busy)
          isDone = true
        }, { (_, _) async throws(EngagementError) in })
      #expect(isDone)
    }
    #expect(try await imported().entries.isEmpty)
  }

  @Test("G1: entries whose commit failed are handed over by the next import")
  func refusedCommit() async throws {
    try journal.append(event(1))
    let refusal = EngagementError(.storage, "The disk is full")
    await #expect(throws: refusal) {
      _ = try await journal.importEntries { (_, _) async throws(EngagementError) in throw refusal }
    }
    #expect(try await imported().entries == [event(1)])
  }

  @Test("G1: a kill between commit and emptying hands over the same ids again")
  func killedImport() async throws {
    try journal.append(event(1))
    try journal.append(push(2))
    let before = try bytes()
    let first = try await imported().entries
    try scratch.write(before, to: "cache.sqlite.journal")
    #expect(try await imported().entries.map(\.id) == first.map(\.id))
  }

  @Test(
    "G9: a torn entry is lost alone, and entries appended after it are read",
    arguments: [1, 9, 25, 60])
  func torn(count: Int) async throws {
    try journal.append(event(1))
    let whole = try bytes().count
    try journal.append(event(2))
    try scratch.write(bytes().prefix(whole + count), to: "cache.sqlite.journal")
    try journal.append(push(3))
    let found = try await imported()
    #expect(found.entries == [event(1), push(3)])
    #expect(found.report.damaged == 1)
  }

  @Test("G9: a damaged entry is skipped and counted, even in an intact frame")
  func damaged() async throws {
    try journal.append(event(1))
    var bytes = try bytes()
    bytes[40] ^= 1
    let strange = try JournalFrame.bytes(around: Array(#"{"later":"kind"}"#.utf8))
    try scratch.write(bytes + Data(strange), to: "cache.sqlite.journal")
    try journal.append(event(2))
    let found = try await imported()
    #expect(found.entries == [event(2)])
    #expect(found.report == ExtensionJournal.ImportReport(entries: 1, damaged: 2))
    #expect(try self.bytes().isEmpty)
  }

  @Test(
    "G7: a full journal refuses entries, keeps the accepted ones and takes more after an import")
  func full() async throws {
    let text = String(repeating: "x", count: 60_000)
    var count = 0
    let error = failure { () throws(EngagementError) in
      while count < 100 {
        try journal.append(push(count, text: text))
        count += 1
      }
    }
    #expect(error?.code == .queueFull)
    #expect(count == 17)
    #expect(try bytes().count <= ExtensionJournal.limit)
    try journal.append(event(99))
    #expect(try await imported().entries.count == 18)
    try journal.append(push(0, text: text))
  }

  @Test(
    "the journal refuses an entry that it could not read back",
    arguments: [
      push(1, text: "a\0b"), push(1, text: String(repeating: "x", count: 70_000)),
      Entry(.push("p", [:], receivedAt: Date(timeIntervalSince1970: 1e15))),
      Entry(.push("p", nested(80), receivedAt: Scratch.noon)),
    ])
  private func refused(entry: Entry) throws {
    let error = failure { () throws(EngagementError) in try journal.append(entry) }
    #expect(error?.code == .invalidArgument)
    #expect(!FileManager.default.fileExists(atPath: scratch.path("cache.sqlite.journal")))
  }

  @Test("G11: an append or import during another import throws `busy` after its time limit")
  func busy() async throws {
    try journal.append(event(1))
    _ = try await journal.importEntries { (_, _) async throws(EngagementError) in
      let error = failure { () throws(EngagementError) in
        try journal.append(event(2), within: .milliseconds(5))
      }
      #expect(error?.code == .busy)
      do throws(EngagementError) {
        _ = try await journal.importEntries(within: .milliseconds(5)) {
          (_, _) async throws(EngagementError) in
        }
        Issue.record("two imports ran at the same time")
      } catch {
        #expect(error.code == .busy)
      }
    }
    try journal.append(event(3))
    #expect(try await imported().entries == [event(3)])
  }

  @Test("G11: concurrent appends lose no entry")
  func concurrent() async throws {
    await withTaskGroup { group in
      for index in 0..<40 {
        group.addTask {
          #expect(throws: Never.self) { try journal.append(event(index), within: .seconds(30)) }
        }
      }
    }
    #expect(try await imported().entries.count == 40)
  }

  @Test(
    "G12: a journal write to a full disk throws a storage error with its errno",
    .enabled(if: hasFullDevice))
  func fullDisk() throws {
    let full = try OpenFile("/dev/full", O_WRONLY, called: "journal")
    let error = failure { () throws(EngagementError) in try full.write([1]) }
    #expect(error?.code == .storage)
    #expect(error?.underlying == "errno \(ENOSPC)")
  }

  @Test("G14: erasing the journal leaves an empty file")
  func erased() async throws {
    try journal.append(push(1, text: "canary"))
    try journal.erase()
    #expect(try bytes().isEmpty)
  }

  @Test(
    "G9: a link, a folder or a pipe in place of the journal is set aside, and counted at the import",
    arguments: ["link", "folder", "pipe"])
  func noPlainFile(kind: String) async throws {
    let path = scratch.path("cache.sqlite.journal")
    switch kind {
    case "link":
      try FileManager.default.createSymbolicLink(
        atPath: path, withDestinationPath: scratch.path("victim"))
    case "folder":
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    default: #expect(mkfifo(path, 0o600) == 0)
    }
    var counts: [Int] = []
    _ = try await journal.importEntries { (_, damaged) async throws(EngagementError) in
      counts.append(damaged)
    }
    #expect(counts == [1])
    try journal.append(event(1))
    let report = try await journal.importEntries { (_, _) async throws(EngagementError) in }
    #expect(report.entries == 1 && report.damaged == 0)
    #expect(!FileManager.default.fileExists(atPath: scratch.path("victim")))
  }
}

private let hasFullDevice = FileManager.default.fileExists(atPath: "/dev/full")

private func nested(_ depth: Int) -> JSON { depth == 0 ? .null : .array([nested(depth - 1)]) }
