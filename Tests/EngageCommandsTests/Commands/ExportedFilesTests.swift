import EngagementEmulator
import EngagementFormats
import EngagementJSON
import EngagementModel
import EngagementPlatform
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
    #expect(ending.output.hasSuffix(", 1 file damaged\n"), "\(ending.output)")
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

  @Test("X14: a column whose name is mistyped is told, and no event loses its value")
  func mistypedColumn() async throws {
    let scene = try await Self.filled()
    await scene.engage("export", "--out", "e.csv")
    let place = Self.file("e.csv", in: scene)
    let text = try String(contentsOf: place, encoding: .utf8)
    for name in ["Provider", "provder"] {
      try Data(text.replacing(",provider,", with: ",\(name),", maxReplacements: 1).utf8)
        .write(to: place)
      let ending = await scene.stage.engage("import", "e.csv", "--into", "all.ndjson")
      #expect(ending.status == .failed)
      #expect(
        ending.errors.contains(#"e.csv:1: "\#(name)" is no column; did you mean "provider"?"#))
      #expect(try !scene.stage.names().contains("all.ndjson"))
    }
  }

  @Test("X14: lines that are no events are told where nothing can be compared")
  func nothingToCompare() async throws {
    let stage = try CommandLineFixture()
    try stage.write("{nonsense\n", to: "a.ndjson")
    let ending = await stage.engage("compare", "--from", "a.ndjson")
    #expect(ending.status == .failed && ending.errors.contains("a.ndjson:1: It is no JSON object."))
    #expect(ending.errors.contains("There is no event to compare."))
  }

  @Test("X14: lines with the same fault are told together, with their numbers")
  func sameFaults() async throws {
    let stage = try CommandLineFixture()
    let good = RecordedEvents.vendors(people: 30).ndjson.split(separator: "\n")
    let lines = good.enumerated().flatMap { number, line in
      [String(line)] + (number < 25 ? ["{nonsense", "[]"] : [])
    }
    try stage.write(lines.joined(separator: "\n"), to: "a.ndjson")
    try stage.write("{\"id\":1}\n{\"id\":1}\n", to: "b.ndjson")
    let ending = await stage.engage("import", "a.ndjson", "b.ndjson", "--into", "all.ndjson")
    #expect(ending.status == .failed && ending.output.contains(", 52 lines bad\n"), "\(ending)")
    let numbers = (0..<5).map { "\(3 * $0 + 2)-\(3 * $0 + 3)" }
    #expect(
      ending.errors.hasPrefix("a.ndjson:\(numbers[0]),"), "\(ending.errors)")
    #expect(ending.errors.contains("more lines: It is no JSON object.\n"), "\(ending.errors)")
    #expect(ending.errors.contains("b.ndjson:1-2: "), "\(ending.errors)")
    #expect(ending.errors.split(separator: "\n").count <= 3, "\(ending.errors)")
  }

  @Test(
    "X14: a file that is named NDJSON is not taken for a table", arguments: ["\n\n", "nonsense\n"])
  func namedLines(beginning: String) async throws {
    let stage = try CommandLineFixture()
    try stage.write(beginning + RecordedEvents.vendors(people: 30).ndjson, to: "a.ndjson")
    let ending = await stage.engage("import", "a.ndjson", "--into", "all.ndjson")
    #expect(ending.output.contains("events added to all.ndjson"), "\(ending)")
    #expect(!ending.errors.contains("line of names"), "\(ending)")
    #expect((ending.status == .done) == (beginning == "\n\n"), "\(ending)")
  }

  @Test("X14: hidden files of a folder are not read, which is told")
  func hidden() async throws {
    let stage = try CommandLineFixture()
    let events = RecordedEvents.vendors(people: 30)
    try FileManager.default.createDirectory(
      at: stage.folder.appending(path: "in/.old"), withIntermediateDirectories: true)
    try stage.write(events.ndjson, to: "in/a.ndjson")
    try stage.write(events.ndjson, to: "in/.old/b.ndjson")
    try stage.write("", to: "in/.DS_Store")
    let note = "in: hidden files are not read: .old/b.ndjson. Name them to read them.\n"
    let ending = await stage.engage("import", "in", "--into", "all.ndjson")
    #expect(ending.status == .done && ending.errors.contains(note), "\(ending)")
    let comparison = await stage.engage("compare", "--from", "in")
    #expect(comparison.output.contains(note), "\(comparison)")
  }

  @Test("X14: a file without an event makes no collection, and its lines are not all told")
  func foreign() async throws {
    let stage = try CommandLineFixture()
    try stage.write(String(repeating: "{nonsense\n", count: 500), to: "a.ndjson")
    let ending = await stage.engage("import", "a.ndjson", "--into", "all.ndjson")
    #expect(ending.status == .failed && ending.errors.contains("all.ndjson is not written"))
    #expect(ending.errors.hasPrefix("a.ndjson:1-500: It is no JSON object.\n"), "\(ending)")
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

  @Test("X14: a program that was killed after it had named its file costs the file nothing")
  func namedDraft() async throws {
    let scene = try await Self.filled()
    await scene.engage("export", "--out", "e.csv")
    let text = try String(contentsOf: Self.file("e.csv", in: scene), encoding: .utf8)
    let draft = ".e.csv.engage-draft"
    try FileManager.default.linkItem(
      at: Self.file("e.csv", in: scene), to: Self.file(draft, in: scene))
    let again = await scene.stage.engage("export", "--out", "e.csv")
    #expect(again.status == .failed && again.errors.contains("is there already"))
    #expect(try String(contentsOf: Self.file("e.csv", in: scene), encoding: .utf8) == text)
    #expect(try !scene.stage.names().contains(draft))
  }

  @Test("X14: what a killed program has left is used again, and a running one is not disturbed")
  func drafts() async throws {
    let scene = try await Self.filled()
    let draft = ".e.csv.engage-draft"
    let mine = ["e.csv.part-0123456789abcdef", ".f.csv.engage-draft"]
    for name in [draft] + mine {
      try scene.stage.write(String(repeating: "x", count: 99_999), to: name)
    }
    let holder = try ChildProcess(
      "/usr/bin/flock",
      ["-x", "--no-fork", Self.file(draft, in: scene).path, "sh", "-c", "echo held; exec cat"],
      input: .pipe, output: .pipe)
    #expect(try holder.line() == "held")
    for line in [["export", "--out", "e.csv"], ["import", "a.ndjson", "--into", "e.csv"]] {
      try scene.stage.write("", to: "a.ndjson")
      let ending = await scene.stage.run(line)
      #expect(ending.status == .failed && ending.errors.contains("Another program writes"))
    }
    holder.kill()
    await scene.engage("export", "--out", "e.csv")
    let text = try String(contentsOf: Self.file("e.csv", in: scene), encoding: .utf8)
    #expect(text.hasPrefix("id,") && !text.contains("xx"))
    let names = try scene.stage.names()
    #expect(!names.contains(draft) && mine.allSatisfy(names.contains))
    let again = await scene.stage.engage("export", "--out", "e.csv")
    #expect(again.status == .failed && again.errors.contains("is there already"))
    #expect(try !scene.stage.names().contains(draft))
    let long = String(repeating: "n", count: 240) + ".ndjson"
    await scene.engage("export", "--out", long)
    #expect(try scene.stage.names().contains(long))
  }

  @Test(
    "X14: of two imports into one file at once, each adds its events or is refused",
    .timeLimit(.minutes(5)))
  func together() async throws {
    let stage = try CommandLineFixture()
    func lines(_ source: String) -> String {
      (1...400).map { number in
        #"{"specversion":"1.0","id":"\#(number)","source":"\#(source)","type":"engage.custom","#
          + #""time":"2026-10-01T09:00:00.007Z","sequence":\#(number)}"# + "\n"
      }.joined()
    }
    try stage.write(lines("a"), to: "a.ndjson")
    try stage.write(lines("b"), to: "b.ndjson")
    for round in 0..<12 {
      let target = "\(round).ndjson"
      let runs = try ["a", "b"].map {
        try RunningProgram(
          Programs.built("engage"), ["import", "\($0).ndjson", "--into", target], in: stage.folder,
          to: .pipe)
      }
      let endings = runs.map { $0.ending() }
      let text = try String(contentsOf: stage.folder.appending(path: target), encoding: .utf8)
      let added = endings.filter { $0.status == 0 }.count
      #expect(text.split(separator: "\n").count == 400 * added && added > 0, "\(endings)")
    }
  }

  @Test(
    "X14: a file that is empty, and not what its name says, is told",
    arguments: ["csv.gz", "ndjson.zst", "parquet"])
  func empty(ending: String) async throws {
    let stage = try CommandLineFixture()
    try stage.write("", to: "a.\(ending)")
    let result = await stage.engage("import", "a.\(ending)", "--into", "all.ndjson")
    #expect(result.status == .failed && result.errors.contains("a.\(ending)"), "\(result)")
    #expect(try stage.names() == ["a.\(ending)"])
  }

  @Test(
    "X14: a manifest that was made to break the reader is damaged",
    arguments: [
      ("after", "-1"), ("through", "-1"), ("through", "9223372036854775807"),
      ("after", "-9223372036854775808"), ("dropped", #"{"a":9223372036854775807,"b":1}"#),
      ("dropped", #"{"a":-1}"#), ("events", "-1"), ("events", "1e30"), ("events", "null"),
      ("version", "0"),
    ])
  func forged(key: String, value: String) async throws {
    let scene = try await Self.filled()
    await scene.engage("export", "--cursor", "c", "--out", "out")
    let folder = Self.file("out/_manifests", in: scene)
    let name = try #require(FileManager.default.contentsOfDirectory(atPath: folder.path).first)
    let place = folder.appending(path: name)
    var object = try #require(try JSON(parsing: Array(Data(contentsOf: place))).object)
    object["checksum"] = nil
    object[key] = try JSON(parsing: Array(value.utf8))
    object["checksum"] = .string(SHA256.digest(of: JSON.object(object).encoded()).description)
    try Data(JSON.object(object).encoded()).write(to: place)
    let ending = await scene.stage.engage("verify", "out")
    #expect(ending.status == .failed && ending.output.contains("is damaged"), "\(ending)")
  }

  @Test(
    "X14 X20: an export in whose time a user is erased is not kept", arguments: ["file", "folder"])
  func erasedMeanwhile(target: String) async throws {
    let scene = try await Self.filled()
    let line = target == "file" ? ["--out", "e.ndjson"] : ["--cursor", "c", "--out", "out"]
    let (folder, isErased) = (scene.stage.folder, Locked(false))
    let ending = await scene.stage.run(
      ["export", "--user-ids"] + line,
      in: .init(
        showsProgress: true,
        hearsErrors: { errors in
          guard errors.contains("Exporting"), !isErased.withLock({ $0 }) else { return }
          isErased.withLock { $0 = true }
          _ = try? Programs.run(
            Programs.built("engage"), ["person", "erase", "u-1", "--yes"], in: folder)
        }))
    #expect(isErased.withLock { $0 })
    #expect(ending.status == .failed && ending.errors.contains("A user was erased"), "\(ending)")
    let left = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".ndjson") || $0.hasPrefix("out/_manifests/") || $0.contains("draft") }
    #expect(left.isEmpty, "\(left)")
    #expect(try !scene.stage.names().contains("out"))
  }

  @Test(
    "an address with a password is never quoted, wherever it stands",
    arguments: [
      ["export", "--out", "clickhouse://ana:hunter2@127.0.0.1/a"],
      ["export", "clickhouse://ana:hunter2@127.0.0.1/a"],
      ["verify", "clickhouse://ana:hunter2@127.0.0.1/a"],
      ["import", "clickhouse://ana:hunter2@127.0.0.1/a", "--into", "all.ndjson"],
      ["compare", "--from", "http://ana:hun/t@er2@127.0.0.1/a"],
    ])
  func passwords(words: [String]) async throws {
    let scene = try await Self.filled()
    for words in [words, words + ["--json"]] {
      let ending = await scene.stage.run(words)
      #expect(ending.status != .done && !ending.errors.isEmpty)
      #expect(!(ending.output + ending.errors).contains("hun"), "\(ending)")
      #expect(!(ending.output + ending.errors).contains("er2"), "\(ending)")
    }
  }

  @Test("X14: a provider that is not configured is refused, and a key that can be guessed is told")
  func doubtful() async throws {
    let scene = try await Self.filled()
    let ending = await scene.stage.engage("export", "--provider", "brase")
    #expect(ending.status == .usage && ending.output.isEmpty)
    #expect(ending.errors.contains(#"did you mean "braze"?"#), "\(ending.errors)")
    try scene.stage.write("short", to: "hash.key")
    let short = await scene.stage.engage("export", "--user-hash-key", "hash.key")
    #expect(short.status == .done && short.errors.contains("hash.key has 5 bytes"))
    try scene.stage.write(String(repeating: "k", count: 32), to: "hash.key")
    let long = await scene.stage.engage("export", "--user-hash-key", "hash.key")
    #expect(!long.errors.contains("hash.key"))
    try scene.stage.write(String(repeating: "k", count: 32), to: "hash.key", mode: 0o644)
    let open = await scene.stage.engage("export", "--user-hash-key", "hash.key")
    #expect(open.status == .usage && open.errors.contains("run chmod 600 on it"), "\(open)")
  }
}
