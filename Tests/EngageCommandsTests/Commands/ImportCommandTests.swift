import EngagementJSON
import EngagementModel
import Foundation
import Testing

@testable import EngageCommands

/// `engage import`, of files that devices have exported.
@Suite struct ImportCommandTests {
  private static func line(_ source: String, _ id: Int, _ name: String = "Tea") -> String {
    #"{"specversion":"1.0","id":"\#(id)","source":"\#(source)","type":"engage.custom","#
      + #""time":"2026-10-01T09:00:00.007Z","sequence":\#(id),"name":"\#(name)"}"# + "\n"
  }

  /// The ids with their sources in a file of NDJSON, in order.
  private static func events(_ stage: CommandLineFixture, _ name: String) throws -> [String] {
    let text = try String(contentsOf: stage.folder.appending(path: name), encoding: .utf8)
    return try text.split(separator: "\n").map {
      let event = try JSON(parsing: Array($0.utf8))
      return "\(event["source"]?.string ?? "")\(event["id"]?.string ?? "")"
    }
  }

  @Test("X14: an event of several files is in the collection once")
  func once() async throws {
    let stage = try CommandLineFixture()
    try stage.write(Self.line("a", 1) + Self.line("a", 2), to: "a.ndjson")
    try stage.write(Self.line("b", 1) + Self.line("a", 2) + Self.line("a", 3), to: "b.ndjson")
    let first = await stage.engage("import", "a.ndjson", "b.ndjson", "--into", "all.ndjson")
    #expect(
      first.status == .done && first.output == "4 events added to all.ndjson, 1 known already\n")
    #expect(try Self.events(stage, "all.ndjson") == ["a1", "a2", "b1", "a3"])
    let again = await stage.engage("import", "b.ndjson", "--into", "all.ndjson")
    #expect(again.output == "0 events added to all.ndjson, 3 known already\n")
    try stage.write(Self.line("c", 1), to: "c.ndjson")
    #expect(await stage.engage("import", "c.ndjson", "--into", "all.ndjson").status == .done)
    #expect(try Self.events(stage, "all.ndjson") == ["a1", "a2", "b1", "a3", "c1"])
    #expect(try stage.names().allSatisfy { !$0.contains(".part-") })
  }

  @Test(
    "X14: people of several devices who have no hash in common are told",
    arguments: [("a", "b", true), ("a", "a", false)])
  func salts(first: String, second: String, isTold: Bool) async throws {
    let stage = try CommandLineFixture()
    for (device, user) in [("a", first), ("b", second)] {
      let hash = String(repeating: user, count: 64)
      let line = Self.line(device, 1).replacing("{", with: #"{"userid":"\#(hash)","#)
      try stage.write(line, to: "\(device).ndjson")
    }
    let ending = await stage.engage("import", "a.ndjson", "b.ndjson", "--into", "all.ndjson")
    #expect(ending.status == .done)
    #expect(ending.errors.contains("No person is on two of the 2 devices.") == isTold, "\(ending)")
    #expect(ending.errors.contains("--user-hash-key") == isTold)
  }

  @Test("X14: who could read the file that events are added to still can, and nobody else")
  func mode() async throws {
    let stage = try CommandLineFixture()
    try stage.write(Self.line("a", 1), to: "a.ndjson")
    try stage.write(Self.line("b", 1), to: "b.ndjson")
    func mode() throws -> Int? {
      let path = stage.folder.appending(path: "all.ndjson").path
      return try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }
    _ = await stage.engage("import", "a.ndjson", "--into", "all.ndjson")
    #expect(try mode() == 0o600)
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o640], ofItemAtPath: stage.folder.appending(path: "all.ndjson").path)
    _ = await stage.engage("import", "b.ndjson", "--into", "all.ndjson")
    #expect(try mode() == 0o640)
    #expect(try Self.events(stage, "all.ndjson") == ["a1", "b1"])
  }

  @Test("X14: one file has no manifest, and verify says that it proves folders")
  func verifiedFile() async throws {
    let stage = try CommandLineFixture()
    try stage.write(Self.line("a", 1), to: "a.ndjson")
    let ending = await stage.engage("verify", "a.ndjson")
    #expect(ending.status == .failed)
    #expect(ending.errors.contains("a.ndjson is one file, which has no manifest"), "\(ending)")
  }

  @Test("X14: events pass from each format into each other one")
  func formats() async throws {
    let stage = try CommandLineFixture()
    let texts = ["=1+1", "a\\\"b", "日本語 🎉", "x,y", "'q"]
    let lines = texts.enumerated().map { Self.line("a", $0, $1) }.joined()
    try stage.write(lines, to: "start.ndjson")
    var last = "start.ndjson"
    for name in ["1.csv", "2.parquet", "3.csv.gz", "4.ndjson.zst", "5.ndjson"] {
      let ending = await stage.engage("import", last, "--into", name)
      #expect(ending.output == "5 events added to \(name)\n", "\(ending)")
      last = name
    }
    let end = try String(contentsOf: stage.folder.appending(path: last), encoding: .utf8)
    #expect(end == lines)
  }

  @Test("X14: a folder of an export is read with its partitions")
  func folder() async throws {
    let stage = try CommandLineFixture()
    for day in ["day=1", "day=2", "_manifests"] {
      try FileManager.default.createDirectory(
        at: stage.folder.appending(path: "out/\(day)"), withIntermediateDirectories: true)
      try stage.write(Self.line("a", day == "day=1" ? 1 : 2), to: "out/\(day)/a.ndjson")
    }
    try stage.write("{\n", to: "out/day=2/b.ndjson")
    let ending = await stage.engage("import", "out", "--into", "all.ndjson")
    #expect(ending.errors == "out/day=2/b.ndjson:1: It is no JSON object.\n")
    #expect(try Self.events(stage, "all.ndjson") == ["a1", "a2"])
  }

  @Test("X14: a file with a byte order mark is read", arguments: ["a.ndjson", "a.csv"])
  func byteOrderMark(name: String) async throws {
    let stage = try CommandLineFixture()
    try stage.write(Self.line("a", 1), to: "start.ndjson")
    _ = await stage.engage("import", "start.ndjson", "--into", name)
    let text = try String(contentsOf: stage.folder.appending(path: name), encoding: .utf8)
    try stage.write("\u{FEFF}" + text, to: "marked")
    let ending = await stage.engage("import", "marked", "--into", "all.ndjson")
    #expect(ending.status == .done && ending.errors.isEmpty, "\(ending)")
    #expect(try Self.events(stage, "all.ndjson") == ["a1"])
  }

  @Test("X14: a bad line is told by its number, and the others are imported")
  func badLines() async throws {
    let stage = try CommandLineFixture()
    try stage.write(Self.line("a", 1) + "nonsense\n" + Self.line("a", 2), to: "a.ndjson")
    let ending = await stage.engage("import", "a.ndjson", "--into", "all.ndjson")
    #expect(ending.status == .failed)
    #expect(ending.errors == "a.ndjson:2: It is no JSON object.\n")
    #expect(ending.output == "2 events added to all.ndjson, 1 line bad\n")
    #expect(try Self.events(stage, "all.ndjson") == ["a1", "a2"])
  }

  @Test("X14: a collection that cannot be kept whole is not replaced")
  func refused() async throws {
    let stage = try CommandLineFixture()
    try stage.write(Self.line("a", 1), to: "a.ndjson")
    try stage.write("mine\n", to: "all.ndjson")
    let kept = await stage.engage("import", "a.ndjson", "--into", "all.ndjson")
    #expect(kept.status == .failed && kept.errors.contains("all.ndjson is not replaced: line 1"))
    #expect(
      try String(contentsOf: stage.folder.appending(path: "all.ndjson"), encoding: .utf8)
        == "mine\n")
    let lost = await stage.engage("import", "a.ndjson", "none.ndjson", "--into", "new.ndjson")
    #expect(lost.status == .failed && lost.errors.contains("There is no file"))
    #expect(try !stage.names().contains { $0.hasPrefix("new.ndjson") })
    try FileManager.default.createSymbolicLink(
      at: stage.folder.appending(path: "link.ndjson"),
      withDestinationURL: stage.folder.appending(path: "a.ndjson"))
    let link = await stage.engage("import", "a.ndjson", "--into", "link.ndjson")
    #expect(link.status == .failed && link.errors.contains("link.ndjson is no file"))
    for line in [
      ["a.ndjson"], ["a.ndjson", "--into", "all.txt"], ["a.ndjson", "--into", "a.parquet.gz"],
    ] {
      #expect(await stage.run(["import"] + line).status == .usage)
    }
  }
}
