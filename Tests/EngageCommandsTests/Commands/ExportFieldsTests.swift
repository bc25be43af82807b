import EngagementEmulator
import Foundation
import Testing

@testable import EngageCommands

/// Fields that `engage export` is asked for, and those that it leaves out.
@Suite(.timeLimit(.minutes(5))) struct ExportFieldsTests {
  /// A signed-in user with an event of the application, whose vendor is away.
  private static func filled() async throws -> CommandScene {
    let scene = try await CommandScene()
    await scene.engage("sync")
    await scene.engage("track", "Tea ordered", "size=large")
    await scene.emulator.stop()
    return scene
  }

  @Test("X14: a condition on a property that no event has is told, with the nearest name")
  func unknown() async throws {
    let scene = try await Self.filled()
    let ending = await scene.stage.engage("export", "--where", "data.sise=large")
    #expect(ending.status == .done && ending.output.isEmpty)
    #expect(
      ending.errors.contains(#"--where data.sise: no event has it; did you mean "data.size"?"#),
      "\(ending.errors)")
  }

  @Test("X14: a condition with a blank beside its sign is refused")
  func blanks() async throws {
    let scene = try await Self.filled()
    for condition in ["data.size = large", "data.size =large", "data.size= large", "data.x>= 1"] {
      let ending = await scene.stage.engage("export", "--where", condition)
      #expect(ending.status == .usage && ending.errors.contains("Write no blanks beside "))
    }
  }

  @Test(
    "X14: a condition whose value names a person is refused where the export hides who it is",
    arguments: ["data.note=for u-1", "data.user=u-1", "name=visit of u-1", "data.u-1=yes"])
  func named(condition: String) async throws {
    let scene = try await Self.filled()
    for more in [[], ["--redact", "userid"]] {
      let ending = await scene.stage.run(
        ["export", "--out", "x.ndjson", "--where", condition] + more)
      #expect(ending.status == .usage, "\(ending)")
      #expect(ending.errors.contains("this export leaves out what tells who a person is"))
      #expect(try !scene.stage.names().contains("x.ndjson"))
    }
    for more in ["--user-ids", "--personal-data"] {
      #expect(await scene.stage.engage("export", "--where", condition, more).status == .done)
    }
  }

  @Test("X14: a name of a thing is no name of a person, and a headphone is no phone")
  func things() async throws {
    let scene = try await CommandScene()
    await scene.engage("sync")
    await scene.engage(
      "track", "Tea", "shopName=a", "theme_name=b", "headphonesColor=c", "addressable=d")
    await scene.emulator.stop()
    let ending = await scene.stage.engage("export", "--kind", "custom")
    #expect(!ending.errors.contains("left out"), "\(ending)")
  }

  @Test("X14: a file with ids and one with hashes are told to count a person twice")
  func mixed() async throws {
    let stage = try CommandLineFixture()
    var events = RecordedEvents()
    events.addCard("delivered", by: "ada", from: "braze")
    try stage.write(events.ndjson, to: "ids.ndjson")
    var others = RecordedEvents(device: "urn:uuid:2")
    others.addCard("delivered", by: String(repeating: "a1", count: 32), from: "vibes")
    try stage.write(others.ndjson, to: "hashes.ndjson")
    let note = "Some events name users by ids and others by hashes: a person in both counts twice."
    let files = ["ids.ndjson", "hashes.ndjson"]
    let imported = await stage.run(["import"] + files + ["--into", "all.ndjson"])
    #expect(imported.status == .done && imported.errors.contains(note), "\(imported)")
    let compared = await stage.run(["compare"] + files.flatMap { ["--from", $0] })
    #expect((compared.output + compared.errors).contains(note), "\(compared)")
  }
}
