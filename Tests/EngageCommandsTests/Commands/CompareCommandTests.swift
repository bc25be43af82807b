import EngagementEmulator
import EngagementJSON
import EngagementModel
import Foundation
import Testing

@testable import EngageCommands

/// `engage compare`, over made-up files and over the events of both vendors.
@Suite(.timeLimit(.minutes(20))) struct CompareCommandTests {
  private static func stage(_ events: RecordedEvents) throws -> CommandLineFixture {
    let stage = try CommandLineFixture()
    try stage.write(events.ndjson, to: "events.ndjson")
    return stage
  }

  private static func json(_ ending: CommandLineFixture.Ending) throws -> JSON {
    try JSON(parsing: Array(ending.output.utf8))
  }

  private static func page(_ stage: CommandLineFixture, _ name: String = "page.html") throws
    -> String
  {
    try String(contentsOf: stage.folder.appending(path: name), encoding: .utf8)
  }

  @Test("X12: the table, the JSON and the page of a comparison have the same figures")
  func figures() async throws {
    let stage = try Self.stage(.vendors())
    let from = ["compare", "--from", "events.ndjson"]
    let table = await stage.run(from + ["--html", "page.html"])
    #expect(table.status == .done && table.errors.isEmpty, "\(table.errors)")
    let object = try Self.json(await stage.run(from + ["--json"]))
    let page = try Self.page(stage)
    #expect(object["schema"] == 1 && object["providers"] == ["braze", "vibes"])
    let arms = try #require(object["arms"]?.array)
    #expect(arms.map { $0["people"] } == [1_000, 1_000])
    #expect(arms.map { $0["clicked"] } == [300, 400])
    // A time of 40 to 139 ms.
    #expect(arms.map { $0["requests"]?["half"] } == [100, 100])
    #expect(arms[0]["requests"]?["count"] == 1_000)
    let click = try #require(object["metrics"]?.array?[1])
    let difference = try #require(click["comparisons"]?.array?[0]["difference"])
    let value = try #require(difference["absolute"]?["value"]?.number)
    #expect(abs(value - 0.1) < 1e-12)
    for figure in ["1,000", "30.00%", "40.00%", "+10.00 pp", "+33.33%", "100 ms"] {
      #expect(table.output.contains(figure), "\(figure)")
      #expect(page.contains(figure), "\(figure)")
    }
    #expect(table.output.contains("click: vibes is above braze: +10.00 pp ("))
    #expect(table.output.hasSuffix("The page is page.html.\n"))
    #expect(!page.contains("<script") && !page.contains("http://"))
  }

  @Test("X12: a narrow terminal cuts no figure")
  func narrow() async throws {
    let stage = try Self.stage(.vendors(people: 100))
    let ending = await stage.engage(
      "compare", "--from", "events.ndjson", in: .init(width: 60))
    #expect(!ending.output.contains("…"))
    #expect(
      ending.output.contains("\nclick · vibes\n  Difference: +10.00 pp\n"), "\(ending.output)")
    #expect(ending.output.contains("PROVIDER  RECEIVED  FROM NO OTHER\nbraze"))
  }

  @Test("X12: metrics, providers and times are chosen, and the first provider is the control")
  func chosen() async throws {
    let stage = try Self.stage(.vendors(people: 100))
    let object = try Self.json(
      await stage.engage(
        "compare", "--from", "events.ndjson", "--provider", "vibes", "--provider", "braze",
        "--metric", "click", "--until", "2026-10-01T09:00:02Z", "--json"))
    #expect(object["control"] == "vibes")
    #expect(object["metrics"]?.array?.map { $0["name"] } == ["click"])
    // The clicks are at 09:00:02.
    let arms = try #require(object["arms"]?.array)
    #expect(arms.map { $0["clicked"] } == [0, 0] && arms.map { $0["seen"] } == [80, 80])
  }

  @Test("X12: --control is what the others are compared with, wherever it stands")
  func control() async throws {
    let stage = try Self.stage(.vendors(people: 100))
    let from = ["compare", "--from", "events.ndjson", "--control", "vibes"]
    let object = try Self.json(await stage.run(from + ["--json"]))
    #expect(object["control"] == "vibes" && object["providers"] == ["braze", "vibes"])
    let table = await stage.run(from)
    #expect(table.output.contains("200 people · compared with vibes · "), "\(table.output)")
    #expect(table.output.contains("No difference between braze and vibes is seen"))
    #expect(table.output.contains("\u{2212}10.00 pp"))
    let one = try Self.json(await stage.run(from + ["--provider", "braze", "--json"]))
    #expect(one["control"] == "vibes" && one["providers"] == ["vibes", "braze"])
  }

  @Test("X12: messages that were read or opened are told, with the metrics that count them")
  func messages() async throws {
    var events = RecordedEvents.vendors(people: 20)
    for person in 0..<20 {
      events.add(
        "message.read", by: "user-\(person)",
        ["subject": "inbox/1", "provider": "inbox", "surface": "inbox"], second: 1)
    }
    let stage = try Self.stage(events)
    let from = ["compare", "--from", "events.ndjson", "--provider", "braze", "--provider", "inbox"]
    let told = await stage.run(from)
    #expect(told.output.contains("inbox: messages were read or opened"), "\(told.output)")
    let counted = await stage.run(from + ["--metric", "read", "--metric", "open"])
    #expect(!counted.output.contains("messages were read or opened"), "\(counted)")
    #expect(counted.status == .done)
  }

  @Test(
    "X12: what makes no sense is an error of the option, with the nearest right one",
    arguments: [
      (["--metric", "clik"], "did you mean \"click\"?"),
      (["--provider", "braze"], "a comparison needs two"),
      (["--provider", "braze", "--provider", "vibse"], "did you mean \"vibes\"?"),
      (["--provider", "braze", "--provider", "braze"], "--provider braze is there twice"),
      (["--since", "2026-10-02", "--until", "2026-10-01"], "--since is not before --until"),
      (["--since", "soon"], "--since takes a day"),
      (["--control", "braez"], "--control does not take \"braez\"; did you mean \"braze\"?"),
      (
        ["--control", "vibes", "--provider", "braze", "--provider", "atomic"], "there is \"braze\""
      ),
    ])
  func senseless(options: [String], text: String) async throws {
    let stage = try Self.stage(.vendors(people: 10))
    let ending = await stage.run(
      ["compare", "--from", "events.ndjson", "--html", "page.html"] + options)
    #expect(ending.status == .usage && ending.output.isEmpty, "\(ending)")
    #expect(ending.errors.contains(text) && ending.errors.contains(options[0]), "\(ending.errors)")
    #expect(try stage.names() == ["events.ndjson"])
  }

  @Test("X12: one provider, one person, and people without a difference get a sentence")
  func sentences() async throws {
    var events = RecordedEvents()
    events.addCard("delivered", by: "a", from: "braze")
    var stage = try Self.stage(events)
    let one = await stage.engage("compare", "--from", "events.ndjson", "--html", "page.html")
    #expect(one.status == .failed && one.output.isEmpty)
    #expect(one.errors.contains("Only braze has sent something, and a comparison needs two"))
    #expect(try stage.names() == ["events.ndjson"])
    events.addCard("delivered", by: "b", from: "vibes")
    stage = try Self.stage(events)
    let two = await stage.engage("compare", "--from", "events.ndjson")
    #expect(two.status == .done)
    let few = "No lift is shown: 1 person received from \"braze\" and from no other provider: "
    #expect(two.output.contains(few), "\(two.output)")
    #expect(!two.output.contains("nan") && !two.output.contains(" pp"))
    for person in 0..<20 {
      events.addCard("delivered", by: "c\(person)", from: "braze")
      events.addCard("delivered", by: "d\(person)", from: "vibes")
      events.addCard("impression", by: "c\(person)", from: "braze")
      events.addCard("impression", by: "d\(person)", from: "vibes")
    }
    stage = try Self.stage(events)
    let same = await stage.engage("compare", "--from", "events.ndjson", "--metric", "click")
    #expect(
      same.output.contains(
        "Nobody did it, or the export left it out: there is nothing to compare."), "\(same.output)")
  }

  @Test("X12: a time without events is told, with the newest event")
  func noEvents() async throws {
    let stage = try Self.stage(.vendors(people: 20))
    let note = "No event lies in this time: the newest one is of 2026-10-01T09:00:03Z."
    let from = ["compare", "--from", "events.ndjson", "--since"]
    let after = try Self.json(await stage.run(from + ["2026-11-01", "--json"]))
    #expect(after["notes"]?.array?.contains(.string(note)) == true, "\(after)")
    let table = await stage.run(from + ["2026-11-01", "--html", "page.html"])
    #expect(table.output.contains(note), "\(table.output)")
    #expect(try Self.page(stage).contains(note))
    let within = await stage.run(from + ["2026-10-01"])
    #expect(within.status == .done && !within.output.contains("No event lies"), "\(within.output)")
    var clicks = RecordedEvents()
    clicks.addCard("click", by: "a", from: "braze")
    try stage.write(clicks.ndjson, to: "clicks.ndjson")
    let none = await stage.run(["compare", "--from", "clicks.ndjson", "--since", "2026-11-01"])
    #expect(none.status == .failed && none.errors.contains("No provider has sent something"))
    #expect(none.errors.contains("the newest one is of 2026-10-01T09:00:00Z."), "\(none.errors)")
  }

  @Test("X12: events without any user are told, since a person is a device then")
  func noUsers() async throws {
    var events = RecordedEvents()
    for provider in ["braze", "vibes"] { events.addCard("delivered", by: nil, from: provider) }
    let note = "2 events have no user: each device counts as one person."
    let without = try Self.json(
      await Self.stage(events).run(["compare", "--from", "events.ndjson", "--json"]))
    #expect(without["notes"]?.array?.contains(.string(note)) == true, "\(without)")
    events.addCard("delivered", by: "a", from: "braze")
    let with = await (try Self.stage(events)).run(["compare", "--from", "events.ndjson"])
    #expect(with.status == .done, "\(with)")
    #expect(
      with.output.contains(
        "2 of 3 events have no user: for them each device counts as one person."),
      "\(with.output)")
  }

  @Test("X12: an existing page, a symbolic link and a missing folder are left as they are")
  func targets() async throws {
    let stage = try Self.stage(.vendors(people: 10))
    try stage.write("mine", to: "page.html")
    try FileManager.default.createSymbolicLink(
      at: stage.folder.appending(path: "link.html"),
      withDestinationURL: stage.folder.appending(path: "elsewhere.html"))
    let before = try stage.names()
    for (target, text) in [
      ("page.html", "page.html is there already; remove it, or choose another --html."),
      ("link.html", "link.html is there already"), ("no/page.html", "cannot be written"),
    ] {
      let ending = await stage.engage("compare", "--from", "events.ndjson", "--html", target)
      #expect(ending.status == .failed && ending.output.isEmpty)
      #expect(ending.errors.contains(text), "\(ending.errors)")
    }
    #expect(try Self.page(stage) == "mine" && stage.names() == before)
  }

  @Test("X12: an event counts once, in whatever files it is, and a line that is none is told")
  func files() async throws {
    let stage = try Self.stage(.vendors(people: 50))
    try stage.write(RecordedEvents.vendors(people: 50).ndjson + "{}\n", to: "again.ndjson")
    let ending = await stage.engage(
      "compare", "--from", "events.ndjson", "--from", "again.ndjson", "--json")
    #expect(ending.status == .failed)
    #expect(try Self.json(ending)["arms"]?.array?.map { $0["people"] } == [50, 50])
    let count = RecordedEvents.vendors(people: 50).lines.count
    #expect(ending.errors.contains("\(count) events there already: counted once."))
    #expect(ending.errors.contains("again.ndjson:\(count + 1): "), "\(ending.errors)")
    let missing = await stage.engage("compare", "--from", "nothing.ndjson")
    #expect(missing.status == .failed && missing.errors.contains("There is no file"))
  }

  @Test("X12: names that steer terminals or close tags are inert in the table and on the page")
  func hostile() async throws {
    var events = RecordedEvents()
    let name = "\u{1b}[31m</td><script>alert(1)</script>"
    for person in 0..<10 {
      events.addCard("delivered", by: "a\(person)", from: name)
      events.addCard("delivered", by: "b\(person)", from: "vibes")
    }
    let stage = try Self.stage(events)
    let ending = await stage.engage("compare", "--from", "events.ndjson", "--html", "page.html")
    #expect(ending.status == .done && !ending.output.contains("\u{1b}"))
    #expect(try !Self.page(stage).contains("<script"))
  }

  @Test("X12: this device's events and its exports of every format give the same comparison")
  func cache() async throws {
    let scene = try await CommandScene()
    await scene.engage("sync")
    await scene.engage("signin", "u-2")
    await scene.engage("sync")
    await scene.emulator.stop()
    func comparison(_ options: String...) async throws -> JSONObject {
      let ending = await scene.stage.run(["compare", "--json"] + options)
      #expect(ending.status == .done, "\(ending.errors)")
      return try #require(try Self.json(ending).object)
    }
    let own = try await comparison()
    let arms = try #require(own["arms"]?.array)
    #expect(arms.map { $0["people"] } == [2, 2] && own["leftOut"]?["inSeveralArms"] == 2)
    #expect(own["people"] == 2)
    let split = "Most people received from several providers, 2 of 2, so that nothing tells"
    #expect(own["withheld"]?.array?.first?.string?.hasPrefix(split) == true, "\(own)")
    // Each refresh has said how long it took.
    #expect(
      arms.allSatisfy {
        $0["requests"]?["timed"] == $0["requests"]?["count"] && $0["requests"]?["count"] != 0
      })
    for (format, compression) in [("ndjson", "--gzip"), ("csv", "--zstd"), ("parquet", "--zstd")] {
      await scene.engage("export", "--format", format, compression, "--out", "\(format)/")
      #expect(try await comparison("--from", format) == own, "\(format)")
    }
    let all = try await comparison("--from", "ndjson", "--from", "csv", "--from", "parquet")
    #expect(all == own)
  }

  @Test("X12 X20: a person who was erased is in no comparison made afterwards")
  func erased() async throws {
    let scene = try await CommandScene()
    await scene.engage("sync")
    await scene.engage("signin", "u-2")
    await scene.engage("sync")
    func people() async throws -> [JSON?]? {
      try Self.json(await scene.engage("compare", "--json"))["arms"]?.array?.map { $0["people"] }
    }
    #expect(try await people() == [2, 2])
    await scene.engage("person", "erase", "u-1", "--yes")
    #expect(try await people() == [1, 1])
    await scene.engage("person", "erase", "u-2", "--yes")
    let none = await scene.stage.engage("compare")
    #expect(none.status == .failed && none.errors.contains("There is no event to compare."))
    await scene.emulator.stop()
  }

  @Test("X12: a person is one on all devices that export with one key")
  func devices() async throws {
    var stage = try CommandLineFixture()
    for (device, provider) in [("1", "braze"), ("2", "vibes")] {
      var events = RecordedEvents(device: device)
      for person in 0..<10 { events.addCard("delivered", by: "p\(person)", from: provider) }
      events.addCard("delivered", by: nil, from: provider)
      try stage.write(events.ndjson, to: "\(device).ndjson")
    }
    let object = try Self.json(
      await stage.engage("compare", "--from", "1.ndjson", "--from", "2.ndjson", "--json"))
    #expect(object["leftOut"]?["inSeveralArms"] == 10)
    // The anonymous user of each device is a person, too.
    #expect(object["arms"]?.array?.map { $0["people"] } == [11, 11])
    stage = try CommandLineFixture()
    try stage.configure(endpoint: "http://127.0.0.1:1")
    #expect(await stage.engage("compare").errors.contains("The cache is empty"))
  }
}
