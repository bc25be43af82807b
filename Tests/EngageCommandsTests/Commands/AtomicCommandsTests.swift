import EngageCommands
import EngagementAtomicTools
import EngagementCurl
import EngagementEmulator
import EngagementHTTP
import EngagementJSON
import EngagementModel
import EngagementVendors
import Foundation
import Testing

/// The commands with Atomic, over real requests and web sockets.
@Suite(.timeLimit(.minutes(20))) struct AtomicCommandsTests {
  /// A folder with what `engage init` would write for Atomic alone, and its vendor.
  private struct Scene {
    let stage: CommandLineFixture
    let emulator: Emulator

    init() async throws {
      stage = try CommandLineFixture()
      emulator = try await Emulator.start(.init([.atomic]))
      try Self.configure(stage, endpoint: emulator.endpoint(of: "atomic"))
    }

    static func configure(_ stage: CommandLineFixture, endpoint: String) throws {
      var provider = try #require(VendorRegistration.atomic.starter)
      provider["endpoint"] = .string(endpoint)
      let document: JSON = [
        "user": .string(VendorRegistration.starterUser.rawValue), "consent": "full",
        "providers": ["atomic": .object(provider)],
        "containers": ["home": ["atomic": "BqWL1sT"]],
      ]
      try stage.write(String(decoding: document.encoded(), as: UTF8.self), to: "engage.json")
    }

    @discardableResult func engage(
      _ line: String..., sourceLocation: SourceLocation = #_sourceLocation
    ) async -> CommandLineFixture.Ending {
      let ending = await stage.run(
        line, by: CurlTransport(), in: .init(patience: .seconds(600)))
      #expect(ending.status == .done, "\(ending.errors)", sourceLocation: sourceLocation)
      return ending
    }

    /// The id of the card that a vendor's event made.
    func id(of event: String) async throws -> String {
      let items = try await emulator.items(of: "atomic")
      let item = items.first { $0["instance"]?["eventName"]?.string == event }
      return try #require(item?["instance"]?["id"]?.string)
    }
  }

  @Test("A1 A8: sync fetches the cards of a container, and no socket is opened for it")
  func sync() async throws {
    let scene = try await Scene()
    let ending = await scene.engage("sync", "--json")
    #expect(
      ending.output.contains(
        #""provider":"atomic","surface":"cards","outcome":"fresh","items":4"#))
    let cards = await scene.engage("cards")
    #expect(cards.output.contains("A table on Sunday"))
    #expect(await scene.emulator.requests().map(\.path) == ["/demo/feed/BqWL1sT"])
    #expect(await scene.engage("doctor").output.contains("atomic"))
    await scene.emulator.stop()
  }

  @Test("A10: a card that is dismissed is dismissed at the vendor")
  func dismiss() async throws {
    let scene = try await Scene()
    await scene.engage("sync")
    let id = try await scene.id(of: "brunch")
    #expect(await scene.engage("cards", "dismiss", id).output.hasSuffix(": delivered\n"))
    #expect(await scene.emulator.times("card-dismissed", of: id, by: "u-1") == 1)
    await scene.emulator.stop()
  }

  // MARK: Answers of the user

  @Test("A10: submit sends the button's values, with those of the command before them")
  func submit() async throws {
    let scene = try await Scene()
    await scene.engage("sync")
    let id = try await scene.id(of: "brunch")
    let wrong = await scene.stage.engage(
      "cards", "submit", id, "--button", "Bok", "guests=2", by: CurlTransport())
    #expect(wrong.status == .failed && wrong.errors.contains(#"did you mean "Book"?"#))
    let ending = await scene.engage("cards", "submit", id, "--button", "Book", "guests=2")
    #expect(ending.output.hasSuffix(": delivered\n"))
    #expect(await scene.emulator.times("card-completed", of: id, by: "u-1") == 1)
    let event = try #require(await scene.engage("events", "--kind", "submit", "--json").lines.first)
    #expect(event.contains(#""button":"book","guests":2"#))
    #expect(await !scene.engage("cards").output.contains("A table on Sunday"))
    await scene.emulator.stop()
  }

  @Test("A15: snooze takes a time as people and as ISO 8601 write it, and hides the card")
  func snooze() async throws {
    let scene = try await Scene()
    await scene.engage("sync")
    let id = try await scene.id(of: "brunch")
    let wrong = await scene.stage.engage("cards", "snooze", id, "soon")
    #expect(wrong.status == .usage && wrong.errors.contains(#""soon" is no time to snooze"#))
    #expect(await scene.engage("cards", "snooze", id, "1h").output.hasSuffix(": delivered\n"))
    #expect(await scene.emulator.times("card-snoozed", of: id, by: "u-1") == 1)
    #expect(await !scene.engage("cards").output.contains("A table on Sunday"))
    await scene.emulator.stop()
  }

  @Test("A16: vote reaches the vendor with its reason, and a vote up has none")
  func vote() async throws {
    let scene = try await Scene()
    await scene.engage("sync")
    let id = try await scene.id(of: "stamps")
    let wrong = await scene.stage.engage("cards", "vote", id, "up", "--reason", "too-often")
    #expect(wrong.status == .usage && wrong.errors.contains("--reason and --message go with down."))
    let why = await scene.stage.engage("cards", "vote", id, "down", "--message", "why")
    #expect(why.status == .usage && why.errors.contains("--message goes with --reason other."))
    await scene.engage("cards", "vote", id, "down", "--reason", "too-often")
    #expect(await scene.emulator.times("card-voted-down", of: id, by: "u-1") == 1)
    await scene.engage("cards", "vote", id, "up")
    #expect(await scene.emulator.times("card-voted-up", of: id, by: "u-1") == 1)
    await scene.emulator.stop()
  }

  // MARK: Live

  /// A program whose output is read while it runs.
  private struct Reading {
    let program: RunningProgram
    private let file: URL

    init(_ arguments: [String], in stage: CommandLineFixture, to name: String) throws {
      file = try stage.file(name)
      program = try RunningProgram(
        Programs.built("engage"), arguments, in: stage.folder,
        to: try FileHandle(forWritingTo: file))
    }

    func output() throws -> String { try String(contentsOf: file, encoding: .utf8) }

    /// How long the text took to come.
    func wait(for text: String) async throws -> Duration {
      let start = ContinuousClock.now
      while try !output().contains(text) { try await Task.sleep(for: .milliseconds(5)) }
      return ContinuousClock.now - start
    }

    func end() -> Programs.Ending {
      program.interrupt()
      return program.ending()
    }
  }

  @Test("A3 A8: sync --watch tells a card within a second of its being put at the vendor")
  func watch() async throws {
    let stage = try CommandLineFixture()
    let vendors = try Reading(
      ["emulate", "--vendor", "atomic", "--port", "0", "--json"], in: stage, to: "vendors")
    _ = try await vendors.wait(for: #""token""#)
    let lines = try vendors.output().split(separator: "\n").prefix(2)
      .map { try JSON(parsing: Array($0.utf8)) }
    let endpoint = try #require(lines[0]["endpoint"]?.string)
    let control = try #require(lines[1]["control"]?.string)
    let token = try #require(lines[1]["token"]?.string)
    try Scene.configure(stage, endpoint: endpoint)
    let watch = try Reading(
      ["sync", "--watch", "--every", "3600", "--json"], in: stage, to: "watch")
    _ = try await vendors.wait(for: "subscribe to 1 of 1")
    _ = try await watch.wait(for: #""outcome":"fresh""#)

    var durations: [Duration] = []
    for number in 1...5 {
      let item: JSON = ["instance": ["id": .string("card-\(number)")]]
      var put = HTTPRequest(.put, "\(control)items/atomic", body: item.encoded())
      try put.headers.append("Authorization", "Bearer \(token)")
      #expect(try await CurlTransport().send(put).status == 200)
      durations.append(try await watch.wait(for: #""id":"card-\#(number)","outcome":"new""#))
    }
    // A busy machine may hold up some of them.
    #expect(try #require(durations.min()) < .seconds(1), "\(durations)")
    var remove = HTTPRequest(.delete, "\(control)items/atomic/card-5")
    try remove.headers.append("Authorization", "Bearer \(token)")
    #expect(try await CurlTransport().send(remove).status < 300)
    _ = try await watch.wait(for: #""id":"card-5","outcome":"gone""#)
    #expect(watch.end().status == 0)
    #expect(vendors.end().status == 0)
  }

  // MARK: Payloads

  @Test("A9 A13 A20: decode tells what a feed and a push come to")
  func decode() async throws {
    let feed = """
      {"cardInstances": [{"instance": {"id": "c-1", "status": "active"},
       "actions": {"dismiss": {"swipe": true}},
       "defaultView": {"nodes": [{"type": "headline", "attributes": {"text": "Rent"}}]}}, {}],
       "metadata": {"totalCards": 2}}
      """
    let cards = await (try CommandLineFixture()).engage(
      "decode", "--vendor", "atomic", "--kind", "cards", "-", in: .init(input: feed))
    #expect(cards.status == .done)
    #expect(cards.lines.count == 2)
    #expect(cards.lines.first?.contains(#""id":"c-1""#) == true)
    #expect(cards.lines.last?.contains(#""quarantined""#) == true)
    let push = """
      {"aps": {"alert": "Rent due"}, "atomic": {"source": "io.atomic", "cardInstanceId": "c-1",
       "streamContainerId": "BqWL1sT", "detail": {"businessId": "b-1"}}}
      """
    let notification = await (try CommandLineFixture()).engage(
      "decode", "--vendor", "atomic", "--kind", "push", "-", "--json", in: .init(input: push))
    #expect(notification.lines.first?.contains(#""itemID":"c-1","containerID":"BqWL1sT""#) == true)
  }
}
