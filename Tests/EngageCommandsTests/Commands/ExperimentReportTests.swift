import EngagementJSON
import EngagementModel
import Foundation
import Testing

@testable import EngageCommands

/// `engage experiment plan --out` and `engage experiment report`.
@Suite(.timeLimit(.minutes(20))) struct ExperimentReportTests {
  private static let plan = [
    "experiment", "plan", "--rate", "30%", "--lift", "30%", "--name", "banner", "--arm", "old",
    "--arm", "new", "--metric", "click", "--out", "plan.json",
  ]

  private static func stage(
    _ events: RecordedEvents = .experiment(), plan: String? = nil
  ) async throws -> CommandLineFixture {
    let stage = try CommandLineFixture()
    try stage.write(events.ndjson, to: "events.ndjson")
    if let plan {
      try stage.write(plan, to: "plan.json")
    } else {
      let ending = await stage.run(Self.plan)
      #expect(ending.status == .done, "\(ending.errors)")
    }
    return stage
  }

  private static func report(
    _ stage: CommandLineFixture, _ options: String...
  ) async -> CommandLineFixture.Ending {
    await stage.run(
      ["experiment", "report", "plan.json", "--from", "events.ndjson"] + options)
  }

  private static func document(
    version: Int = 1, arms: String = #"{"old": 0.5, "new": 0.5}"#, _ members: String = ""
  ) -> String {
    """
    {"name": "banner", "version": \(version), "arms": \(arms), "control": "old",
     "schedule": {"fixed": {"people": 100}}\(members)}
    """
  }

  @Test("X12: what people did counts although a vendor rejected it, and a note says how often")
  func rejected() async throws {
    var events = RecordedEvents.experiment(people: 50)
    for (user, reason) in [("user-0", "rejected"), ("user-2", "rejected"), ("user-4", "expired")] {
      events.addCard("dismiss", by: user, from: "braze", second: 3)
      events.add(
        "card.outbox.dropped", by: user,
        [
          "provider": "braze", "surface": "cards",
          "data": ["reason": .string(reason), "operation": "cards.dismiss", "count": 1],
        ], second: 4)
    }
    let stage = try await Self.stage(events, plan: Self.document())
    let ending = await Self.report(stage, "--json")
    let report = try JSON(parsing: Array(ending.output.utf8))
    #expect(report["arms"]?.array?.first?["events"]?["dismiss"] == 3)
    let notes = report["notes"]?.array?.compactMap(\.string) ?? []
    #expect(
      notes.filter { $0.contains("rejected") } == [
        "old: 2 actions were rejected by a vendor, and count: people did them. The event log has "
          + "outbox.dropped for them."
      ])
  }

  @Test("X12: a plan that was written is read, and its table, JSON and page have the same figures")
  func figures() async throws {
    let stage = try await Self.stage()
    let text = try String(
      contentsOf: stage.folder.appending(path: "plan.json"), encoding: .utf8)
    #expect(
      text == """
        {
          "name": "banner",
          "version": 1,
          "arms": {"old":0.5,"new":0.5},
          "control": "old",
          "metrics": ["click"],
          "schedule": {"fixed":{"people":874}},
          "significance": 0.05,
          "lookBackDays": 0,
          "strata": []
        }

        """)
    let table = await Self.report(stage, "--html", "page.html")
    #expect(table.status == .done, "\(table.errors)")
    let object = try JSON(parsing: Array(await Self.report(stage, "--json").output.utf8))
    let page = try String(
      contentsOf: stage.folder.appending(path: "page.html"), encoding: .utf8)
    #expect(object["experiment"] == "banner" && object["withheld"] == [])
    #expect(object["arms"]?.array?.map { $0["exposed"] } == [1_000, 1_000])
    let click = try #require(object["metrics"]?.array?[0]["arms"]?.array)
    #expect(click.map { $0["numerator"] } == [300, 400])
    for figure in ["banner, version 1", "30.00%", "40.00%", "+10.00 pp", "+33.33%"] {
      #expect(table.output.contains(figure) && page.contains(figure), "\(figure)")
    }
    #expect(table.output.contains("click: new is above old: +10.00 pp ("))
    #expect(table.output.contains("), relative +33.33% ("))
    #expect(object["metrics"]?.array?[0]["comparisons"]?.array?[0]["verdict"] == "above")
  }

  @Test("X12: a plan takes the place of no file, and needs a name and arms")
  func planFiles() async throws {
    let stage = try await Self.stage()
    let again = await stage.run(Self.plan)
    #expect(again.status == .failed && again.output.isEmpty, "\(again)")
    #expect(again.errors.contains("plan.json is there already; remove it, or choose another --out"))
    let line = ["experiment", "plan", "--rate", "5%", "--lift", "10%"]
    for (options, text) in [
      (["--out", "b.json"], "--out needs --name"),
      (["--out", "b.json", "--name", "b"], "--out needs two or more arms"),
      (["--out", "b.json", "--name", "b", "--arm", "x"], "--out needs two or more arms"),
      (["--out", "b.json", "--name", "b", "--arm", "x", "--arm", "x"], "is there twice"),
      (["--name", "b"], "name its file with --out"), (["--arm", "b"], "name its file with --out"),
      (["--metric", "clicks"], "did you mean \"click\"?"),
    ] {
      let ending = await stage.run(line + options)
      #expect(ending.status == .usage && ending.errors.contains(text), "\(ending.errors)")
    }
    #expect(try stage.names() == ["events.ndjson", "plan.json"])
    let three = await stage.run(
      line + ["--anytime", "--name", "b", "--arm", "x", "--arm", "y", "--arm", "z"]
        + ["--out", "b.json", "--json"])
    #expect(three.status == .done, "\(three.errors)")
    let people = try #require(try JSON(parsing: Array(three.output.utf8))["people"]?.integer)
    let plan = try JSON(
      parsing: Array(Data(contentsOf: stage.folder.appending(path: "b.json"))))
    #expect(plan["schedule"]?["anytime"]?["expectedPeople"]?.integer == people)
    #expect(people.isMultiple(of: 3))
  }

  @Test("X12: every kind of metric and schedule is read")
  func documents() async throws {
    let stage = try await Self.stage(
      plan: """
        {"name": "banner", "arms": {"old": 0.5, "new": 0.5}, "control": "new",
         "metrics": ["opt-out", {"name": "clickers", "people": "click", "among": "delivered"},
                     {"name": "clicks", "events": "click", "per": "impression"}],
         "schedule": {"fixed": {"people": 100, "end": "2026-10-01"}},
         "significance": 0.01, "lookBackDays": 14, "strata": ["appVersion"]}
        """)
    let ending = await Self.report(stage, "--json")
    #expect(ending.status == .done, "\(ending.errors)")
    let object = try JSON(parsing: Array(ending.output.utf8))
    #expect(object["control"] == "new" && object["lookBackDays"] == 14)
    #expect(
      object["metrics"]?.array?.map { $0["explanation"] } == [
        "people with the event optout, of all people",
        "people with the event click, of those with delivered",
        "events click for each impression",
      ])
    #expect(object["schedule"]?["end"] == "2026-10-01T00:00:00.000Z")
    #expect(object["significance"] == 0.01)
  }

  @Test(
    "X12: what is wrong with a plan is told by its field, with the nearest right one",
    arguments: [
      ("{", "plan.json: "), (document(#", "metric": []"#), "metric is not a known key"),
      (document(#", "metrics": ["clik"]"#), "metrics[0] names \"clik\""),
      (document(#", "metrics": ["clik"]"#), "did you mean \"click\"?"),
      (document(#", "metrics": [{"name": "x"}]"#), "metrics[0] needs either people or events"),
      (document(#", "metrics": [{"name": "x", "events": "click", "among": "open"}]"#), "have per"),
      (
        document(#", "metrics": [{"name": "x", "people": "card.click"}]"#),
        "metrics[0].people names \"card.click\", which is no kind; did you mean \"click\"?"
      ),
      (
        document(#", "metrics": [{"name": "x", "people": "dismissal"}]"#),
        "no kind; did you mean \"dismiss\"?"
      ),
      (
        document(#", "metrics": [{"name": "x", "people": "clik"}]"#), "did you mean \"click\"?"
      ),
      (document(#", "significance": "5%""#), "significance is a string where a number belongs"),
      (document(#", "lookBackDays": 400"#), "lookBackDays is 400, and not from 0 to 366"),
      (document(arms: #"{"old": 1}"#), "2 to 50 arms"),
      (document(arms: #"{"old": 0.5, "new": 0.6}"#), "add up to 110.00%"),
      (document(arms: #"{"odl": 0.5, "new": 0.5}"#), "control names \"old\", which is no arm"),
      (document(arms: #"{"odl": 0.5, "new": 0.5}"#), "did you mean \"odl\"?"),
      (#"{"name": "b", "arms": {"a": 0.5, "b": 0.5}, "control": "a"}"#, "schedule is missing"),
      (
        #"{"name": "b", "arms": {"a": 0.5, "b": 0.5}, "control": "a", "schedule": {}}"#,
        "schedule needs either fixed or anytime"
      ),
      (#"{"name": "b", "arms": {"a": 0.5, "b": 0.5}}"#, "control is missing"),
    ])
  func wrong(plan: String, text: String) async throws {
    let stage = try await Self.stage(RecordedEvents(), plan: plan)
    let ending = await Self.report(stage, "--html", "page.html")
    #expect(ending.status == .failed && ending.output.isEmpty, "\(ending)")
    #expect(ending.errors.contains(text) && ending.errors.contains("plan.json"), "\(ending.errors)")
    #expect(!ending.errors.contains("?."), "\(ending.errors)")
    #expect(try stage.names() == ["events.ndjson", "plan.json"])
  }

  private static func document(_ members: String) -> String { document(version: 1, members) }

  @Test("X12: a plan that was changed after it began gets a sentence and no lift")
  func changed() async throws {
    let stage = try await Self.stage(plan: Self.document(version: 2))
    let ending = await Self.report(stage)
    #expect(ending.status == .done)
    #expect(
      ending.output.contains(
        "No lift is shown: The plan is of version 2, but 2,000 people were in another version"
      ),
      "\(ending.output)")
    #expect(
      ending.output.contains("The plan is of version 2; there are events of version 1."),
      "\(ending)")
    #expect(!ending.output.contains(" pp"))
    var events = RecordedEvents.experiment()
    events.expose("user-5000", to: "new", version: 2)
    let one = await Self.report(try await Self.stage(events))
    #expect(one.output.contains("The plan was changed: 1 person was in another version"))
    #expect(
      one.output.contains("The plan is of version 1; there are events of version 2."), "\(one)")
    #expect(!one.output.contains(" pp"))
  }

  @Test("X12: the event of the guide puts people into arms")
  func guide() async throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let page = try String(
      contentsOf: root.appending(
        path: "Sources/EngagementKit/EngagementKit.docc/Guides/PeopleAndPushes.md"),
      encoding: .utf8)
    let line = try #require(
      page.split(separator: "\n").first { $0.hasPrefix("{") && $0.contains("experiment.exposed") })
    let stage = try await Self.stage(
      plan: Self.document(#", "strata": ["appVersion"], "metrics": ["click"]"#))
    let lines = (1...20).map { person in
      String(line).replacing("exposure-1", with: "exposure-\(person)")
        .replacing("person-1", with: "person-\(person)")
        .replacing(#""arm": "new""#, with: #""arm": "\#(person > 10 ? "new" : "old")""#)
    }
    try stage.write(lines.joined(separator: "\n"), to: "events.ndjson")
    let object = try JSON(parsing: Array(await Self.report(stage, "--json").output.utf8))
    #expect(object["arms"]?.array?.map { $0["exposed"] } == [10, 10], "\(object)")
    #expect(object["leftOut"]?["inOtherVersions"] == 0)
    let strata = object["metrics"]?.array?[0]["comparisons"]?.array?[0]["strata"]?.array
    #expect(strata?.map { $0["value"] } == ["3.2"])
  }

  @Test("X12: one person, an empty arm, a rare horizon and zero variance get a sentence")
  func sentences() async throws {
    var events = RecordedEvents()
    events.expose("a", to: "new")
    let one = await Self.report(try await Self.stage(events))
    #expect(
      one.output.contains("No lift is shown: Nobody is in arm \"old\": "), "\(one.output)")
    #expect(!one.output.contains("nan") && !one.output.contains(" pp"))
    for person in 0..<20 { events.expose("\(person)", to: person < 10 ? "old" : "new") }
    let early = await Self.report(try await Self.stage(events))
    #expect(early.output.contains("21 of 874 planned people are there"), "\(early.output)")
    let same = await Self.report(
      try await Self.stage(
        events, plan: Self.document().replacing(#""people": 100"#, with: #""people": 2"#)))
    #expect(
      same.output.contains(
        "Nobody did it, or the export left it out: there is nothing to compare."), "\(same.output)")
  }
}
