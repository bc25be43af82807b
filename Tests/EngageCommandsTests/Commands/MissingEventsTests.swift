import EngagementJSON
import EngagementModel
import Foundation
import Testing

@testable import EngageCommands

/// `engage compare` and `engage experiment report` over events that lack what is compared.
@Suite(.timeLimit(.minutes(20))) struct MissingEventsTests {
  private static func stage(_ events: RecordedEvents) throws -> CommandLineFixture {
    let stage = try CommandLineFixture()
    try stage.write(events.ndjson, to: "events.ndjson")
    try stage.write(
      """
      {"name": "banner", "arms": {"old": 0.5, "new": 0.5}, "control": "old",
       "schedule": {"fixed": {"people": 100}}}
      """, to: "plan.json")
    return stage
  }

  private static func compare(
    _ events: RecordedEvents, _ options: String...
  ) async throws -> CommandLineFixture.Ending {
    await (try stage(events)).run(["compare", "--from", "events.ndjson"] + options)
  }

  private static func json(_ ending: CommandLineFixture.Ending) throws -> JSON {
    try JSON(parsing: Array(ending.output.utf8))
  }

  // MARK: Experiments

  @Test(
    "X12: a report on files without any experiment names it and the next step, and has no table")
  func noExperiment() async throws {
    for events in [RecordedEvents(), .vendors(people: 10)] {
      let stage = try Self.stage(events)
      for options in [[], ["--json"], ["--html", "page.html"]] {
        let ending = await stage.run(
          ["experiment", "report", "plan.json", "--from", "events.ndjson"] + options)
        #expect(ending.status == .failed && ending.output.isEmpty, "\(ending)")
        // JSON has the message in quotes.
        let errors = ending.errors.replacing("\\\"", with: "\"")
        #expect(
          errors.contains(
            "No event is of the experiment \"banner\", and none is of another one."),
          "\(ending.errors)")
        #expect(errors.contains("\"split\""), "\(ending.errors)")
      }
      #expect(try stage.names() == ["events.ndjson", "plan.json"])
    }
  }

  @Test("X12: a report on files of other experiments names these, and what could not be read")
  func otherExperiments() async throws {
    var events = RecordedEvents()
    for (person, name) in ["banenr", "home", "home"].enumerated() {
      events.add(
        "experiment.exposed", by: "\(person)", ["name": .string(name), "data": ["arm": "old"]])
    }
    let stage = try Self.stage(events)
    try stage.write(events.ndjson + "{}\n", to: "events.ndjson")
    let ending = await stage.run(["experiment", "report", "plan.json", "--from", "events.ndjson"])
    #expect(ending.status == .failed && ending.output.isEmpty)
    #expect(
      ending.errors.contains(
        "No event is of the experiment \"banner\"; did you mean \"banenr\"? There are events of: "
          + "banenr, home. Correct \"name\" in the plan, or name other files with --from."),
      "\(ending.errors)")
    #expect(ending.errors.contains("events.ndjson:4: "), "\(ending.errors)")
  }

  // MARK: Providers

  @Test("X12: files without an event are told, with what makes some")
  func noEvent() async throws {
    let ending = try await Self.compare(RecordedEvents())
    #expect(ending.status == .failed && ending.output.isEmpty)
    #expect(
      ending.errors.contains(
        "There is no event to compare. Write some with \"engage export --out FILE\", and name them "
          + "with --from."), "\(ending.errors)")
  }

  @Test(
    "X12: events of which none was sent by a provider are told, with the kinds that would count")
  func noReceipt() async throws {
    var events = RecordedEvents()
    events.add("session.start", by: "a")
    events.addRequest(to: "braze", by: "a", milliseconds: 5)
    let ending = try await Self.compare(events)
    #expect(ending.status == .failed && ending.output.isEmpty)
    #expect(
      ending.errors.contains(
        "No provider has sent something: of 2 events none is one of a person who received, such as "
          + "delivered, impression or click. Export without --kind, or from devices that have run "
          + "\"engage sync\"."), "\(ending.errors)")
  }

  @Test("X12: one provider only is told, with where the other's events may be")
  func oneProvider() async throws {
    var events = RecordedEvents()
    for person in 0..<20 { events.addCard("delivered", by: "\(person)", from: "braze") }
    let ending = try await Self.compare(events)
    #expect(ending.status == .failed && ending.output.isEmpty)
    #expect(
      ending.errors.contains(
        "Only braze has sent something, and a comparison needs two providers. Name the files of the "
          + "devices that have another one with --from, too."), "\(ending.errors)")
  }

  @Test("X12: one person of two providers gets a sentence and the split as the next step")
  func onePerson() async throws {
    var events = RecordedEvents()
    for provider in ["braze", "vibes"] { events.addCard("click", by: "a", from: provider) }
    let ending = try await Self.compare(events)
    #expect(ending.status == .done)
    #expect(
      ending.output.contains(
        "No lift is shown: The only person received from several providers, so that nothing tells "
          + "the providers apart. "), "\(ending.output)")
    #expect(ending.output.contains("see \"engage experiment plan\""))
    #expect(!ending.output.contains("nan"))
  }

  @Test("X12: a kind of event that one provider does not have is told once, with what may be wrong")
  func missingKind() async throws {
    var events = RecordedEvents()
    for person in 0..<40 {
      let provider = person < 20 ? "braze" : "vibes"
      events.addCard("delivered", by: "\(person)", from: provider)
      if provider == "braze" { events.addCard("impression", by: "\(person)", from: provider) }
    }
    let note =
      "vibes: no impression and no click is recorded, so that their metrics are not compared. Either the "
      + "application does not report them, or the export has left them out (--kind). Choose metrics that "
      + "all providers have with --metric."
    let stage = try Self.stage(events)
    let table = await stage.run(
      ["compare", "--from", "events.ndjson", "--html", "page.html"])
    #expect(table.status == .done && table.output.contains(note), "\(table.output)")
    let page = try String(
      contentsOf: stage.folder.appending(path: "page.html"), encoding: .utf8)
    #expect(page.contains(note))
    let object = try Self.json(await stage.run(["compare", "--from", "events.ndjson", "--json"]))
    #expect(object["notes"]?.array?.contains(.string(note)) == true)
    let bounded = await stage.run(
      ["compare", "--from", "events.ndjson", "--metric", "click", "--since", "2026-10-01"])
    #expect(
      bounded.output.contains(
        "vibes: no click is recorded in this time, so that its metric is not compared."),
      "\(bounded.output)")
    let all = try await Self.compare(.vendors(people: 20))
    #expect(!all.output.contains("not compared"), "\(all.output)")
  }

  @Test(
    "X12: of what nobody did, or people of one provider only, there is a sentence and no rate of zero"
  )
  func kindOfNobody() async throws {
    var events = RecordedEvents.vendors(people: 40)
    events.addCard("submit", by: "user-0", from: "braze", second: 5)
    let stage = try Self.stage(events)
    let all = try Self.json(await stage.run(["compare", "--from", "events.ndjson", "--json"]))
    let notes: [String] = (all["notes"]?.array ?? []).compactMap(\.string)
    #expect(
      notes.contains(
        "Nobody has an event optout, so that there is no figure of it. Either nobody did that, or the "
          + "application does not report it, or the export has left it out (--kind)."), "\(notes)")
    #expect(
      notes.contains { $0.hasPrefix("vibes: no submit is recorded, so that") },
      "\(notes)")
    let table = await stage.run(["compare", "--from", "events.ndjson"])
    #expect(table.output.contains("completion: No submit of vibes is recorded."), "\(table.output)")
    #expect(table.output.contains("opt-out: No optout is recorded."), "\(table.output)")
  }

  @Test(
    "X12: without deliveries it is said of whom the shares are, and two unlike bases show no lift")
  func noReceipts() async throws {
    var events = RecordedEvents()
    for person in 0..<400 {
      events.addCard("impression", by: "\(person)", from: person < 200 ? "braze" : "vibes")
    }
    let none = try await Self.compare(events)
    #expect(
      none.output.contains("No lift is shown: No event delivered is recorded, so that only people"),
      "\(none.output)")
    for person in 0..<200 { events.addCard("delivered", by: "\(person)", from: "braze") }
    let one = try await Self.compare(events)
    #expect(
      one.output.contains("No lift is shown: No event delivered of \"vibes\" is recorded"),
      "\(one.output)")
  }

  @Test("X12: it is told how many events have no user")
  func noUser() async throws {
    let stage = try Self.stage(.vendors(people: 20))
    let file = stage.folder.appending(path: "events.ndjson")
    let text = try String(contentsOf: file, encoding: .utf8)
    let lines = text.split(separator: "\n").enumerated().map { index, line in
      index.isMultiple(of: 2)
        ? String(line).replacing(#/"userid":"[^"]*",?/#, with: "") : String(line)
    }
    try stage.write(lines.joined(separator: "\n") + "\n", to: "events.ndjson")
    let ending = await stage.run(["compare", "--from", "events.ndjson"])
    let count = (lines.count + 1) / 2
    #expect(
      ending.output.contains(
        "\(count) of \(lines.count) events have no user: for them each device counts as one person."
      ),
      "\(ending.output)")
  }

  @Test("X12: providers whose events have no day in common are told")
  func noOverlap() async throws {
    func events(_ days: [String: [String]]) -> RecordedEvents {
      var events = RecordedEvents()
      for (provider, days) in days.sorted(by: { $0.key < $1.key }) {
        for (number, day) in days.enumerated() {
          for person in 0..<20 {
            events.add(
              "card.delivered", by: "\(provider)-\(number)-\(person)",
              [
                "provider": .string(provider), "surface": "cards",
                "time": .string("\(day)T09:00:00Z"),
              ])
          }
        }
      }
      return events
    }
    let apart = try await Self.compare(
      events(["braze": ["2026-09-01", "2026-09-20"], "vibes": ["2026-09-21", "2026-10-01"]]))
    #expect(
      apart.output.contains(
        "The events of braze are from 2026-09-01 to 2026-09-20, those of vibes from 2026-09-21 to "
          + "2026-10-01: no day has both, so that a difference may be one between the times. Add files "
          + "of days on which both sent, or let a route split the people: see \"engage experiment "
          + "plan\"."), "\(apart.output)")
    let same = try await Self.compare(
      events(["braze": ["2026-09-01", "2026-09-20"], "vibes": ["2026-09-20", "2026-10-01"]]))
    #expect(same.status == .done && !same.output.contains("no day has both"), "\(same.output)")
  }

  @Test("X12: a comparison of providers names the experiment that has split the people")
  func split() async throws {
    var events = RecordedEvents.vendors(people: 20)
    let without = try await Self.compare(events)
    #expect(!without.output.contains("were split by"), "\(without)")
    for person in 0..<40 { events.expose("user-\(person)", to: "old") }
    let ending = try await Self.compare(events)
    #expect(ending.status == .done)
    #expect(
      ending.output.contains(
        "People were split by the experiment \"banner\". \"engage experiment report\" compares its arms"
      ),
      "\(ending.output)")
    #expect(ending.output.contains("This comparison follows no random split"), "\(ending.output)")
  }

  @Test("X12: a version that is a text is told as the text that it is")
  func versionAsText() async throws {
    var events = RecordedEvents()
    for person in 0..<40 {
      events.add(
        "experiment.exposed", by: "\(person)",
        ["name": "banner", "data": ["arm": person < 20 ? "old" : "new", "version": "1"]])
    }
    let ending = await (try Self.stage(events)).run(
      ["experiment", "report", "plan.json", "--from", "events.ndjson"])
    #expect(
      ending.output.contains(
        "The plan is of version 1; there are events of version \"1\". A version is a number, without "
          + "quotes.\n"),
      "\(ending)")
  }

  @Test("X12: a comparison says in one sentence which vendor is above the other, and in what")
  func summary() async throws {
    let ending = try await Self.compare(.vendors(), "--metric", "click", "--metric", "dismissal")
    #expect(
      ending.output.contains(
        "In short: vibes is above braze in click. No difference is seen in dismissal.\n"),
      "\(ending.output)")
  }
}
