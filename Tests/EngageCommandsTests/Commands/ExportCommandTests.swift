import EngagementAnalytics
import EngagementEmulator
import EngagementFormats
import EngagementJSON
import EngagementModel
import Foundation
import Testing

@testable import EngageCommands

/// `engage export`, over events of both vendors.
@Suite(.timeLimit(.minutes(20))) struct ExportCommandTests {
  /// A folder with events of two users, and no vendor any more.
  private static func filled() async throws -> CommandScene {
    let scene = try await CommandScene()
    await scene.engage("sync")
    await scene.engage("track", "Coffee, large", "size=a \"large\" one")
    await scene.engage("signin", "u-2")
    await scene.engage("track", "=2+3")
    await scene.emulator.stop()
    return scene
  }

  private static func events(_ ending: CommandLineFixture.Ending) throws -> [JSON] {
    try ending.lines.map { try JSON(parsing: Array($0.utf8)) }
  }

  @Test("X14: an export has every event of all users once, as CloudEvents in order")
  func ndjson() async throws {
    let scene = try await Self.filled()
    let ending = await scene.engage("export")
    let events = try Self.events(ending)
    #expect(ending.errors == "\(events.count) events exported.\n")
    let sequences = events.compactMap { $0["sequence"]?.integer }
    #expect(sequences == (1...Int64(events.count)).map { $0 })
    #expect(events.allSatisfy { $0["specversion"] == "1.0" && $0["recordedtime"] != nil })
    #expect(Set(events.compactMap { $0["source"]?.string }).count == 1)
    #expect(Set(events.compactMap { $0["id"]?.string }).count == events.count)
    let types = Set(events.compactMap { $0["type"]?.string })
    #expect(
      types.isSuperset(of: [
        "engage.card.delivered", "engage.message.delivered", "engage.session.start",
        "engage.custom", "engage.provider.request",
      ]), "\(types)")
    let delivered = try #require(events.first { $0["type"] == "engage.card.delivered" })
    #expect(delivered["subject"]?.string?.hasPrefix("braze/") == true)
    #expect(delivered["provider"] == "braze" && delivered["surface"] == "cards")
    let custom = events.filter { $0["type"] == "engage.custom" }
    #expect(custom.map { $0["name"] } == ["Coffee, large", "=2+3"])
    #expect(custom.first?["data"] == ["size": "a \"large\" one"])
    #expect(custom[0]["userid"] != custom[1]["userid"])
    // Twice the same bytes.
    #expect(await scene.engage("export") == ending)
  }

  @Test("X14: users are hashes, by the key of the organisation where there is one")
  func users() async throws {
    let scene = try await Self.filled()
    func names(_ options: String...) async throws -> Set<String> {
      let ending = await scene.stage.run(["export", "--kind", "custom"] + options)
      return Set(try Self.events(ending).compactMap { $0["userid"]?.string })
    }
    #expect(try await names("--user-ids") == ["u-1", "u-2"])
    let salted = try await names()
    #expect(salted.count == 2 && salted.allSatisfy { $0.count == 64 })
    try scene.stage.write("key", to: "hash.key")
    let hash = PersonHash(key: Array("key".utf8))
    let keyed: Set = [hash.text(of: "u-1"), hash.text(of: "u-2")]
    #expect(try await names("--user-hash-key", "hash.key") == keyed)
    // An editor ends a file with a line end, which is no part of the key.
    for end in ["\n", "\r\n"] {
      try scene.stage.write("key" + end, to: "line.key")
      #expect(try await names("--user-hash-key", "line.key") == keyed)
    }
    try scene.stage.write("key\n\n", to: "line.key")
    #expect(try await names("--user-hash-key", "line.key").isDisjoint(with: keyed))
    let both = await scene.stage.engage("export", "--user-ids", "--user-hash-key", "hash.key")
    #expect(both.status == .usage)
    try scene.stage.write("", to: "empty.key")
    #expect(
      await scene.stage.engage("export", "--user-hash-key", "empty.key").errors
        .contains("empty.key is empty"))
  }

  @Test("X14: without a key, each installation hashes its users with a salt of its own")
  func salt() async throws {
    var hashes: [Set<String>] = []
    for _ in 0..<2 {
      let ending = try await Self.filled().engage("export", "--kind", "custom")
      hashes.append(Set(try Self.events(ending).compactMap { $0["userid"]?.string }))
      // It stays with the installation, and who knows an id cannot compute the hash.
      #expect(!hashes[0].contains(PersonHash(key: []).text(of: "u-1")))
      #expect(!hashes[0].contains(SHA256.digest(of: Array("u-1".utf8)).description))
    }
    #expect(hashes[0].isDisjoint(with: hashes[1]) && hashes.allSatisfy { $0.count == 2 })
  }

  @Test("X14: kinds, providers and times select events")
  func selected() async throws {
    let scene = try await Self.filled()
    let all = try Self.events(await scene.engage("export"))
    func count(_ options: String...) async throws -> Int {
      try Self.events(await scene.stage.run(["export"] + options)).count
    }
    #expect(try await count("--kind", "custom", "--kind", "session.start") == 4)
    let braze = all.count { $0["provider"] == "braze" }
    #expect(try await count("--provider", "braze") == braze && braze > 0 && braze < all.count)
    // The clock of the tests stands still.
    #expect(try await count("--since", "2026-10-01", "--until", "2026-10-02") == all.count)
    #expect(try await count("--since", "2026-10-01T09:00:00Z") == all.count)
    #expect(try await count("--until", "2026-10-01T09:00:00Z") == 0)
    for line in [["--since", "soon"], ["--since", "2026-10-02", "--until", "2026-10-01"]] {
      let ending = await scene.stage.run(["export"] + line)
      #expect(ending.status == .usage && ending.errors.contains("--since"), "\(ending)")
    }
    #expect(await scene.stage.engage("export", "--format", "cvs").errors.contains("csv"))
  }

  @Test("X14: a file gets its name when it is whole, and none takes the place of another")
  func file() async throws {
    let scene = try await Self.filled()
    let ending = await scene.engage("export", "--format", "csv", "--out", "events.csv")
    let file = scene.stage.folder.appending(path: "events.csv")
    let csv = try String(contentsOf: file, encoding: .utf8)
    let count = csv.components(separatedBy: "\r\n").count - 2
    #expect(ending.output == "\(count) events in events.csv\n")
    #expect(csv.hasPrefix("id,source,type,subject,time,sequence,"))
    let tail = #","Coffee, large","{""size"":""a \""large\"" one""}""# + "\r\n"
    #expect(csv.contains(tail))
    #expect(csv.contains(",'=2+3,"))
    let again = await scene.stage.engage("export", "--out", "events.csv")
    #expect(again.status == .failed && again.errors.contains("events.csv is there already"))
    try FileManager.default.createSymbolicLink(
      at: scene.stage.folder.appending(path: "link"), withDestinationURL: file)
    #expect(await scene.stage.engage("export", "--out", "link").status == .failed)
    #expect(await scene.stage.engage("export", "--out", "no/folder.csv").status == .failed)
    #expect(try String(contentsOf: file, encoding: .utf8) == csv)
    #expect(try scene.stage.names().allSatisfy { !$0.contains(".part-") })
  }

  @Test("X14 X20: an erased user is in no export")
  func erased() async throws {
    let scene = try await Self.filled()
    await scene.engage("person", "erase", "u-1", "--yes")
    let names = try Self.events(await scene.engage("export", "--user-ids"))
      .compactMap { $0["userid"]?.string }
    #expect(Set(names) == ["u-2"])
  }

  @Test("X14: without a cache there is nothing to export, and a person is told")
  func none() async throws {
    let stage = try CommandLineFixture()
    try stage.configure(endpoint: "http://127.0.0.1:1")
    let ending = await stage.engage("export", "--out", "events.ndjson")
    #expect(ending.status == .failed)
    #expect(ending.errors.contains("There is no cache at engagement.sqlite yet; run"))
    #expect(try !stage.names().contains { $0.hasPrefix("events") })
  }
}
