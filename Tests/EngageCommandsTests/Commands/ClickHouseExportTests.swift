import EngagementAnalytics
import EngagementCurl
import EngagementEmulator
import EngagementJSON
import EngagementModel
import Foundation
import TestServers
import Testing

@testable import EngageCommands

/// `engage export --to`, into real servers.
@Suite(
  .enabled(if: ClickHouseServers.areInstalled, "\(ClickHouseServers.absence)"),
  .timeLimit(.minutes(20)))
struct ClickHouseExportTests {
  private static let columns =
    "id, source, type, subject, time, sequence, recordedtime, uptime, zoneoffset, userid, "
    + "sessionid, provider, surface, container, name, data"

  private static func filled() async throws -> CommandScene {
    let scene = try await CommandScene()
    await scene.engage("sync")
    // Whether the vendor takes it is another matter.
    _ = await scene.stage.engage(
      "track", "it's a \\ \"test\"`\u{1F9E1}", "size=\u{1F9E1} ' \\ \"", "count=9007199254740993",
      by: CurlTransport())
    await scene.emulator.stop()
    return scene
  }

  /// The rows as the events of a file are, in order.
  private static func rows(_ servers: ClickHouseServers, _ table: String = "events") async throws
    -> [JSON]
  {
    let text = try await servers.query(
      "SELECT \(columns) FROM \(table) FINAL ORDER BY sequence "
        + "FORMAT JSONEachRow")
    return try text.split(separator: "\n").map { try JSON(parsing: Array($0.utf8)) }
  }

  /// The events of a file, as a table has them.
  private static func expected(_ scene: CommandScene) async throws -> [JSON] {
    try await scene.engage("export").lines.map { line in
      let event = try JSON(parsing: Array(line.utf8))
      var row = JSONObject()
      for name in columns.split(separator: ", ").map(String.init) {
        var value = event[name] ?? .null
        if name == "time" || name == "recordedtime", let text = value.string {
          let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
          let seconds = try style.parse(text).timeIntervalSince1970
          value = .integer(Int64((seconds * 1_000).rounded()))
        }
        if name == "data", value != .null {
          value = .string(String(decoding: value.encoded(), as: UTF8.self))
        }
        row[name] = value
      }
      return .object(row)
    }
  }

  @Test("X14: every event is a row with the same values, and a repeated export changes nothing")
  func rows() async throws {
    let servers = try await ClickHouseServers()
    let scene = try await Self.filled()
    let expected = try await Self.expected(scene)
    let line = ["export", "--to", servers.address()]
    let first = await scene.stage.run(line)
    let name = "clickhouse://127.0.0.1:\(servers.ports[0])/default?table=events"
    #expect(first.status == .done, "\(first.errors)")
    #expect(first.output == "\(expected.count) events in \(name)\n")
    let rows = try await Self.rows(servers)
    #expect(rows.count == expected.count)
    #expect(zip(rows, expected).first { $0 != $1 } == nil)
    let again = await scene.stage.run(line + ["--json"])
    let object = try JSON(parsing: Array(again.output.utf8))
    #expect(object["target"]?.string == name && object["events"]?.integer == Int64(expected.count))
    #expect(try await servers.query("SELECT count() FROM events") == "\(expected.count * 2)")
    #expect(try await Self.rows(servers).elementsEqual(expected))
    let day = try await servers.query("SELECT DISTINCT day FROM events WHERE type LIKE '%custom'")
    #expect(day == "2026-10-01")
  }

  @Test("X14: over a cluster each event is on one server, and the same one each time")
  func cluster() async throws {
    let servers = try await ClickHouseServers()
    let scene = try await Self.filled()
    let expected = try await Self.expected(scene)
    let line = ["export", "--to", servers.address("default", "cluster=two", both: true)]
    for run in 1...2 {
      let ending = await scene.stage.run(line)
      #expect(ending.status == .done, "\(ending.errors)")
      var counts: [Int] = []
      for server in 0..<2 {
        counts.append(
          Int(try await servers.query("SELECT count() FROM events_local", on: server)) ?? 0)
      }
      #expect(counts.reduce(0, +) == run * expected.count && counts.allSatisfy { $0 > 0 })
    }
    #expect(try await Self.rows(servers).elementsEqual(expected))
    // What arrived is told only once every server has it.
    servers.end(1)
    let ending = await scene.stage.run(line)
    #expect(ending.status == .failed && ending.errors.contains("unavailable"), "\(ending.errors)")
    let one = await scene.stage.engage(
      "export", "--to", servers.address("default", "cluster=two&table=other"))
    #expect(one.status == .failed && one.errors.contains("name the HTTP ports of all"))
    let none = await scene.stage.engage("export", "--to", servers.address("default", "cluster=tow"))
    #expect(none.errors.contains("knows no cluster \"tow\"; did you mean \"two\"?"), "\(none)")
  }

  @Test("X14: people in a table stay who they are when a later export forgets their key")
  func otherUsers() async throws {
    let servers = try await ClickHouseServers()
    let scene = try await Self.filled()
    try scene.stage.write(String(repeating: "k", count: 32), to: "hash.key")
    let line = ["export", "--to", servers.address()]
    let key = ["--user-hash-key", "hash.key"]
    #expect(await scene.stage.run(line + key).status == .done)
    let rows = try await Self.rows(servers)
    for options in [[], ["--user-ids"], key + ["--redact", "userid"]] {
      let ending = await scene.stage.run(line + options)
      #expect(ending.status == .failed, "\(options)")
      #expect(
        ending.errors.contains("In the table events users are hashes with a key (--user-hash-key"),
        "\(ending.errors)")
    }
    #expect(try await Self.rows(servers) == rows)
    #expect(await scene.stage.run(line + key).status == .done)
    let other = ["export", "--to", servers.address("default", "table=other")]
    #expect(await scene.stage.run(other).status == .done)
  }

  @Test("X14: a cursor follows what has arrived, and belongs to one target and one selection")
  func cursor() async throws {
    let servers = try await ClickHouseServers()
    let scene = try await Self.filled()
    let line = ["export", "--cursor", "nightly", "--to"]
    #expect(await scene.stage.run(line + [servers.address()]).status == .done)
    let again = await scene.stage.run(line + [servers.address()])
    #expect(again.output == "Nothing new since the last export.\n", "\(again)")
    _ = await scene.stage.run(["track", "Tea"], in: .impatient)
    #expect(await scene.stage.run(line + [servers.address()]).status == .done)
    let expected = try await Self.expected(scene)
    #expect(try await servers.query("SELECT count() FROM events") == "\(expected.count)")
    #expect(try await Self.rows(servers).elementsEqual(expected))
    // The user is no part of the target.
    let secret = servers.address("default", "timeout=10").replacing(
      "//", with: "//ana:p%40ss%3Aword@")
    #expect(await scene.stage.run(line + [secret]).status == .done)
    for other in [["--to", servers.address("default", "table=other")], ["--out", "out"]] {
      let ending = await scene.stage.run(["export", "--cursor", "nightly"] + other)
      #expect(ending.status == .failed && ending.errors.contains("was begun with"), "\(ending)")
      #expect(!ending.errors.contains("word@"))
    }
  }

  @Test("X14: conditions, redaction and hashes hold for rows, too")
  func selection() async throws {
    let servers = try await ClickHouseServers()
    let scene = try await Self.filled()
    let ending = await scene.stage.engage(
      "export", "--kind", "custom", "--redact", "data.size", "--redact", "userid", "--to",
      servers.address("default", "table=we%20'ird%60%5C"))
    #expect(ending.status == .done, "\(ending)")
    let rows = try await Self.rows(servers, "`we 'ird\\`\\\\`")
    #expect(rows.count == 1 && rows[0]["userid"] == .null)
    #expect(rows[0]["data"]?.string == #"{"count":9007199254740993}"#, "\(rows)")
    #expect(rows[0]["name"]?.string == "it's a \\ \"test\"`\u{1F9E1}")
  }

  @Test(
    "X14: an address, a user, a database or a table that is not right is told with the next step")
  func wrong() async throws {
    let servers = try await ClickHouseServers()
    let scene = try await Self.filled()
    try await servers.query("CREATE TABLE plain (id String) ENGINE = MergeTree ORDER BY id")
    try await servers.query(
      "CREATE TABLE keyed (id String, source String) ENGINE = ReplacingMergeTree ORDER BY id")
    try await servers.query(
      "CREATE TABLE short (id String, source String) ENGINE = ReplacingMergeTree "
        + "ORDER BY (source, id)")
    let dead = try DeadPort()
    let stranger = servers.address().replacing("//", with: "//bob@")
    let ana = servers.address().replacing("//", with: "//ana@")
    for (address, text) in [
      (servers.address("nowhere"), "no such database; make it with CREATE DATABASE"),
      (servers.address("default", "table=plain"), "The table plain has the engine MergeTree"),
      (servers.address("default", "table=keyed"), "is not ordered by source and id"),
      (servers.address("default", "table=short"), "The table short has no column type"),
      (stranger, "$CLICKHOUSE_PASSWORD"), (ana, "$CLICKHOUSE_PASSWORD"),
      ("clickhouse://127.0.0.1:\(dead.number)/default", "127.0.0.1:\(dead.number)"),
    ] {
      let ending = await scene.stage.engage("export", "--cursor", "c", "--to", address)
      #expect(ending.status == .failed && ending.output.isEmpty, "\(address)")
      #expect(ending.errors.contains(text), "\(ending.errors)")
    }
    let word = CommandLineFixture.Setting(environment: ["CLICKHOUSE_PASSWORD": "p@ss:word"])
    #expect(await scene.stage.engage("export", "--to", ana, in: word).status == .done)
    try scene.stage.write("p@ss:word\n", to: "word")
    let file = ana + "?password-file=word"
    #expect(await scene.stage.engage("export", "--to", file).status == .done)
    try scene.stage.write("p@ss:word\n", to: "word", mode: 0o644)
    let open = await scene.stage.engage("export", "--to", file)
    #expect(open.errors.contains("run chmod 600"), "\(open)")
  }

  @Test("X14: a table is asked which events of a batch it has")
  func search() async throws {
    let servers = try await ClickHouseServers()
    let cache = try await SimulatedCache(people: 200, cards: 25)
    let address = servers.address("default", "cluster=two", both: true)
    #expect(await cache.stage.run(["export", "--to", address]).status == .done)
    let text = try await servers.query("SELECT source, id FROM events FORMAT JSONEachRow")
    // More than a batch ever has.
    let rows = text.split(separator: "\n").prefix(9_300)
    let there = rows.joined(separator: "\n") + "\n"
    let other = #"{"source":"it's \\","id":"\u0000"}"#
    let table = ClickHouseTable("events", in: "default", over: "two")
    for (batch, count) in [(there, 9_300), (there + other + "\n" + other, 9_301)] {
      let search = table.search(for: Array(batch.utf8))
      #expect(search.events == count)
      let limit = "max_query_size=16777216"
      let answer = try JSON(parsing: Array(try await servers.query(search.query, limit).utf8))
      #expect(answer["data"] == [[9_300]], "\(answer)")
    }
  }

  @Test("X14: after kills at any moment every event is there once")
  func kills() throws {
    let script = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../UnderFault/run").standardized
    let ending = try Programs.run(
      script.path, ["clickhouse", "--cycles", "20", "--worker", Programs.built("engage")])
    #expect(ending.status == 0, "\(ending.output) \(ending.errors)")
    #expect(ending.output.contains("20 killed"), "\(ending.output)")
  }
}
