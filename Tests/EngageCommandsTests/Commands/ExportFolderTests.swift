import EngagementEmulator
import EngagementFormats
import EngagementJSON
import EngagementModel
import Foundation
import Testing

@testable import EngageCommands

/// `engage export` into a folder, with and without a cursor, and `engage verify`.
@Suite(.timeLimit(.minutes(20))) struct ExportFolderTests {
  /// A folder with events of two vendors, and no vendor any more.
  private static func filled() async throws -> CommandScene {
    let scene = try await CommandScene()
    await scene.engage("sync")
    await scene.engage("track", "Coffee", "size=large", "email=a@example.com")
    await scene.emulator.stop()
    return scene
  }

  private static func track(_ name: String, in scene: CommandScene) async {
    _ = await scene.stage.run(["track", name, "size=small"], in: .impatient)
  }

  /// The files below a folder that readers look for, from it.
  private static func files(_ scene: CommandScene, _ folder: String = "out") throws -> [String] {
    let root = scene.stage.folder.appending(path: folder).path + "/"
    let paths = FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? []
    return paths.filter { path in
      var isFolder: ObjCBool = false
      _ = FileManager.default.fileExists(atPath: root + path, isDirectory: &isFolder)
      return !isFolder.boolValue && !path.hasPrefix("_")
    }.sorted()
  }

  private static func events(_ scene: CommandScene, _ folder: String = "out") throws -> [JSON] {
    try files(scene, folder).flatMap { path in
      let text = try String(
        contentsOf: scene.stage.folder.appending(path: "\(folder)/\(path)"), encoding: .utf8)
      return try text.split(separator: "\n").map { try JSON(parsing: Array($0.utf8)) }
    }
  }

  private static func sequences(_ events: [JSON]) -> [Int64] {
    events.compactMap { $0["sequence"]?.integer }.sorted()
  }

  /// A run whose files could not all be named: a file is where a partition is to be.
  private static func unfinished(_ scene: CommandScene) async throws -> [String] {
    let line = [
      "export", "--cursor", "nightly", "--partition", "vendor", "--user-ids", "--out", "out",
    ]
    for folder in ["out", "out/_manifests"] {
      try FileManager.default.createDirectory(
        at: scene.stage.folder.appending(path: folder), withIntermediateDirectories: true)
    }
    try scene.stage.write("", to: "out/vendor=braze")
    let failed = await scene.stage.run(line)
    #expect(failed.status == .failed, "\(failed)")
    let again = await scene.stage.run(line)
    #expect(again.status == .failed && again.output.isEmpty, "\(again)")
    return line
  }

  private static func makeWay(_ scene: CommandScene) throws {
    try FileManager.default.removeItem(at: scene.stage.folder.appending(path: "out/vendor=braze"))
  }

  @Test("X14: a run whose files could not all be named is completed by the next")
  func completed() async throws {
    let scene = try await Self.filled()
    let line = try await Self.unfinished(scene)
    try Self.makeWay(scene)
    let next = await scene.stage.run(line)
    #expect(next.status == .done && next.errors.contains("was interrupted; its "), "\(next)")
    #expect(await scene.stage.run(["verify", "out"]).status == .done)
    let all = Self.sequences(try Self.events(scene))
    #expect(!all.isEmpty && all == (1...Int64(all.count)).map { $0 })
  }

  @Test("X14 X21: a run that was not finished before an erasure is made again without the user")
  func erased() async throws {
    let scene = try await Self.filled()
    let line = try await Self.unfinished(scene)
    let user = try #require(
      await scene.stage.run(["export", "--user-ids"]).lines.compactMap {
        try? JSON(parsing: Array($0.utf8))["userid"]?.string
      }.first)
    let erasure = await scene.stage.run(["person", "erase", user, "--yes"], in: .impatient)
    try Self.makeWay(scene)
    let next = await scene.stage.run(line)
    #expect(next.status == .done, "\(erasure) \(next)")
    #expect(try Self.events(scene).allSatisfy { $0["userid"]?.string != user })
  }

  @Test("X14 G9: an export of a damaged cache fails, and leaves the cache where it is")
  func damagedCache() async throws {
    let scene = try await Self.filled()
    let file = scene.stage.folder.appending(path: "engagement.sqlite")
    var bytes = try Data(contentsOf: file)
    bytes.replaceSubrange(100..<400, with: [UInt8](repeating: 0xFF, count: 300))
    try bytes.write(to: file)
    for line in [["export"], ["export", "--cursor", "nightly", "--out", "out"]] {
      let ending = await scene.stage.run(line)
      #expect(ending.status == .failed && ending.errors.contains("engage cache repair"))
    }
    #expect(try Data(contentsOf: file) == bytes)
  }

  @Test("X14: cursors are listed with what they have still to export, and removed by name")
  func cursors() async throws {
    let scene = try await Self.filled()
    let none = await scene.stage.run(["cursors"])
    #expect(none.status == .done && none.errors.contains("No export has a cursor"))
    _ = await scene.stage.run(["export", "--cursor", "nightly", "--kind", "custom", "--out", "out"])
    await Self.track("Tea", in: scene)
    let listed = try JSON(parsing: Array(await scene.stage.run(["cursors", "--json"]).output.utf8))
    #expect(listed["cursor"]?.string == "nightly" && listed["behind"]?.integer == 1)
    #expect(listed["selection"]?.string == "--kind custom")
    let elsewhere = await scene.stage.run([
      "export", "--cursor", "nightly", "--kind", "custom", "--out", "elsewhere",
    ])
    #expect(elsewhere.status == .failed && elsewhere.errors.contains("it would begin late"))
    let misspelt = await scene.stage.run(["cursors", "remove", "nightli"])
    #expect(misspelt.status == .failed && misspelt.errors.contains("did you mean \"nightly\"?"))
    #expect(await scene.stage.run(["cursors", "remove", "nightly"]).status == .done)
    let again = await scene.stage.run([
      "export", "--cursor", "nightly", "--kind", "custom", "--out", "out",
    ])
    #expect(again.status == .failed && again.errors.contains("or one that was removed"))
    let anew = ["export", "--cursor", "nightly", "--kind", "custom", "--out", "anew"]
    #expect(await scene.stage.run(anew).output == "2 events in 1 file of anew\n")
  }

  @Test("X14: with a cursor, a run exports only what came since the last one")
  func incremental() async throws {
    let scene = try await Self.filled()
    let line = ["export", "--cursor", "nightly", "--out", "out"]
    let first = await scene.stage.run(line)
    let all = Self.sequences(try Self.events(scene))
    #expect(all == (1...Int64(all.count)).map { $0 } && !all.isEmpty)
    #expect(first.output == "\(all.count) events in 1 file of out\n")
    let again = await scene.stage.run(line)
    #expect(again.status == .done && again.output == "Nothing new since the last export.\n")
    await Self.track("Tea", in: scene)
    _ = await scene.stage.run(line)
    let later = Self.sequences(try Self.events(scene))
    #expect(later == (1...Int64(later.count)).map { $0 } && later.count > all.count)
    #expect(try Self.files(scene).count == 2)
    let proof = await scene.stage.engage("verify", "out")
    #expect(proof.status == .done, "\(proof)")
    #expect(
      proof.output
        == "2 runs, 2 files: \(later.count) recorded = \(later.count) written. "
        + "What was written is there once.\n"
    )
  }

  @Test("X14: an export is divided by vendor, day and kind as Hive has it")
  func partitions() async throws {
    let scene = try await Self.filled()
    _ = await scene.stage.engage("export", "--partition", "vendor,day", "--out", "out")
    let files = try Self.files(scene)
    #expect(
      Set(files.map { $0.split(separator: "/").dropLast().joined(separator: "/") }) == [
        "vendor=braze/day=2026-10-01", "vendor=vibes/day=2026-10-01",
        // That a user signed in belongs to no vendor.
        "vendor=__HIVE_DEFAULT_PARTITION__/day=2026-10-01",
      ])
    for file in files where file.hasPrefix("vendor=braze") {
      let text = try String(
        contentsOf: scene.stage.folder.appending(path: "out/\(file)"), encoding: .utf8)
      for line in text.split(separator: "\n") {
        #expect(try JSON(parsing: Array(line.utf8))["provider"] == "braze")
      }
    }
    let proof = await scene.stage.engage("verify", "out")
    #expect(proof.status == .done, "\(proof)")
    for line in [["--partition", "week"], ["--partition", "vendor,"], ["--partition", "vendor"]] {
      let ending = await scene.stage.run(["export"] + line)
      #expect(ending.status == .usage, "\(ending)")
    }
  }

  @Test("X14: what is dropped is counted by its reason")
  func dropped() async throws {
    let scene = try await Self.filled()
    await Self.track("Tea", in: scene)
    let ending = await scene.stage.engage(
      "export", "--kind", "custom", "--where", "data.size=large", "--redact", "data.email",
      "--redact", "userid", "--out", "out/")
    #expect(ending.output == "1 event in 1 file of out\n", "\(ending)")
    let event = try #require(try Self.events(scene).first)
    #expect(event["data"] == ["size": "large"] && event["userid"] == nil)
    let proof = await scene.stage.engage("verify", "out", "--json")
    let object = try JSON(parsing: Array(proof.output.utf8))
    let dropped = try #require(object["dropped"])
    let sum = (dropped["kind"]?.integer ?? 0) + (dropped["condition"]?.integer ?? 0)
    #expect(dropped["condition"] == 1)
    #expect(object["read"]?.integer == sum + 1 && object["written"] == 1)
    #expect(proof.status == .done)
  }

  @Test("X14: events that were evicted before an export are counted as gone, and told by doctor")
  func evicted() async throws {
    let scene = try await Self.filled()
    let line = ["export", "--cursor", "nightly", "--out", "out"]
    #expect(await scene.stage.run(line).status == .done)
    let exported = try Self.events(scene).count
    let file = scene.stage.folder.appending(path: "engage.json")
    let document = try String(contentsOf: file, encoding: .utf8).replacing(
      #"{"user""#,
      with: #"{"ledger": {"maximumEvents": 3, "evictsWhatWasNotExported": true}, "user""#)
    try scene.stage.write(document, to: "engage.json")
    for name in ["Tea", "Soup", "Cake", "Milk", "Rice"] { await Self.track(name, in: scene) }
    _ = await scene.stage.run(line)
    let proof = await scene.stage.engage("verify", "out", "--json")
    #expect(proof.status == .done, "\(proof)")
    let object = try JSON(parsing: Array(proof.output.utf8))
    let gone = try #require(object["dropped"]?["gone"]?.integer)
    let last = try #require(Self.sequences(try Self.events(scene)).last)
    #expect(gone > 0 && object["written"]?.integer == last - gone)
    let doctor = await scene.stage.engage("doctor")
    #expect(
      doctor.output.contains("evicted: 0 by age + \(gone + Int64(exported)) by size"),
      "\(doctor.output)")
  }

  @Test("X14: every format and compression is read back and verified")
  func formats() async throws {
    let scene = try await Self.filled()
    for format in ["ndjson", "csv", "parquet"] {
      for compression in [[], ["--gzip"], ["--zstd"]] {
        let folder = "\(format)\(compression.first ?? "")"
        let line = ["export", "--format", format, "--cursor", folder, "--out", folder]
        let ending = await scene.stage.run(line + compression)
        #expect(ending.status == .done, "\(ending)")
        let proof = await scene.stage.engage("verify", folder)
        #expect(proof.status == .done, "\(proof)")
        #expect(proof.output.contains("What was written is there once."))
      }
    }
    let pipe = await scene.stage.engage("export", "--format", "parquet")
    #expect(pipe.status == .usage && pipe.errors.contains("--out"))
  }

  @Test("X14: a run that was killed leaves nothing, or is completed by the next one")
  func killed() async throws {
    let scene = try await Self.filled()
    let line = ["export", "--cursor", "nightly", "--out", "out"]
    let folder = scene.stage.folder
    func copy(_ from: String, _ to: String) throws {
      try? FileManager.default.removeItem(at: folder.appending(path: to))
      try FileManager.default.copyItem(
        at: folder.appending(path: from), to: folder.appending(path: to))
    }
    _ = await scene.stage.run(line)
    await Self.track("Tea", in: scene)
    let caches = try scene.stage.names().filter { $0.hasPrefix("engagement.sqlite") }
    #expect(!caches.isEmpty)
    for name in caches { try copy(name, "before-\(name)") }
    _ = await scene.stage.run(line)
    let whole = try Self.files(scene)
    let all = Self.sequences(try Self.events(scene))
    // Killed before the cursor moved, with the last file not yet in its place.
    for name in try scene.stage.names() where name.hasPrefix("engagement.sqlite") {
      try FileManager.default.removeItem(at: folder.appending(path: name))
    }
    for name in caches { try copy("before-\(name)", name) }
    let manifests = try FileManager.default.contentsOfDirectory(
      atPath: folder.appending(path: "out/_manifests").path
    ).sorted()
    let last = try #require(manifests.last)
    let manifest = try JSON(
      parsing: Array(Data(contentsOf: folder.appending(path: "out/_manifests/\(last)"))))
    let after = try #require(manifest["after"]?.integer)
    try FileManager.default.moveItem(
      at: folder.appending(path: "out/\(whole[1])"),
      to: folder.appending(path: "out/_drafts/\(after)-0"))
    // And what a run left that had no manifest yet.
    try Data("half".utf8).write(to: folder.appending(path: "out/_drafts/99-0"))
    let ending = await scene.stage.run(line)
    #expect(ending.status == .done, "\(ending)")
    #expect(try Self.files(scene) == whole)
    #expect(Self.sequences(try Self.events(scene)) == all)
    let drafts = try FileManager.default.contentsOfDirectory(
      atPath: folder.appending(path: "out/_drafts").path)
    #expect(drafts == ["lock"])
  }

  @Test("X14: a run whose manifest cannot be written leaves its cursor where it was")
  func uncommitted() async throws {
    let scene = try await Self.filled()
    let line = ["export", "--cursor", "nightly", "--out", "out"]
    _ = await scene.stage.run(line)
    let before = Self.sequences(try Self.events(scene))
    await Self.track("Tea", in: scene)
    let obstacle = scene.stage.folder.appending(path: "out/_drafts/manifest")
    try FileManager.default.createDirectory(at: obstacle, withIntermediateDirectories: false)
    let refused = await scene.stage.run(line)
    #expect(refused.status == .failed && refused.errors.contains("cannot be written"), "\(refused)")
    #expect(Self.sequences(try Self.events(scene)) == before)
    try FileManager.default.removeItem(at: obstacle)
    #expect(await scene.stage.run(line).status == .done)
    let after = Self.sequences(try Self.events(scene))
    #expect(after == (1...Int64(after.count)).map { $0 } && after.count > before.count)
    #expect(await scene.stage.run(["verify", "out"]).status == .done)
  }

  @Test("X14: a folder takes no other export, and a cursor keeps to what it selects")
  func others() async throws {
    let scene = try await Self.filled()
    _ = await scene.stage.engage("export", "--cursor", "a", "--out", "out")
    func refusal(_ line: String...) async -> String {
      let ending = await scene.stage.run(["export"] + line)
      #expect(ending.status == .failed, "\(ending)")
      return ending.errors
    }
    #expect(await refusal("--out", "out").contains("out has an export already"))
    #expect(await refusal("--cursor", "b", "--out", "out").contains("the cursor a"))
    #expect(
      await refusal("--cursor", "a", "--gzip", "--out", "out").contains("no compression"))
    #expect(
      await refusal("--cursor", "a", "--kind", "click", "--out", "out")
        .contains("was begun with every event, and not with --kind click"))
    try scene.stage.write("x", to: "file")
    #expect(await refusal("--cursor", "a", "--out", "file").contains("file is no folder"))
    try FileManager.default.createSymbolicLink(
      at: scene.stage.folder.appending(path: "link"),
      withDestinationURL: scene.stage.folder.appending(path: "out"))
    #expect(
      await refusal("--cursor", "a", "--out", "link").contains(
        "link is a symbolic link; give --out"))
    try FileManager.default.createDirectory(
      at: scene.stage.folder.appending(path: "mine"), withIntermediateDirectories: false)
    try scene.stage.write("x", to: "mine/thing")
    #expect(await refusal("--cursor", "c", "--out", "mine").contains("other files, such as thing"))
    let cursors = await scene.stage.engage("cursors").output
    #expect(!cursors.contains("b ") && cursors.contains("a "), "\(cursors)")
    for line in [["--cursor", "a"], ["--cursor", "a b", "--out", "x"], ["--gzip", "--zstd"]] {
      #expect(await scene.stage.run(["export"] + line).status == .usage)
    }
  }

  @Test("X14: a damaged file, a lost one and a strange one are each told by name")
  func damaged() async throws {
    let scene = try await Self.filled()
    _ = await scene.stage.engage("export", "--partition", "vendor", "--out", "out")
    let files = try Self.files(scene)
    let first = scene.stage.folder.appending(path: "out/\(files[0])")
    var bytes = try Data(contentsOf: first)
    bytes[bytes.count / 2] ^= 1
    try bytes.write(to: first)
    try FileManager.default.removeItem(at: scene.stage.folder.appending(path: "out/\(files[1])"))
    try scene.stage.write("{}", to: "out/strange.ndjson")
    try scene.stage.write("{}", to: "out/.strange.ndjson")
    try scene.stage.write("", to: "out/.DS_Store")
    let proof = await scene.stage.engage("verify", "out")
    #expect(proof.status == .failed)
    #expect(proof.output.contains("\(files[0]): Its SHA-256 is not the one of the manifest."))
    #expect(proof.output.contains("\(files[1]): "))
    #expect(proof.output.contains("strange.ndjson: No manifest knows this file."))
    #expect(
      proof.output.contains(
        "\n.strange.ndjson: No manifest knows this hidden file, which other programs may read.\n"))
    #expect(!proof.output.contains("DS_Store"))
    #expect(proof.output.contains("It is not whole."))
    #expect(await scene.stage.engage("verify", "nowhere").status == .failed)
    let manifest = try #require(
      try FileManager.default.contentsOfDirectory(
        atPath: scene.stage.folder.appending(path: "out/_manifests").path
      ).first)
    try scene.stage.write("{}", to: "out/_manifests/\(manifest)")
    #expect(await scene.stage.engage("verify", "out").output.contains("is damaged"))
  }

  @Test("X14: a condition or a field that makes no sense is an error of the option")
  func senseless() async throws {
    let scene = try await Self.filled()
    for line in [
      ["--where", "provider"], ["--where", "provder=braze"], ["--where", "sequence=one"],
      ["--where", "time>soon"], ["--where", "data=x"], ["--redact", "provder"],
      ["--redact", "id"],
    ] {
      let ending = await scene.stage.run(["export"] + line)
      #expect(ending.status == .usage && ending.errors.contains(line[0]), "\(ending)")
      #expect(ending.output.isEmpty)
    }
    #expect(
      await scene.stage.engage("export", "--redact", "provder").errors.contains("provider"))
  }
}
