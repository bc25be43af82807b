import EngagementEmulator
import EngagementJSON
import EngagementModel
import EngagementPlatform
import Foundation
import TestSupport
import Testing

@testable import EngageCommands

/// A cursor and the folder that its exports go to.
@Suite(.timeLimit(.minutes(20))) struct CursorFolderTests {
  private static func filled() async throws -> CommandScene {
    let scene = try await CommandScene()
    await scene.engage("sync")
    await scene.emulator.stop()
    return scene
  }

  private static let line = ["export", "--cursor", "nightly", "--out"]

  private static func track(_ name: String, in scene: CommandScene) async {
    _ = await scene.stage.run(["track", name], in: .impatient)
  }

  private static func place(_ path: String, in scene: CommandScene) -> URL {
    scene.stage.folder.appending(path: path)
  }

  @Test("X14: a folder that has lost its last run is not written on over the gap")
  func restored() async throws {
    let scene = try await Self.filled()
    #expect(await scene.stage.run(Self.line + ["out"]).status == .done)
    try FileManager.default.copyItem(
      at: Self.place("out", in: scene), to: Self.place("backup", in: scene))
    await Self.track("Tea", in: scene)
    #expect(await scene.stage.run(Self.line + ["out"]).status == .done)
    try FileManager.default.moveItem(
      at: Self.place("out", in: scene), to: Self.place("whole", in: scene))
    try FileManager.default.moveItem(
      at: Self.place("backup", in: scene), to: Self.place("out", in: scene))
    await Self.track("Coffee", in: scene)
    let ending = await scene.stage.run(Self.line + ["out"])
    #expect(ending.status == .failed && ending.output.isEmpty, "\(ending)")
    #expect(ending.errors.contains("later runs are not there any more"), "\(ending)")
    try FileManager.default.removeItem(at: Self.place("out", in: scene))
    try FileManager.default.moveItem(
      at: Self.place("whole", in: scene), to: Self.place("out", in: scene))
    let again = await scene.stage.run(Self.line + ["out"])
    #expect(again.output == "1 event in 1 file of out\n", "\(again)")
    #expect(await scene.stage.engage("verify", "out").status == .done)
  }

  @Test("X14: a folder that has lost a run between two others is not added to")
  func middle() async throws {
    let scene = try await Self.filled()
    for name in ["Tea", "Soup", "Cake"] {
      #expect(await scene.stage.run(Self.line + ["out"]).status == .done)
      await Self.track(name, in: scene)
    }
    #expect(await scene.stage.run(Self.line + ["out"]).status == .done)
    let names = try ExportFolder.manifestNames(in: Self.place("out", in: scene).path)
    try #require(names.count == 4)
    let lost = Self.place("out/\(names[1])", in: scene)
    let manifest = try ExportManifest(fileAt: lost.path)
    let away = Self.place("away.json", in: scene)
    try FileManager.default.moveItem(at: lost, to: away)
    let sentence = "The events \(manifest.after + 1) to \(manifest.through) are missing"
    #expect(await scene.stage.engage("verify", "out").output.contains(sentence))
    let idle = await scene.stage.run(Self.line + ["out"])
    #expect(idle.status == .failed && idle.errors.contains(sentence), "\(idle)")
    #expect(idle.errors.contains("engage cursors remove nightly"), "\(idle)")
    await Self.track("Rice", in: scene)
    #expect(await scene.stage.run(Self.line + ["out"]).status == .failed)
    try FileManager.default.moveItem(at: away, to: lost)
    let again = await scene.stage.run(Self.line + ["out"])
    #expect(again.output == "1 event in 1 file of out\n", "\(again)")
  }

  @Test("X14: a run that has not happened removes the folders that it has made, and no others")
  func made() throws {
    let stage = try CommandLineFixture()
    let place = stage.folder.appending(path: "out")
    func runInVain() throws {
      let folder = try ExportFolder(place.path, revision: "")
      folder.removeMade()
    }
    try runInVain()
    #expect(try stage.names().isEmpty)
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
    try runInVain()
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.path).isEmpty)
    try FileManager.default.createDirectory(
      at: place.appending(path: "_manifests"), withIntermediateDirectories: false)
    try runInVain()
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.path) == ["_manifests"])
  }

  /// Copies the files of the cache over those of another folder.
  private static func copyCache(from: URL, to: URL) throws {
    try FileManager.default.createDirectory(at: to, withIntermediateDirectories: true)
    func caches(in folder: URL) throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: folder.path)
        .filter { $0.hasPrefix("engagement.sqlite") }
    }
    for name in try caches(in: to) {
      try FileManager.default.removeItem(at: to.appending(path: name))
    }
    for name in try caches(in: from) {
      try FileManager.default.copyItem(
        at: from.appending(path: name), to: to.appending(path: name))
    }
  }

  @Test(
    "X14: a cache that was restored from a copy adds nothing over the gap", arguments: [0, 1, 3])
  func restoredCache(newEvents: Int) async throws {
    let scene = try await Self.filled()
    let copy = Self.place("copy", in: scene)
    #expect(await scene.stage.run(Self.line + ["out"]).status == .done)
    try Self.copyCache(from: scene.stage.folder, to: copy)
    await Self.track("Tea", in: scene)
    #expect(await scene.stage.run(Self.line + ["out"]).status == .done)
    try Self.copyCache(from: copy, to: scene.stage.folder)
    for _ in 0..<newEvents { await Self.track("Coffee", in: scene) }
    let ending = await scene.stage.run(Self.line + ["out"])
    #expect(ending.status == .failed && ending.output.isEmpty, "\(ending)")
    #expect(
      ending.errors.contains("the cache was restored from a copy")
        && ending.errors.contains("engage cursors remove nightly"), "\(ending)")
    #expect(await scene.stage.run(["cursors", "remove", "nightly"]).status == .done)
    #expect(await scene.stage.run(Self.line + ["other"]).status == .done)
  }

  @Test("X14: a folder that would begin late is not begun, and the former one is named")
  func late() async throws {
    let scene = try await Self.filled()
    #expect(await scene.stage.run(Self.line + ["out"]).status == .done)
    await Self.track("Tea", in: scene)
    let mistyped = await scene.stage.run(Self.line + ["outt"])
    #expect(mistyped.status == .failed && mistyped.output.isEmpty, "\(mistyped)")
    #expect(mistyped.errors.contains("Its exports are in out: give that to --out."), "\(mistyped)")
    #expect(mistyped.errors.contains("engage cursors remove nightly"))
    #expect(try !scene.stage.names().contains("outt"))
    #expect(await scene.stage.run(Self.line + ["out"]).status == .done)
    // A folder that was moved is continued.
    try FileManager.default.moveItem(
      at: Self.place("out", in: scene), to: Self.place("b", in: scene))
    let gone = await scene.stage.run(Self.line + ["out"])
    #expect(gone.status == .failed && gone.errors.contains("bring that folder back"), "\(gone)")
    await Self.track("Soup", in: scene)
    #expect(await scene.stage.run(Self.line + ["b"]).status == .done)
    let other = await scene.stage.run(Self.line + ["c"])
    #expect(other.errors.contains("Its exports are in b: "), "\(other)")
    #expect(await scene.stage.run(["verify", "b"]).status == .done)
  }

  @Test("X14: verify says where a folder begins that lacks its first run, and where there is none")
  func begins() async throws {
    let scene = try await Self.filled()
    _ = await scene.stage.run(Self.line + ["out"])
    let whole = try JSON(
      parsing: Array(await scene.stage.run(["verify", "out", "--json"]).output.utf8))
    #expect(whole["after"] == 0)
    let through = try #require(whole["read"]?.integer)
    await Self.track("Tea", in: scene)
    _ = await scene.stage.run(Self.line + ["out"])
    let manifests = try FileManager.default.contentsOfDirectory(
      atPath: Self.place("out/_manifests", in: scene).path
    ).sorted()
    for name in [
      "_manifests/\(manifests[0])", "events-00000000000000000001.ndjson",
    ] {
      try FileManager.default.removeItem(at: Self.place("out/\(name)", in: scene))
    }
    let late = await scene.stage.run(["verify", "out"])
    #expect(
      late.output.hasSuffix(
        " It begins after event \(through); the events up to that one are not here.\n"), "\(late)")
    let json = try JSON(
      parsing: Array(await scene.stage.run(["verify", "out", "--json"]).output.utf8))
    #expect(json["after"]?.integer == through)
    let nowhere = await scene.stage.run(["verify", "nowhere"])
    #expect(nowhere.status == .failed)
    #expect(nowhere.errors.contains("nowhere: It is not there. Give the folder that"), "\(nowhere)")
  }

  @Test(
    "X14: a draft that was lost or cut before the cursor moved is made again",
    arguments: ["lost", "cut", "cut in its place"])
  func cut(how: String) async throws {
    let scene = try await Self.filled()
    let folder = scene.stage.folder
    func copy(_ from: String, _ to: String) throws {
      try? FileManager.default.removeItem(at: folder.appending(path: to))
      try FileManager.default.copyItem(
        at: folder.appending(path: from), to: folder.appending(path: to))
    }
    _ = await scene.stage.run(Self.line + ["out"])
    await Self.track("Tea", in: scene)
    let caches = try scene.stage.names().filter { $0.hasPrefix("engagement.sqlite") }
    for name in caches { try copy(name, "before-\(name)") }
    _ = await scene.stage.run(Self.line + ["out"])
    let file = try #require(
      try ExportFolder.files(in: Self.place("out", in: scene).path).sorted().last)
    let place = Self.place("out/\(file)", in: scene)
    let whole = try Data(contentsOf: place)
    // The cursor has not moved.
    for name in try scene.stage.names() where name.hasPrefix("engagement.sqlite") {
      try FileManager.default.removeItem(at: folder.appending(path: name))
    }
    for name in caches { try copy("before-\(name)", name) }
    let manifest = try #require(
      try ExportFolder.manifestNames(in: Self.place("out", in: scene).path).last)
    let after = try ExportManifest(fileAt: Self.place("out/\(manifest)", in: scene).path).after
    let draft = Self.place("out/_drafts/\(after)-0", in: scene)
    switch how {
    case "lost": try FileManager.default.removeItem(at: place)
    case "cut":
      try whole.dropLast(9).write(to: draft)
      try FileManager.default.removeItem(at: place)
    default: try whole.dropLast(9).write(to: place)
    }
    let ending = await scene.stage.run(Self.line + ["out"])
    #expect(ending.status == .done && ending.errors.contains("it is made again"), "\(ending)")
    #expect(try Data(contentsOf: place) == whole)
    #expect(await scene.stage.run(["verify", "out"]).status == .done)
    #expect(
      await scene.stage.run(Self.line + ["out"]).output == "Nothing new since the last export.\n")
  }

  @Test("X14: a first run that fails leaves no cursor, and the next one may select other events")
  func failedFirst() async throws {
    let scene = try await Self.filled()
    let obstacle = Self.place("out/_drafts/0-0", in: scene)
    try FileManager.default.createDirectory(at: obstacle, withIntermediateDirectories: true)
    try FileManager.default.createDirectory(
      at: Self.place("out/_manifests", in: scene), withIntermediateDirectories: true)
    let failed = await scene.stage.run(Self.line + ["out"])
    #expect(failed.status == .failed && failed.errors.contains("cannot be written"), "\(failed)")
    let cursors = await scene.stage.run(["cursors"])
    #expect(cursors.output.isEmpty && cursors.errors.contains("No export has a cursor"))
    try FileManager.default.removeItem(at: obstacle)
    let next = await scene.stage.run(Self.line + ["out", "--kind", "delivered"])
    #expect(next.status == .done && next.errors.isEmpty, "\(next)")
  }

  @Test("X14: two first runs with one cursor do not write to two folders at once")
  func twoFirst() async throws {
    let scene = try await Self.filled()
    let (folder, other) = (scene.stage.folder, Locked<Programs.Ending?>(nil))
    let first = await scene.stage.run(
      Self.line + ["out"],
      in: .init(
        showsProgress: true,
        hearsErrors: { errors in
          guard errors.contains("Exporting"), other.withLock({ $0 == nil }) else { return }
          let ending = try? Programs.run(
            Programs.built("engage"), Self.line + ["elsewhere"], in: folder)
          other.withLock { $0 = ending }
        }))
    #expect(first.status == .done, "\(first)")
    let second = try #require(other.withLock { $0 })
    #expect(second.status == 1 && second.errors.contains("Another export writes to "), "\(second)")
    #expect(try !scene.stage.names().contains("elsewhere"))
    #expect(await scene.stage.run(["verify", "out"]).status == .done)
  }
}
