import EngagementAnalytics
import EngagementEmulator
import EngagementModel
import Foundation
import Testing

@testable import EngageCommands

/// `engage export --to` into tables that name users in a certain way.
@Suite(
  .enabled(if: ClickHouseServers.areInstalled, "\(ClickHouseServers.absence)"),
  .timeLimit(.minutes(20)))
struct ClickHouseUsersTests {
  private static let key = ["--user-hash-key", "hash.key"]

  private static func writeKey(_ letter: String, to stage: CommandLineFixture) throws {
    try stage.write(String(repeating: letter, count: 32), to: "hash.key")
  }

  private static func filled() async throws -> CommandScene {
    let scene = try await CommandScene()
    await scene.engage("sync")
    await scene.emulator.stop()
    try writeKey("k", to: scene.stage)
    return scene
  }

  private static func count(_ servers: ClickHouseServers) async throws -> Int? {
    Int(try await servers.query("SELECT count() FROM events"))
  }

  @Test(
    "X14: other users are refused before any row is written, however late the events are that are there"
  )
  func late() async throws {
    let servers = try await ClickHouseServers()
    let cache = try await SimulatedCache(people: 200, cards: 60)
    try Self.writeKey("k", to: cache.stage)
    let line = ["export", "--to", servers.address()]
    // The first batch has 8192 events.
    let first = await cache.stage.run(line + Self.key + ["--where", "sequence>=9000"])
    #expect(first.status == .done, "\(first.errors)")
    let count = try #require(try await Self.count(servers))
    #expect(count > 100)
    for (options, text) in [
      ([], "in this export they are hashes with the salt of each installation"),
      (["--user-ids"], "in this export they are ids (--user-ids)"),
      (Self.key + ["--redact", "userid"], "in this export they are left out (--redact userid)"),
    ] {
      let ending = await cache.stage.run(line + options)
      #expect(ending.status == .failed && ending.output.isEmpty, "\(ending)")
      #expect(
        ending.errors.contains("In the table events users are hashes with a key (--user-hash-key"),
        "\(ending.errors)")
      #expect(
        ending.errors.contains(text) && ending.errors.contains("?table=NAME"), "\(ending.errors)")
      #expect(!ending.errors.contains("arrived"), "\(ending.errors)")
      #expect(try await Self.count(servers) == count)
    }
    #expect(await cache.stage.run(line + Self.key).status == .done)
  }

  @Test("X14: a table has the users of one key, whichever device sends them")
  func devices() async throws {
    let servers = try await ClickHouseServers()
    let (one, other) = (try await Self.filled(), try await Self.filled())
    let line = ["export", "--to", servers.address()]
    #expect(await one.stage.run(line + Self.key).status == .done)
    let count = try await Self.count(servers)
    try Self.writeKey("q", to: other.stage)
    for options in [[], ["--user-ids"], Self.key] {
      let ending = await other.stage.run(line + options)
      #expect(ending.status == .failed, "\(options)")
      #expect(ending.errors.contains("users are hashes with a key"), "\(ending.errors)")
    }
    #expect(try await Self.count(servers) == count)
    try Self.writeKey("k", to: other.stage)
    #expect(await other.stage.run(line + Self.key).status == .done)
  }

  @Test("X14: devices without a key share a table, since each has its own salt")
  func salts() async throws {
    let servers = try await ClickHouseServers()
    let line = ["export", "--to", servers.address("default", "cluster=two", both: true)]
    for _ in 0..<2 {
      let scene = try await Self.filled()
      let ending = await scene.stage.run(line)
      #expect(ending.status == .done, "\(ending.errors)")
      let ids = await scene.stage.run(line + ["--user-ids"])
      #expect(ids.status == .failed, "\(ids)")
      #expect(
        ids.errors.contains("In the table events users are hashes with the salt of each"),
        "\(ids.errors)")
    }
  }

  @Test("X14: a table that was dropped after a cursor passed events is not begun late")
  func dropped() async throws {
    let servers = try await ClickHouseServers()
    let scene = try await Self.filled()
    let line = ["export", "--to", servers.address(), "--cursor", "rows"]
    #expect(await scene.stage.run(line).status == .done)
    let count = try await Self.count(servers)
    for change in [
      "DROP TABLE events",
      "CREATE TABLE events AS copy ENGINE = ReplacingMergeTree ORDER BY (source, id)",
    ] {
      if change.hasPrefix("DROP") {
        try await servers.query("CREATE TABLE copy AS events ENGINE = Memory")
      }
      try await servers.query(change)
      let ending = await scene.stage.run(line)
      #expect(ending.status == .failed && ending.output.isEmpty, "\(ending)")
      #expect(
        ending.errors.contains("The cursor rows has passed event")
          && ending.errors.contains("engage cursors remove rows"), "\(ending.errors)")
    }
    try await servers.query("DROP TABLE events")
    #expect(await scene.stage.run(["cursors", "remove", "rows"]).status == .done)
    #expect(await scene.stage.run(line).status == .done)
    #expect(try await Self.count(servers) == count)
  }

  @Test("X14: of two cursors into a table that was dropped, each one is told")
  func twoCursors() async throws {
    let servers = try await ClickHouseServers()
    let scene = try await Self.filled()
    _ = await scene.stage.run(["track", "Tea"], in: .impatient)
    let line = ["export", "--to", servers.address(), "--cursor"]
    let (own, delivered) = (
      line + ["own", "--kind", "custom"],
      line + ["delivered", "--where", "type=engage.card.delivered"]
    )
    #expect(await scene.stage.run(own).status == .done)
    #expect(await scene.stage.run(delivered).status == .done)
    let count = try await Self.count(servers)
    try await servers.query("DROP TABLE events")
    #expect(await scene.stage.run(own).status == .failed)
    #expect(await scene.stage.run(["cursors", "remove", "own"]).status == .done)
    #expect(await scene.stage.run(own).status == .done)
    let ending = await scene.stage.run(delivered)
    #expect(ending.status == .failed, "\(ending)")
    #expect(ending.errors.contains("engage cursors remove delivered"), "\(ending)")
    #expect(await scene.stage.run(["cursors", "remove", "delivered"]).status == .done)
    #expect(await scene.stage.run(delivered).status == .done)
    #expect(try await Self.count(servers) == count)
  }

  @Test("X14: a cursor goes on where all rows that it has sent are of a person who was erased")
  func erased() async throws {
    let servers = try await ClickHouseServers()
    let scene = try await Self.filled()
    let line = ["export", "--to", servers.address(), "--cursor", "rows"]
    #expect(await scene.stage.run(line).status == .done)
    #expect(await scene.stage.run(["person", "erase", "u-1", "--yes"]).status == .done)
    try await servers.query("TRUNCATE TABLE events")
    let ending = await scene.stage.run(line)
    #expect(ending.status == .done, "\(ending)")
    #expect(await scene.stage.run(line).status == .done)
  }

  @Test("X14: an empty table takes the users of the next export, also one that others have made")
  func empty() async throws {
    let servers = try await ClickHouseServers()
    let scene = try await Self.filled()
    try await servers.query(ClickHouseTable("events", in: "default").creation)
    let line = ["export", "--to", servers.address()]
    #expect(await scene.stage.run(line + Self.key).status == .done)
    #expect(await scene.stage.run(line).status == .failed)
    try await servers.query("TRUNCATE TABLE events")
    #expect(await scene.stage.run(line).status == .done)
    #expect(await scene.stage.run(line + Self.key).status == .failed)
  }

  @Test("X14: a table that does not say how it names users is asked for each event of each batch")
  func unmarked() async throws {
    let servers = try await ClickHouseServers()
    let cache = try await SimulatedCache(people: 200, cards: 60)
    try Self.writeKey("k", to: cache.stage)
    let line = ["export", "--to", servers.address()]
    let first = await cache.stage.run(line + Self.key + ["--where", "sequence>=9000"])
    #expect(first.status == .done, "\(first.errors)")
    let users = "SELECT uniqExact(source, id, userid) FROM events WHERE sequence >= 9000"
    let before = try await servers.query(users)
    try await servers.query("ALTER TABLE events COMMENT COLUMN userid 'people'")
    let ending = await cache.stage.run(line)
    #expect(ending.status == .failed, "\(ending)")
    #expect(
      ending.errors.contains("The table events has some of these events with other users"),
      "\(ending.errors)")
    // The batches before it have none of the events that are there, and have arrived.
    #expect(try await servers.query(users) == before)
  }
}
