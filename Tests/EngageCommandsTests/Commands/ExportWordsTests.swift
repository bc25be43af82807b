import EngagementEmulator
import EngagementModel
import Foundation
import Testing

@testable import EngageCommands

/// Options of an export, a comparison or a plan that were hardly meant as they stand.
@Suite(.timeLimit(.minutes(20))) struct ExportWordsTests {
  private static func filled() async throws -> CommandScene {
    let scene = try await CommandScene()
    await scene.engage("track", "Coffee", "size=large")
    await scene.emulator.stop()
    return scene
  }

  @Test("X14: a property to be left out that no event has is told, with a name like it")
  func unmet() async throws {
    let scene = try await Self.filled()
    let line = ["export", "--kind", "custom", "--redact"]
    let mistyped = await scene.stage.run(line + ["data.sise"])
    #expect(mistyped.status == .done && mistyped.lines.count == 1)
    #expect(
      mistyped.errors.contains(
        "--redact data.sise: no event has it; did you mean \"data.size\"?\n"), "\(mistyped)")
    let unlike = await scene.stage.run(line + ["data.telephone"])
    #expect(unlike.errors.contains("--redact data.telephone: no event has it.\n"), "\(unlike)")
    let right = await scene.stage.run(line + ["data.size"])
    #expect(!right.errors.contains("--redact") && !right.output.contains("large"), "\(right)")
    try scene.stage.write(mistyped.output, to: "a.ndjson")
    let imported = await scene.stage.engage(
      "import", "a.ndjson", "--redact", "data.sise", "--into", "all.ndjson")
    #expect(imported.status == .done && imported.errors.contains("did you mean \"data.size\"?"))
  }

  @Test("X14: a provider that is neither configured nor recorded is refused, with a name like it")
  func provider() async throws {
    let scene = try await Self.filled()
    let ending = await scene.stage.engage("export", "--provider", "brase")
    #expect(ending.status == .usage && ending.output.isEmpty)
    #expect(ending.errors.contains("did you mean \"braze\"?"), "\(ending)")
    #expect(await scene.stage.engage("export", "--provider", "vibes").status == .done)
  }

  @Test(
    "X14: an ending that is no format is told", arguments: [("e.cvs", true), ("e.jsonl", false)])
  func ending(name: String, isTold: Bool) async throws {
    let scene = try await Self.filled()
    let ending = await scene.stage.engage("export", "--out", name)
    #expect(ending.status == .done)
    #expect(ending.errors.contains("did you mean .csv?") == isTold, "\(ending)")
    #expect(ending.errors.contains("ends like no format") == isTold)
    let format = await scene.stage.engage("export", "--format", "csv", "--out", "f.cvs")
    #expect(format.errors.isEmpty, "\(format)")
  }

  @Test(
    "X14: a folder that is named like a file is refused",
    arguments: [["--cursor", "nightly"], ["--partition", "day"]],
    ["events.csv", "events.ndjson.gz", "events.json", "a/events.txt"])
  func folder(options: [String], name: String) async throws {
    let scene = try await Self.filled()
    let ending = await scene.stage.run(["export", "--out", name] + options)
    #expect(ending.status == .usage && ending.errors.contains("ends like a file"), "\(ending)")
    #expect(ending.errors.contains(options[0]))
    #expect(try !scene.stage.names().contains(name))
    let day = await scene.stage.run(["export", "--out", "2026.11.28"] + options)
    #expect(day.status == .done, "\(day)")
  }

  @Test("X14: a cursor's name that is too long is refused, and not told as a whole")
  func longCursor() async throws {
    let stage = try CommandLineFixture()
    let name = String(repeating: "a", count: 100_000)
    let ending = await stage.engage("export", "--cursor", name, "--out", "out")
    #expect(ending.status == .usage && ending.errors.contains("a name of at most 64 letters"))
    #expect(ending.errors.contains("100000 bytes") && ending.errors.utf8.count < 500)
  }

  @Test("X12: a rate that lacks its sign gets it")
  func rate() async throws {
    let stage = try CommandLineFixture()
    for (options, text) in [
      (["--rate", "5", "--lift", "10%"], "not \"5\"; did you mean 5%?"),
      (["--rate", "5%", "--lift", "10"], "not \"10\"; did you mean 10%?"),
      (["--rate", "500", "--lift", "10%"], "not \"500\"."),
    ] {
      let ending = await stage.run(["experiment", "plan"] + options)
      #expect(ending.status == .usage && ending.errors.contains(text), "\(ending)")
    }
  }

  @Test("X12: a provider that is given twice is named")
  func twice() async throws {
    let stage = try CommandLineFixture()
    try stage.write(RecordedEvents.vendors(people: 10).ndjson, to: "events.ndjson")
    let ending = await stage.engage(
      "compare", "--from", "events.ndjson", "--provider", "braze", "--provider", "braze")
    #expect(ending.status == .usage)
    #expect(ending.errors.contains("--provider braze is there twice"), "\(ending)")
  }
}
