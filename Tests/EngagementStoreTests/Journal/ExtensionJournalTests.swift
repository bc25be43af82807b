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
  // Held by the suite, so that the folder outlives whatever the test opened in it.
  private let scratch: Scratch
  private let journal: ExtensionJournal

  init() throws {
    scratch = try Scratch()
    journal = try ExtensionJournal(ofCacheAt: scratch.path())
  }

  private func bytes() throws -> Data { try scratch.bytes("cache.sqlite.journal") }

  /// Everything that a fold hands over.
  private func folded() async throws(EngagementError) -> (
    entries: [Entry], fold: ExtensionJournal.Fold
  ) {
    var entries: [Entry] = []
    let fold = try await journal.fold { (found, _) async throws(EngagementError) in
      entries += found
    }
    return (entries, fold)
  }

  @Test("X6 what an extension left is folded in once, in order, with every field")
  func folding() async throws {
    let entries = [event(1), push(2), action(3), push(4, text: "\u{1f600}\u{202e}\"\\\n")]
    for entry in entries { try journal.append(entry) }
    #expect(try scratch.mode(of: scratch.path("cache.sqlite.journal")) == 0o600)
    let found = try await folded()
    #expect(found.entries == entries)
    #expect(found.fold == ExtensionJournal.Fold(entries: 4))
    #expect(try bytes().isEmpty)
    #expect(try await folded().entries.isEmpty)
    try journal.append(event(5))
    #expect(try await folded().entries == [event(5)])
  }

  @Test("where there is no journal nothing is handed over, and nothing made")
  func nothing() async throws {
    #expect(try await folded().fold == ExtensionJournal.Fold())
    try journal.erase()
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.folder.path).isEmpty)
  }

  @Test("G13 what comes after a fold is done before an extension can add more")
  func last() async throws {
    for entries in [[event(1)], []] {
      for entry in entries { try journal.append(entry) }
      var isDone = false
      _ = try await journal.fold(
        then: { () async throws(EngagementError) in
          let error = failure { () throws(EngagementError) in
            try journal.append(event(2), within: .milliseconds(5))
          }
          #expect(error?.code == .busy)
          isDone = true
        }, { (_, _) async throws(EngagementError) in })
      #expect(isDone)
    }
    #expect(try await folded().entries.isEmpty)
  }

  @Test("G1 what could not be committed is there for the next fold")
  func refusedCommit() async throws {
    try journal.append(event(1))
    let refusal = EngagementError(.storage, "The disk is full")
    await #expect(throws: refusal) {
      _ = try await journal.fold { (_, _) async throws(EngagementError) in throw refusal }
    }
    #expect(try await folded().entries == [event(1)])
  }

  @Test("G1 a kill between the commit and the emptying hands over the same ids again")
  func killedFold() async throws {
    try journal.append(event(1))
    try journal.append(push(2))
    let before = try bytes()
    let first = try await folded().entries
    try scratch.write(before, to: "cache.sqlite.journal")
    #expect(try await folded().entries.map(\.id) == first.map(\.id))
  }

  @Test(
    "G9 a torn entry costs itself: what is appended behind it is found", arguments: [1, 9, 25, 60])
  func torn(count: Int) async throws {
    try journal.append(event(1))
    let whole = try bytes().count
    try journal.append(event(2))
    try scratch.write(bytes().prefix(whole + count), to: "cache.sqlite.journal")
    try journal.append(push(3))
    let found = try await folded()
    #expect(found.entries == [event(1), push(3)])
    #expect(found.fold.damaged == 1)
  }

  @Test("G9 a damaged entry is skipped and counted, also where its frame is sound")
  func damaged() async throws {
    try journal.append(event(1))
    var bytes = try bytes()
    bytes[40] ^= 1
    let strange = try JournalFrame.bytes(around: Array(#"{"later":"kind"}"#.utf8))
    try scratch.write(bytes + Data(strange), to: "cache.sqlite.journal")
    try journal.append(event(2))
    let found = try await folded()
    #expect(found.entries == [event(2)])
    #expect(found.fold == ExtensionJournal.Fold(entries: 1, damaged: 2))
    #expect(try self.bytes().isEmpty)
  }

  @Test("G7 a full journal refuses more, keeps what it has, and is emptied by a fold")
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
    #expect(try await folded().entries.count == 18)
    try journal.append(push(0, text: text))
  }

  @Test(
    "what could not be read again is refused",
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

  @Test("G11 an extension waits no longer than it may while the application folds")
  func busy() async throws {
    try journal.append(event(1))
    _ = try await journal.fold { (_, _) async throws(EngagementError) in
      let error = failure { () throws(EngagementError) in
        try journal.append(event(2), within: .milliseconds(5))
      }
      #expect(error?.code == .busy)
      do throws(EngagementError) {
        _ = try await journal.fold(within: .milliseconds(5)) {
          (_, _) async throws(EngagementError) in
        }
        Issue.record("Two folded at once")
      } catch {
        #expect(error.code == .busy)
      }
    }
    try journal.append(event(3))
    #expect(try await folded().entries == [event(3)])
  }

  @Test("G11 many who append at once lose nothing")
  func concurrent() async throws {
    await withTaskGroup { group in
      for index in 0..<40 {
        group.addTask {
          #expect(throws: Never.self) { try journal.append(event(index), within: .seconds(30)) }
        }
      }
    }
    #expect(try await folded().entries.count == 40)
  }

  @Test("G12 a disk that is full leaves no half of an entry", .enabled(if: hasFullDevice))
  func fullDisk() throws {
    let full = try OpenFile("/dev/full", O_WRONLY, called: "journal")
    let error = failure { () throws(EngagementError) in try full.write([1]) }
    #expect(error?.code == .storage)
    #expect(error?.underlying == "errno \(ENOSPC)")
  }

  @Test("G14 erasing leaves nothing of anybody")
  func erased() async throws {
    try journal.append(push(1, text: "canary"))
    try journal.erase()
    #expect(try bytes().isEmpty)
  }

  @Test(
    "a link, a folder and a pipe in its place are refused", arguments: ["link", "folder", "pipe"])
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
    let error = failure { () throws(EngagementError) in try journal.append(event(1)) }
    #expect(error?.code == .unreadable)
    #expect(!FileManager.default.fileExists(atPath: scratch.path("victim")))
  }
}

private let hasFullDevice = FileManager.default.fileExists(atPath: "/dev/full")

private func nested(_ depth: Int) -> JSON { depth == 0 ? .null : .array([nested(depth - 1)]) }
