import EngagementEmulator
import EngagementJSON
import EngagementModel
import Foundation
import Testing

@testable import EngageCommands

/// Files that do not agree with each other: on the names of users, or on what an event is.
@Suite(.timeLimit(.minutes(20))) struct CollectedEventsTests {
  private static let hash = String(repeating: "a", count: 64)
  private static let otherHash = String(repeating: "b", count: 64)

  private static func line(_ id: Int, by user: String, _ provider: String = "braze") -> String {
    #"{"specversion":"1.0","id":"\#(id)","source":"urn:uuid:1","type":"engage.card.delivered","#
      + #""subject":"\#(provider)/1","time":"2026-10-01T09:00:00.007Z","sequence":\#(id),"#
      + #""userid":"\#(user)","provider":"\#(provider)","surface":"cards"}"# + "\n"
  }

  private static func stage(_ first: String, _ second: String) throws -> CommandLineFixture {
    let stage = try CommandLineFixture()
    try stage.write(first, to: "a.ndjson")
    try stage.write(second, to: "b.ndjson")
    return stage
  }

  private static let pairs = [
    // One event with two keys.
    (line(1, by: hash) + line(2, by: hash, "vibes"), line(1, by: otherHash)),
    // Other events, one file hashed and one not.
    (line(1, by: hash) + line(2, by: hash, "vibes"), line(3, by: "ada")),
    (line(1, by: "ada") + line(2, by: "ada", "vibes"), line(3, by: hash)),
  ]

  @Test(
    "X14: files of one device that name its users in two ways are refused, in any order",
    arguments: pairs, [false, true])
  func twoNamings(pair: (String, String), isReversed: Bool) async throws {
    let stage = try Self.stage(pair.0, pair.1)
    let files = isReversed ? ["b.ndjson", "a.ndjson"] : ["a.ndjson", "b.ndjson"]
    for line in [
      ["import"] + files + ["--into", "all.ndjson"],
      ["compare"] + files.flatMap { ["--from", $0] },
    ] {
      let ending = await stage.run(line)
      #expect(ending.status == .failed && ending.output.isEmpty, "\(ending)")
      #expect(ending.errors.contains("a.ndjson") && ending.errors.contains("b.ndjson"))
      #expect(ending.errors.contains("one --user-hash-key"), "\(ending.errors)")
    }
    #expect(try stage.names() == ["a.ndjson", "b.ndjson"])
  }

  @Test(
    "X14: a vendor's file that engage has written is imported twice, and adds nothing the second time",
    arguments: ["braze-currents", "clevertap-export"])
  func vendorFileTwice(format: String) async throws {
    let scene = try await CommandScene()
    await scene.engage("sync")
    await scene.emulator.stop()
    await scene.engage("export", "--as", format, "--out", "v.json")
    let line = ["import", "v.json", "--as", format, "--into", "all.ndjson"]
    #expect(await scene.stage.run(line).status == .done)
    let again = await scene.stage.run(line)
    #expect(again.status == .done && again.output.hasPrefix("0 "), "\(again)")
  }

  @Test("X14: a collection is not added to with users of other names")
  func collection() async throws {
    let stage = try Self.stage(Self.line(1, by: Self.hash), Self.line(2, by: "ada"))
    #expect(await stage.engage("import", "a.ndjson", "--into", "all.ndjson").status == .done)
    let before = try Data(contentsOf: stage.folder.appending(path: "all.ndjson"))
    let ending = await stage.engage("import", "b.ndjson", "--into", "all.ndjson")
    #expect(ending.status == .failed && ending.errors.contains("all.ndjson and b.ndjson"))
    #expect(try Data(contentsOf: stage.folder.appending(path: "all.ndjson")) == before)
  }

  @Test("X14: a file whose application has ids that look like hashes is read as it is")
  func alike() async throws {
    let stage = try Self.stage(
      Self.line(1, by: Self.hash) + Self.line(2, by: "ada"), Self.line(3, by: "ada"))
    let ending = await stage.engage("import", "a.ndjson", "b.ndjson", "--into", "all.ndjson")
    #expect(ending.status == .done, "\(ending)")
  }

  @Test("X14: two exports of one device with two keys are refused, also without a common event")
  func folders() async throws {
    let scene = try await CommandScene()
    await scene.engage("sync")
    await scene.emulator.stop()
    for (name, byte) in [("1", "x"), ("2", "y")] {
      try scene.stage.write(String(repeating: byte, count: 32), to: "key\(name)")
      let ending = await scene.stage.run([
        "export", "--user-hash-key", "key\(name)", "--partition", "day", "--out", "out\(name)",
        "--provider", name == "1" ? "braze" : "vibes",
      ])
      #expect(ending.status == .done, "\(ending)")
    }
    let ending = await scene.stage.engage("import", "out1", "out2", "--into", "all.ndjson")
    #expect(ending.status == .failed && ending.errors.contains("out1 and out2"), "\(ending)")
    #expect(
      await scene.stage.engage("import", "out1", "--into", "all.ndjson").status == .done)
  }

  @Test(
    "X14: an event whose source and id another one has is told by its line, and the first stays")
  func otherContent() async throws {
    let stage = try Self.stage(
      Self.line(1, by: "ada") + Self.line(2, by: "ada", "vibes"),
      Self.line(2, by: "ada", "vibes") + Self.line(1, by: "ada", "vibes"))
    let ending = await stage.engage("import", "a.ndjson", "b.ndjson", "--into", "all.ndjson")
    #expect(ending.status == .failed)
    #expect(
      ending.errors
        == "b.ndjson:2: An event of this source and id is there already with other content, in a.ndjson, "
        + "as with other options of its export; this one is left out.\n")
    #expect(ending.output == "2 events added to all.ndjson, 1 known already, 1 line bad\n")
    let text = try String(contentsOf: stage.folder.appending(path: "all.ndjson"), encoding: .utf8)
    #expect(text.contains("braze/1"))
    let comparison = await stage.engage("compare", "--from", "a.ndjson", "--from", "b.ndjson")
    #expect(comparison.status == .failed && comparison.errors.contains("b.ndjson:2: An event"))
  }

  @Test("X14: an event is the same in every format, and after fields were left out of both copies")
  func sameContent() async throws {
    let lines =
      #"{"specversion":"1.0","id":"1","source":"s","type":"engage.custom","sequence":1,"#
      + #""time":"2026-10-01T09:00:00.007Z","name":"a\u0001b","surface":"","data":{"a": [1, 2],"c":"d"}}"#
      + "\n"
    let stage = try CommandLineFixture()
    try stage.write(lines, to: "a.ndjson")
    for name in ["1.csv", "2.parquet", "3.ndjson"] {
      #expect(await stage.engage("import", "a.ndjson", "--into", name).status == .done)
      let again = await stage.engage("import", "a.ndjson", "--into", name)
      #expect(again.output == "0 events added to \(name), 1 known already\n", "\(again)")
    }
    for _ in 0..<2 {
      let ending = await stage.engage(
        "import", "a.ndjson", "--redact", "data.c", "--redact", "name", "--into", "less.ndjson")
      #expect(ending.status == .done, "\(ending)")
    }
  }

  @Test("X14: an event with an empty provider is told by its line", arguments: ["ndjson", "csv"])
  func emptyProvider(format: String) async throws {
    let stage = try CommandLineFixture()
    try stage.write(Self.line(1, by: "ada") + Self.line(2, by: "ada", ""), to: "a.ndjson")
    let ending = await stage.engage("import", "a.ndjson", "--into", "all.\(format)")
    #expect(ending.status == .failed)
    #expect(ending.errors == "a.ndjson:2: Its provider is empty.\n", "\(ending)")
  }
}
