import EngagementAnalytics
import EngagementEmulator
import EngagementJSON
import EngagementModel
import Foundation
import TestSupport
import Testing

@testable import EngageCommands

/// A Python that has DuckDB, and one that has Spark, if the environment names them.
private let python = ProcessInfo.processInfo.environment["ENGAGEMENT_PYTHON"]
private let sparkPython = ProcessInfo.processInfo.environment["ENGAGEMENT_SPARK"]

/// The statements of the page about loading exports, run as they stand there.
@Suite(.timeLimit(.minutes(20))) struct LoadingExportsTests {
  private static let page = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Sources/EngagementKit/EngagementKit.docc/Guides/LoadingExports.md")

  private static func section(_ title: String) throws -> String {
    let text = try String(contentsOf: page, encoding: .utf8)
    let parts = text.components(separatedBy: "\n## \(title)\n")
    return try #require(parts.dropFirst().first).components(separatedBy: "\n## ")[0]
  }

  /// The blocks of code of one language in one section.
  private static func blocks(_ language: String, in title: String) throws -> [String] {
    try section(title).components(separatedBy: "```\(language)\n").dropFirst()
      .map { $0.components(separatedBy: "```")[0] }
  }

  /// A folder `events` of an export, and the same events one by one.
  private static func exported(_ format: String) async throws -> (CommandScene, [JSON]) {
    let scene = try await CommandScene()
    await scene.engage("sync")
    await scene.engage("track", "Coffee, large", "size=a \"large\" one")
    await scene.engage("signin", "u-2")
    await scene.engage("track", "=2+3", "size=7", "other=x")
    await scene.emulator.stop()
    let compression = format == "parquet" ? "--zstd" : "--gzip"
    await scene.engage(
      "export", "--format", format, compression, "--partition", "vendor,day", "--out", "events")
    let events = try await scene.engage("export").lines.map { try JSON(parsing: Array($0.utf8)) }
    return (scene, events)
  }

  /// What a script prints that is given the statements.
  private static func run(
    _ script: String, by python: String, _ statements: [String], in scene: CommandScene
  ) throws -> JSON {
    let list = JSON.array(statements.map(JSON.string)).encoded()
    try scene.stage.write(String(decoding: list, as: UTF8.self), to: "statements.json")
    let (ending, output) = try ChildProcess.run(python, ["-c", script], in: scene.stage.folder)
    try #require(ending.status == 0)
    let last = output.split(separator: "\n").last
    return try JSON(parsing: Array(try #require(last).utf8))
  }

  /// How many events and people each vendor has on each day, as rows.
  private static func groups(_ events: [JSON]) -> Set<String> {
    let groups = Dictionary(grouping: events) { event in
      "\(event["provider"]?.string ?? "none") \(event["time"]?.string?.prefix(10) ?? "")"
    }
    return Set(
      groups.map { key, events in
        "\(key) \(events.count) \(Set(events.compactMap { $0["userid"]?.string }).count)"
      })
  }

  private static func rows(_ json: JSON?) -> Set<String> {
    let rows = (json?.array ?? []).map { row in
      (row.array ?? []).map { $0.string ?? $0.integer.map { "\($0)" } ?? "none" }
    }
    return Set(rows.map { $0.joined(separator: " ") })
  }

  /// The custom events with a property. In CSV, a formula is guarded.
  private static func custom(_ format: String) -> Set<String> {
    ["Coffee, large a \"large\" one", "\(format == "csv" ? "'" : "")=2+3 7"]
  }

  private static let formats = ["parquet", "ndjson", "csv"]

  @Test(
    "X14: DuckDB loads an export by the statements of the page",
    .enabled(if: python != nil, "ENGAGEMENT_PYTHON names no python with duckdb"),
    arguments: formats)
  func duckDB(format: String) async throws {
    let blocks = try Self.blocks("sql", in: "DuckDB")
    try #require(blocks.count == 5)
    let (scene, events) = try await Self.exported(format)
    let load = blocks[try #require(Self.formats.firstIndex(of: format))]
    let script = """
      import duckdb, json
      connection = duckdb.connect()
      statements = json.load(open("statements.json"))
      rows = [connection.execute(statement).fetchall() for statement in statements]
      print(json.dumps(rows, default=str))
      """
    let found = try Self.run(script, by: try #require(python), [load] + blocks[3...], in: scene)
    #expect(Self.rows(found.array?[1]) == Self.groups(events))
    #expect(Self.rows(found.array?[2]) == Self.custom(format))
  }

  @Test(
    "X14: Spark loads an export by the statements of the page",
    .enabled(
      if: sparkPython != nil,
      "ENGAGEMENT_SPARK names no python with pyspark; with Java it takes more than 400 MB"),
    arguments: formats)
  func spark(format: String) async throws {
    let blocks = try Self.blocks("python", in: "Spark")
    try #require(blocks.count == 5)
    let (scene, events) = try await Self.exported(format)
    let load = blocks[1 + (try #require(Self.formats.firstIndex(of: format)))]
    let script = """
      import json
      from pyspark.sql import SparkSession, functions
      spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
      for statement in json.load(open("statements.json")): exec(statement)
      groups = events.groupBy("vendor", "day").agg(
        functions.count("*"), functions.countDistinct("userid"))
      custom = events.where("type = 'engage.custom'").select(
        "name", functions.get_json_object("data", "$.size"))
      print(json.dumps([[list(row) for row in frame.collect()] for frame in (groups, custom)],
        default=str))
      """
    let found = try Self.run(
      script, by: try #require(sparkPython), [blocks[0], load, blocks[4]], in: scene)
    #expect(Self.rows(found.array?[0]) == Self.groups(events))
    #expect(Self.rows(found.array?[1]) == Self.custom(format))
  }

  @Test("X14: the schema for BigQuery has the columns of an export")
  func bigQuery() throws {
    let blocks = try Self.blocks("json", in: "BigQuery")
    let schema = try JSON(parsing: Array(try #require(blocks.first).utf8)).array ?? []
    #expect(schema.map { $0["name"]?.string } == EventColumn.allCases.map(\.name))
    let required = schema.filter { $0["mode"] == "REQUIRED" }.compactMap { $0["name"]?.string }
    #expect(Set(required) == Set(EventRedaction.required.map(\.name)))
    let others = schema.filter { $0["type"] != "STRING" }.map {
      "\($0["name"]?.string ?? "") \($0["type"]?.string ?? "")"
    }
    #expect(
      others == [
        "time TIMESTAMP", "sequence INTEGER", "recordedtime TIMESTAMP", "uptime INTEGER",
        "zoneoffset INTEGER", "data JSON",
      ])
  }

  @Test("X14: the page has the columns of the table in ClickHouse, with their types")
  func columns() throws {
    let listed = try Self.section("ClickHouse").matches(of: /\n\| `(\w+)` \| `([\w()]+)` \| \w/)
    let creation = ClickHouseTable("t", in: "d").creation
    let made = creation.matches(of: /`(\w+)` ([A-Z][\w()]*)/)
    #expect(made.count == EventColumn.allCases.count + 1)
    #expect(listed.map { "\($0.1) \($0.2)" } == made.map { "\($0.1) \($0.2)" })
  }

  @Test(
    "X14: ClickHouse answers the statements of the page",
    .enabled(if: ClickHouseServers.areInstalled, "\(ClickHouseServers.absence)"))
  func clickHouse() async throws {
    let statements = try Self.blocks("sql", in: "ClickHouse")
    let (scene, events) = try await Self.exported("ndjson")
    let servers = try await ClickHouseServers()
    // What is there twice counts once.
    for _ in 1...2 {
      #expect(await scene.stage.engage("export", "--to", servers.address()).status == .done)
    }
    var found: [JSON?] = []
    for statement in statements {
      let end = try #require(statement.lastIndex(of: ";"))
      let answer = try await servers.query("\(statement[..<end]) FORMAT JSONCompact")
      found.append(try JSON(parsing: Array(answer.utf8))["data"])
    }
    try #require(found.count == 2)
    #expect(Self.rows(found[0]) == Self.groups(events))
    #expect(Self.rows(found[1]) == [#"Coffee, large "a \"large\" one""#, "=2+3 7"])
  }
}
