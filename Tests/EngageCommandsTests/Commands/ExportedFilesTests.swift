import EngagementEmulator
import EngagementJSON
import EngagementModel
import Foundation
import TestSupport
import Testing

@testable import EngageCommands

/// Files that were damaged after they were exported, and names that say what is in a file.
@Suite(.timeLimit(.minutes(20))) struct ExportedFilesTests {
  private static func filled() async throws -> CommandScene {
    let scene = try await CommandScene()
    await scene.engage("sync")
    await scene.engage("track", "Coffee")
    await scene.emulator.stop()
    return scene
  }

  private static func file(_ name: String, in scene: CommandScene) -> URL {
    scene.stage.folder.appending(path: name)
  }

  /// The files of events in a folder.
  private static func files(of folder: String, in scene: CommandScene) throws -> [String] {
    try ExportFolder.files(in: file(folder, in: scene).path).map { "\(folder)/\($0)" }.sorted()
  }

  @Test(
    "X14: a file that its manifest does not know, or that is gone, is told and left out",
    arguments: ["gone", "short", "changed"])
  func damaged(how: String) async throws {
    let scene = try await Self.filled()
    await scene.engage(
      "export", "--partition", "vendor", "--format", "parquet", "--out", "out")
    let all = try Self.files(of: "out", in: scene)
    #expect(all.count > 1)
    let place = Self.file(all[0], in: scene)
    var bytes = try Data(contentsOf: place)
    let text =
      switch how {
      case "gone": "It is not there."
      case "short": "It has \(bytes.count - 1) bytes, and the manifest says \(bytes.count)."
      default: "Its SHA-256 is not the one of the manifest."
      }
    switch how {
    case "gone": try FileManager.default.removeItem(at: place)
    case "short": try bytes.dropLast().write(to: place)
    default:
      bytes[20] ^= 1
      try bytes.write(to: place)
    }
    let ending = await scene.stage.engage("import", "out", "--into", "all.ndjson")
    #expect(ending.status == .failed && ending.errors.contains(text), "\(ending)")
    #expect(ending.errors.contains("\(all[0]): ") && ending.errors.contains("left out"))
    let whole = all.dropFirst().joined(separator: " ")
    _ = await scene.stage.run(
      ["import"] + whole.split(separator: " ").map(String.init) + ["--into", "others.ndjson"])
    #expect(
      try Data(contentsOf: Self.file("all.ndjson", in: scene))
        == Data(contentsOf: Self.file("others.ndjson", in: scene)))
    let comparison = await scene.stage.engage("compare", "--from", "out")
    #expect(comparison.errors.contains(text), "\(comparison)")
  }

  @Test("X14: of a compressed file that was cut, the events before the cut are imported")
  func cut() async throws {
    let scene = try await Self.filled()
    await scene.engage("export", "--out", "whole.ndjson.gz")
    let bytes = try Data(contentsOf: Self.file("whole.ndjson.gz", in: scene))
    try bytes.dropLast(9).write(to: Self.file("cut.ndjson.gz", in: scene))
    let ending = await scene.stage.engage("import", "cut.ndjson.gz", "--into", "all.ndjson")
    #expect(ending.status == .failed && ending.output.contains("added to all.ndjson"))
    #expect(ending.errors == "cut.ndjson.gz: The compressed data ends too early.\n")
  }

  @Test("X14: a file without an event makes no collection, and its lines are not all told")
  func foreign() async throws {
    let stage = try CommandLineFixture()
    try stage.write(String(repeating: "nonsense\n", count: 500), to: "a.ndjson")
    let ending = await stage.engage("import", "a.ndjson", "--into", "all.ndjson")
    #expect(ending.status == .failed && ending.errors.contains("all.ndjson is not written"))
    #expect(ending.errors.contains("480 more lines hold no event."))
    #expect(try stage.names() == ["a.ndjson"])
  }

  @Test(
    "X14: the name of a file says its format and compression",
    arguments: [
      ("e.csv", [0x69, 0x64, 0x2c]), ("e.parquet", [0x50, 0x41, 0x52]),
      ("e.ndjson.gz", [0x1f, 0x8b]), ("e.csv.zst", [0x28, 0xb5, 0x2f]), ("e.json", [0x7b]),
    ] as [(String, [UInt8])])
  func named(name: String, beginning: [UInt8]) async throws {
    let scene = try await Self.filled()
    await scene.engage("export", "--out", name)
    #expect(try Data(contentsOf: Self.file(name, in: scene)).starts(with: beginning))
  }

  @Test(
    "X14: a name that contradicts an option is refused",
    arguments: [
      ["--format", "csv", "--out", "e.ndjson"], ["--gzip", "--out", "e.csv.zst"],
      ["--out", "e.parquet.gz"],
    ])
  func contradicted(options: [String]) async throws {
    let scene = try await Self.filled()
    let ending = await scene.stage.run(["export"] + options)
    #expect(ending.status == .usage && ending.errors.contains("--out"), "\(ending)")
    #expect(try !scene.stage.names().contains { $0.hasPrefix("e.") })
  }

  @Test("X14: drafts of killed programs are removed, and those of running ones stay")
  func abandoned() async throws {
    let scene = try await Self.filled()
    let drafts = ["0123456789abcdef", "0123456789abcde0"].map { "e.csv.part-\($0)" }
    let others = ["e.csv.part-1", "e.csv.part-0123456789abcdeg", "f.csv.part-0123456789abcdef"]
    for name in drafts + others { try scene.stage.write("x", to: name) }
    let holder = try ChildProcess(
      "/usr/bin/flock",
      ["-x", "--no-fork", Self.file(drafts[1], in: scene).path, "sh", "-c", "echo held; exec cat"],
      input: .pipe, output: .pipe)
    #expect(try holder.line() == "held")
    await scene.engage("export", "--out", "e.csv")
    let names = try scene.stage.names().filter { $0.contains(".part-") }
    #expect(names.sorted() == ([drafts[1]] + others).sorted())
  }

  @Test("X14: a provider that is not configured, and a key that can be guessed, are told")
  func doubtful() async throws {
    let scene = try await Self.filled()
    let ending = await scene.stage.engage("export", "--provider", "brase")
    #expect(ending.status == .done && ending.output.isEmpty)
    #expect(ending.errors.contains(#"did you mean "braze"?"#), "\(ending.errors)")
    try scene.stage.write("short", to: "hash.key")
    let short = await scene.stage.engage("export", "--user-hash-key", "hash.key")
    #expect(short.status == .done && short.errors.contains("hash.key has 5 bytes"))
    try scene.stage.write(String(repeating: "k", count: 32), to: "hash.key")
    let long = await scene.stage.engage("export", "--user-hash-key", "hash.key")
    #expect(!long.errors.contains("hash.key"))
  }
}
