import EngagementFormats
import EngagementJSON
import EngagementModel
import EngagementPlatform
import Foundation
import Testing

@testable import EngageCommands

/// `engage verify` over folders that are whole by their digests, and files while they get their names.
@Suite struct VerifyTests {
  /// 2026-10-01T09:00:00Z, the time of the first event.
  private static let start: Int64 = 1_790_845_200_000

  /// A folder with one file of the events.
  private static func stage(
    _ events: RecordedEvents, at path: String = "events.ndjson", by partition: [String] = [],
    times: ClosedRange<Int64> = VerifyTests.start...VerifyTests.start, missing: Int = 0
  ) throws -> CommandLineFixture {
    let stage = try CommandLineFixture()
    let (bytes, count) = (Array(events.ndjson.utf8), events.lines.count)
    let last = Int64(count + missing)
    let file = ExportManifest.File(
      path: path, bytes: bytes.count, sha256: SHA256.digest(of: bytes).description, events: count,
      sequences: 1...last, times: times)
    let manifest = ExportManifest(
      header: .init(
        source: "urn:uuid:1", format: "ndjson", partition: partition, selection: "every event"),
      after: 0, through: last, dropped: missing > 0 ? ["gone": missing] : [:], files: [file])
    for file in ["out/_manifests/\(manifest.name)", "out/\(path)"] {
      try FileManager.default.createDirectory(
        at: stage.folder.appending(path: file).deletingLastPathComponent(),
        withIntermediateDirectories: true)
    }
    try stage.write(events.ndjson, to: "out/\(path)")
    try stage.write(
      String(decoding: manifest.encoded, as: UTF8.self), to: "out/_manifests/\(manifest.name)")
    return stage
  }

  /// Two events of a vendor, a second apart.
  private static func events(
    from providers: [String] = ["braze", "braze"], _ second: JSONObject = [:]
  ) -> RecordedEvents {
    var events = RecordedEvents()
    events.addCard("delivered", by: "ada", from: providers[0])
    var members: JSONObject = ["provider": .string(providers[1])]
    for member in second.members { members[member.key] = member.value }
    events.add("card.click", by: "ada", members, second: 1)
    return events
  }

  private static let places: [(String, [String])] = [
    ("events.ndjson", []), ("vendor=braze/e.ndjson", ["vendor"]),
    ("vendor=braze/day=2026-10-01/e.ndjson", ["vendor", "day"]), ("week=1/e.ndjson", ["week"]),
  ]

  @Test("X14: a folder whose events are as its manifest says is whole", arguments: places)
  func whole(path: String, partition: [String]) async throws {
    let stage = try Self.stage(
      Self.events(), at: path, by: partition, times: Self.start...Self.start + 1_000)
    let ending = await stage.engage("verify", "out")
    #expect(ending.status == .done, "\(ending)")
  }

  @Test("X14: two events with one id are told, though their sequences differ")
  func oneID() async throws {
    let stage = try Self.stage(
      Self.events(["id": "event-0"]), times: Self.start...Self.start + 1_000)
    let ending = await stage.engage("verify", "out")
    #expect(ending.status == .failed)
    #expect(
      ending.output.hasPrefix("events.ndjson: 2 of its events have the id of another event.\n"),
      "\(ending)")
  }

  @Test("X14: times of a manifest that are not those of the events are told")
  func times() async throws {
    let stage = try Self.stage(Self.events())
    let ending = await stage.engage("verify", "out")
    #expect(ending.status == .failed)
    #expect(
      ending.output.hasPrefix(
        "events.ndjson: Its events have other times than the manifest says.\n"), "\(ending)")
  }

  @Test("X14: sequences of a manifest that are not those of the events are told")
  func sequences() async throws {
    let stage = try Self.stage(
      Self.events(), times: Self.start...Self.start + 1_000, missing: 1)
    let ending = await stage.engage("verify", "out")
    #expect(ending.status == .failed)
    #expect(
      ending.output.hasPrefix(
        "events.ndjson: Its events have other sequences than the manifest says.\n"), "\(ending)")
  }

  private static let strangePlaces: [(String, [String])] = [
    ("vendor=braze/e.ndjson", ["vendor"]), ("vendor=braze/e.ndjson", []),
    ("day=2026-10-02/vendor=braze/e.ndjson", ["day", "vendor"]),
  ]

  @Test("X14: events in a file of another vendor or day are told", arguments: strangePlaces)
  func strange(path: String, partition: [String]) async throws {
    let stage = try Self.stage(
      Self.events(from: ["braze", "vibes"]), at: path, by: partition,
      times: Self.start...Self.start + 1_000)
    let ending = await stage.engage("verify", "out")
    #expect(ending.status == .failed)
    #expect(
      ending.output.contains("events belong to a file of another vendor, day or kind."),
      "\(ending)")
  }

  @Test(
    "X14 X20: whether a file may be kept is asked right before it gets its name, and right after",
    arguments: [1, 2, 3])
  func asked(failing: Int) async throws {
    let stage = try CommandLineFixture()
    let path = stage.folder.appending(path: "e.ndjson").path
    let named = Locked<[Bool]>([])
    do {
      let file = try NewFile(path)
      try file.write([UInt8(ascii: "{")])
      try await file.finish {
        let count = named.withLock { named in
          named.append(FileManager.default.fileExists(atPath: path))
          return named.count
        }
        if count == failing { throw EngagementError(.conflict, "A user was erased.") }
      }
    } catch let error as EngagementError where error.code == .conflict {}
    #expect(named.withLock { $0 } == Array([false, true].prefix(failing)))
    #expect(try stage.names() == (failing > 2 ? ["e.ndjson"] : []))
  }

  @Test("X14: an error of a full disk says the next step")
  func fullDisk() {
    let full = DraftFile.failure("e cannot be written.", ENOSPC)
    #expect(full.message == "e cannot be written. Make room and run it again; nothing is lost.")
    #expect(DraftFile.failure("e cannot be written.", EIO).message == "e cannot be written.")
  }
}
