import EngagementJSON
import EngagementModel
import Foundation
import TestSupport
import Testing

@testable import EngageCommands
@testable import EngagementAnalytics

/// `engage compare --from` and `engage experiment report --from`, by real servers and from files.
@Suite(
  .enabled(if: ClickHouseServers.areInstalled, "\(ClickHouseServers.absence)"),
  .timeLimit(.minutes(20)))
struct ClickHouseCompareTests {
  /// Puts events into a table, and some of them twice.
  private static func load(
    _ events: RecordedEvents, _ stage: CommandLineFixture, into servers: ClickHouseServers,
    over cluster: String? = nil
  ) async throws {
    try stage.write(events.ndjson, to: "events.ndjson")
    let table = ClickHouseTable("events", in: "default", over: cluster)
    for server in 0..<2 {
      try await servers.query(table.creation, on: server)
      if let distribution = table.distribution {
        try await servers.query(distribution, on: server)
      }
    }
    var encoder = ClickHouseEncoder()
    var count = 0
    try EventFile(stage.folder.appending(path: "events.ndjson").path).read { _, event in
      guard case .event(let record) = event else { return }
      record.send(to: &encoder)
      count += 1
    }
    #expect(count == events.lines.count)
    let rows = String(decoding: encoder.bytes, as: UTF8.self)
    let again = rows.split(separator: "\n").prefix(count / 3).joined(separator: "\n")
    for batch in [rows, again] { try await servers.query("\(table.insertion)\n\(batch)") }
  }

  /// People who do all that a comparison has to tell apart.
  private static func people(seed: UInt64, isSound: Bool = false) -> RecordedEvents {
    var random = SeededGenerator(seed: seed)
    var events = RecordedEvents()
    let providers = ["braze", "vibes", "it's \\ \"odd\"\t\u{1F9E1}"]
    for person in 0..<600 {
      let user = Int.random(in: 0..<20, using: &random) == 0 ? nil : "p'\(person / 2)\\"
      func members(_ more: JSONObject = [:], from days: Int = 0) -> JSONObject {
        var members: JSONObject = [
          "source": .string("urn:\(person % 7)"), "id": .string("\(person)-\(events.lines.count)"),
          "provider": .string(providers[Int.random(in: 0..<3, using: &random)]),
        ]
        let day = Int.random(in: days..<40, using: &random)
        // Few moments, so that much happens at the same one.
        let second = Int.random(in: 0..<2, using: &random) * 43_200
        let time = Date(timeIntervalSince1970: Double(1_788_000_000 + day * 86_400 + second))
        members["time"] = .string(
          time.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
        for member in more.members { members[member.key] = member.value }
        return members
      }
      let arms = ["old", "old", "old", "new", "new", "new", "newer"]
      let arm = isSound ? arms[person / 2 % 2 * 3] : arms[Int.random(in: 0..<7, using: &random)]
      for kind in ["assigned", "exposed", "exposed"] where Int.random(in: 0..<4, using: &random) > 0
      {
        let version = !isSound && Int.random(in: 0..<30, using: &random) == 0 ? 2 : 1
        let other = !isSound && Int.random(in: 0..<40, using: &random) == 0 ? "new" : arm
        var data: JSONObject = ["arm": .string(other)]
        if version != 1 || person % 3 > 0 { data["version"] = .integer(Int64(version)) }
        if person % 5 > 0 { data["appVersion"] = .string(person % 2 == 0 ? "3.2" : "4'\\") }
        if person % 11 > 0 { data["tenure"] = .integer(Int64(person % 3)) }
        let name = Int.random(in: 0..<10, using: &random) == 0 ? "other" : "ban'ner\\"
        events.add(
          "experiment.\(kind)", by: user,
          members(["name": .string(name), "data": .object(data)], from: 10))
      }
      for _ in 0..<Int.random(in: 0..<14, using: &random) {
        let (surface, noun) = [
          ("cards", "card"), ("inbox", "message"), ("stories", "stories"), ("push", "push"),
        ][Int.random(in: 0..<4, using: &random)]
        let kind = [
          "delivered", "impression", "click", "click", "submit", "dismiss", "optout", "custom",
        ][Int.random(in: 0..<8, using: &random)]
        var more = members()
        if Int.random(in: 0..<5, using: &random) > 0 { more["surface"] = .string(surface) }
        // Of a bridged item, what the user did counts, and not the vendor's word.
        if surface == "inbox", kind == "click" { more["data"] = ["vendorKind": "open"] }
        let type = Int.random(in: 0..<6, using: &random) == 0 ? kind : "\(noun).\(kind)"
        events.add(type, by: user, more)
      }
      if Int.random(in: 0..<3, using: &random) == 0 {
        events.add("optout", by: user, members().without(["provider"]))
      }
      if person % 9 == 0 {
        let reason: JSON = person % 2 == 0 ? "rejected" : "expired"
        events.add(
          "card.outbox.dropped", by: user,
          members(["surface": "cards", "data": ["reason": reason, "count": 2]]))
      }
      for kind in ["request", "failed"] where Int.random(in: 0..<3, using: &random) > 0 {
        let time: JSON = [.integer(Int64(person)), .number(1.5), .string("x"), .integer(-1)][
          Int.random(in: 0..<4, using: &random)]
        events.add("provider.\(kind)", by: user, members(["data": ["milliseconds": time]]))
      }
    }
    return events
  }

  @Test("X12: the days of events that count for several providers are those of files")
  func optOuts() async throws {
    let (servers, stage) = (try await ClickHouseServers(), try CommandLineFixture())
    try await Self.load(Self.people(seed: 8), stage, into: servers)
    let design = try ComparisonDesign(
      providers: ["braze", "vibes"], control: "braze",
      metrics: [
        ComparisonMetric("opt-outs", .events(.optOut)),
        ComparisonMetric("later", .events(.optOut, per: .click)),
      ])
    let address = try Self.parsed(servers.address(), stage)
    let client = ClickHouseClient(address)
    var reader = ClickHouseCounts(
      ClickHouseComparison(design, of: address.table, at: .min ..< .max))
    let remote = try await reader.read { (query) throws(EngagementError) in
      try await client.rows(of: query, from: address.servers[0])
    }
    var accumulator = ComparisonAccumulator(design)
    var sink = ObservedEventSink { accumulator.add($0) }
    try EventFile(stage.folder.appending(path: "events.ndjson").path).read { _, event in
      if case .event(let record) = event { record.send(to: &sink) }
    }
    let local = accumulator.counts()
    #expect(local == remote)
    #expect(local.arms.allSatisfy { $0.metrics[0].numerator > 0 && $0.days.count > 5 })
  }

  private static func same(
    _ stage: CommandLineFixture, _ words: [String], _ address: String
  ) async throws -> JSON {
    let local = await stage.run(words + ["--json", "--from", "events.ndjson"])
    let remote = await stage.run(words + ["--json", "--from", address])
    #expect(local.status == .done && remote.status == .done, "\(local.errors) \(remote.errors)")
    #expect(local.output == remote.output)
    return try JSON(parsing: Array(remote.output.utf8))
  }

  @Test("X12: providers compare on a server as they do from files", arguments: [1, 2] as [UInt64])
  func providers(seed: UInt64) async throws {
    let (servers, stage) = (try await ClickHouseServers(), try CommandLineFixture())
    try await Self.load(Self.people(seed: seed), stage, into: servers)
    let all = try await Self.same(stage, ["compare"], servers.address())
    #expect(all["arms"]?.array?.count == 3 && all["leftOut"]?["inSeveralArms"] != 0)
    // More than what carries a provider.
    let optOuts = try #require(all["arms"]?.array).compactMap { $0["events"]?["optout"]?.integer }
    #expect(optOuts.count == 3 && optOuts.allSatisfy { $0 > 80 }, "\(optOuts)")
    _ = try await Self.same(
      stage, ["compare", "--since", "2026-09-10", "--until", "2026-09-20"], servers.address())
    _ = try await Self.same(
      stage, ["compare", "--provider", "vibes", "--provider", "braze", "--metric", "click"],
      servers.address())
  }

  @Test("X12: a server tells as files do of a time without events, and of events without users")
  func coverage() async throws {
    let (servers, stage) = (try await ClickHouseServers(), try CommandLineFixture())
    var events = RecordedEvents()
    for device in 0..<20 {
      events.add(
        "card.delivered", by: nil,
        [
          "source": .string("urn:\(device)"), "surface": "cards",
          "provider": .string(device % 2 == 0 ? "braze" : "vibes"),
        ])
    }
    try await Self.load(events, stage, into: servers)
    let all = try await Self.same(stage, ["compare"], servers.address())
    #expect(
      all["notes"]?.array?.first == "20 events have no user: each device counts as one person.")
    let later = try await Self.same(
      stage, ["compare", "--since", "2026-11-01"], servers.address())
    #expect(
      later["notes"]?.array?.first
        == "No event lies in this time: the newest one is of 2026-10-01T09:00:00Z.")
  }

  @Test("X12: a server tells as files do of people who were all assigned after the end")
  func afterEnd() async throws {
    let (servers, stage) = (try await ClickHouseServers(), try CommandLineFixture())
    var events = RecordedEvents()
    for person in 0..<20 { events.expose("\(person)", to: person % 2 == 0 ? "old" : "new") }
    try await Self.load(events, stage, into: servers)
    let plan = Self.plan.replacing(#"ban'ner\\"#, with: "banner")
      .replacing("2026-10-04", with: "2026-10-01")
    try stage.write(plan, to: "plan.json")
    let report = try await Self.same(
      stage, ["experiment", "report", "plan.json"], servers.address())
    let sentences = report["checks"]?.array?.compactMap { $0["sentence"]?.string } ?? []
    let text = "All people were assigned to an arm after the end, 2026-10-01, and nobody before"
    #expect(sentences.contains { $0.hasPrefix(text) }, "\(sentences)")
  }

  private static let plan = #"""
    {"name": "ban'ner\\", "arms": {"old": 0.5, "new": 0.5}, "control": "old",
     "metrics": ["click", {"name": "clickers", "people": "click", "among": "delivered"},
                 {"name": "clicks", "events": "click", "per": "impression"},
                 {"name": "cus'tom", "events": "custom"}],
     "schedule": {"fixed": {"people": 50, "end": "2026-10-04"}},
     "lookBackDays": 14, "strata": ["appVersion", "tenure"]}
    """#

  @Test(
    "X12: an experiment with ratios, strata, a past and guardrails has the figures of files",
    arguments: [3, 4] as [UInt64])
  func experiment(seed: UInt64) async throws {
    let (servers, stage) = (try await ClickHouseServers(), try CommandLineFixture())
    try await Self.load(Self.people(seed: seed), stage, into: servers)
    try stage.write(Self.plan, to: "plan.json")
    let words = ["experiment", "report", "plan.json"]
    let report = try await Self.same(stage, words, servers.address())
    #expect(report["arms"]?.array?.allSatisfy { $0["exposed"] != 0 } == true, "\(report)")
    #expect(report["leftOut"]?["inSeveralArms"] != 0)
  }

  @Test("X12: the lift and its interval are those of files, with the past taken into account")
  func lift() async throws {
    let (servers, stage) = (try await ClickHouseServers(), try CommandLineFixture())
    try await Self.load(Self.people(seed: 7, isSound: true), stage, into: servers)
    try stage.write(Self.plan.replacing(#", "end": "2026-10-04""#, with: ""), to: "plan.json")
    let words = ["experiment", "report", "plan.json"]
    let report = try await Self.same(stage, words, servers.address())
    #expect(report["withheld"] == [], "\(report["withheld"] ?? .null)")
    try stage.write(Self.plan.replacing("ban'ner", with: "none"), to: "none.json")
    for place in ["events.ndjson", servers.address()] {
      let none = await stage.engage("experiment", "report", "none.json", "--from", place)
      #expect(none.errors.contains("There are events of: ban'ner\\, other."), "\(none)")
      #expect(none.status == .failed && none.output.isEmpty)
    }
  }

  @Test("X12: a distributed table gives the same figures")
  func cluster() async throws {
    let (servers, stage) = (try await ClickHouseServers(), try CommandLineFixture())
    try await Self.load(Self.people(seed: 5), stage, into: servers, over: "two")
    try stage.write(Self.plan, to: "plan.json")
    let address = servers.address("default", "cluster=two")
    _ = try await Self.same(stage, ["compare"], address)
    _ = try await Self.same(stage, ["experiment", "report", "plan.json"], address)
  }

  @Test("X12: people are read in slices, which add up to the same")
  func slices() async throws {
    let (servers, stage) = (try await ClickHouseServers(), try CommandLineFixture())
    try await Self.load(Self.people(seed: 6), stage, into: servers)
    let address = try Self.parsed(servers.address(), stage)
    let client = ClickHouseClient(address)
    let design = try ComparisonDesign(providers: ["braze", "vibes"], control: "braze")
    var counts: [ComparisonCounts] = []
    for people in [100_000, 50] {
      var reader = ClickHouseCounts(
        ClickHouseComparison(design, of: address.table, at: .min ..< .max, peopleOfSlice: people))
      counts.append(
        try await reader.read { (query) throws(EngagementError) in
          try await client.rows(of: query, from: address.servers[0])
        })
    }
    #expect(counts[0] == counts[1] && counts[0].arms[0].assigned > 0)
  }

  private static func parsed(_ text: String, _ stage: CommandLineFixture) throws
    -> ClickHouseAddress
  {
    let context = CommandContext(
      terminal: Terminal(output: { _ in }, errors: { _ in }), environment: { _ in nil },
      directory: stage.folder.path,
      transport: { _ in Unplugged() }, interruption: {})
    let line = try Parser.parse(["compare", "--from", text], among: Command.all(for: []))
    guard case .run(let parsed) = line else { throw UsageError("no command", of: "compare") }
    return try ClickHouseAddress(
      text, of: ComparisonOptions.from,
      Invocation(parsed, [], Console(terminal: context.terminal, isJSON: false), context))
  }

  @Test(
    "X12: devices without a person in common are told, as of files",
    arguments: [("a", "b", true), ("a", "a", false)])
  func salts(first: String, second: String, isTold: Bool) async throws {
    let (servers, stage) = (try await ClickHouseServers(), try CommandLineFixture())
    var events = RecordedEvents()
    for (device, user) in [("urn:1", first), ("urn:2", second)] {
      for provider in ["braze", "vibes"] {
        events.add(
          "card.delivered", by: String(repeating: user, count: 64),
          [
            "source": .string(device), "subject": "x/1", "provider": .string(provider),
            "surface": "cards",
          ])
      }
    }
    try await Self.load(events, stage, into: servers)
    for place in ["events.ndjson", servers.address()] {
      let ending = await stage.engage("compare", "--from", place)
      #expect(
        (ending.output + ending.errors).contains("No person is on two of the 2 devices.") == isTold,
        "\(place): \(ending)")
    }
  }

  @Test("X12: a table that is not there, or files beside it, are told")
  func wrong() async throws {
    let (servers, stage) = (try await ClickHouseServers(), try CommandLineFixture())
    let none = await stage.engage("compare", "--from", servers.address())
    #expect(none.status == .failed && none.errors.contains("no table events of events"), "\(none)")
    let both = await stage.engage("compare", "--from", servers.address(), "--from", "events.ndjson")
    #expect(both.status == .usage && both.errors.contains("no files beside it"))
  }
}
