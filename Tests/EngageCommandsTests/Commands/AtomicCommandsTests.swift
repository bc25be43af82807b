import EngageCommands
import EngagementAtomicTools
import EngagementCurl
import EngagementEmulator
import EngagementHTTP
import EngagementJSON
import EngagementModel
import Foundation
import Testing

/// The commands with Atomic, over real requests and web sockets.
@Suite(.timeLimit(.minutes(20))) struct AtomicCommandsTests {
  @Test("A1 A8: sync fetches the cards of a container, and no socket is opened for it")
  func sync() async throws {
    let scene = try await AtomicScene()
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
    let scene = try await AtomicScene()
    await scene.engage("sync")
    let id = try await scene.id(of: "brunch")
    #expect(await scene.engage("cards", "dismiss", id).output.hasSuffix(": delivered\n"))
    #expect(await scene.emulator.times("card-dismissed", of: id, by: "u-1") == 1)
    await scene.emulator.stop()
  }

  // MARK: Answers of the user

  @Test("A10: submit sends the button's values, with those of the command before them")
  func submit() async throws {
    let scene = try await AtomicScene()
    await scene.engage("sync")
    let id = try await scene.id(of: "brunch")
    let wrong = await scene.stage.engage(
      "cards", "submit", id, "--button", "Bok", "guests=2", by: CurlTransport())
    #expect(wrong.status == .failed && wrong.errors.contains(#"did you mean "Book"?"#))
    let ending = await scene.engage("cards", "submit", id, "--button", "Book", "guests=2")
    #expect(ending.output.hasSuffix(": delivered\n"))
    #expect(await scene.emulator.times("card-completed", of: id, by: "u-1") == 1)
    let event = try #require(await scene.engage("events", "--kind", "submit", "--json").lines.first)
    #expect(event.contains(#""button":"book","source":"card","guests":2"#))
    #expect(await !scene.engage("cards").output.contains("A table on Sunday"))
    await scene.emulator.stop()
  }

  @Test("A10: submit checks the form, and a text stays text where it looks like a number")
  func checkedForm() async throws {
    let scene = try await AtomicScene()
    await scene.engage("sync")
    let id = try await scene.id(of: "brunch")
    func refusal(_ values: String...) async -> String {
      let ending = await scene.stage.run(
        ["cards", "submit", id, "--button", "Book"] + values, by: CurlTransport())
      #expect(ending.status == .failed, "\(ending)")
      return ending.errors
    }
    #expect(await refusal("guests=abc").contains("guests takes a number."))
    #expect(await refusal("guests=9").contains("The form cannot be submitted. guests is at most 8"))
    let long = String(repeating: "x", count: 141)
    #expect(await refusal("note=\(long)").contains("note has at most 140 characters"))
    #expect(await scene.emulator.effects().isEmpty)
    await scene.engage("cards", "submit", id, "--button", "Book", "note=12")
    let event = try #require(await scene.engage("events", "--kind", "submit", "--json").lines.first)
    #expect(
      event.contains(#""button":"book","source":"card","guests":1,"note":"12""#), "\(event)")
    await scene.emulator.stop()
  }

  @Test("A4 A15: after a purge nothing is known of snoozed cards")
  func purgedSnooze() async throws {
    let scene = try await AtomicScene()
    await scene.engage("sync")
    await scene.engage("cards", "snooze", try await scene.id(of: "brunch"), "1h")
    #expect(await scene.engage("cards", "--snoozed").lines.count == 2)
    await scene.engage("signout", "--purge")
    await scene.engage("signin", "u-1")
    #expect(await scene.engage("cards", "--snoozed").lines.isEmpty)
    await scene.engage("sync")
    #expect(await scene.engage("cards", "--snoozed").lines.count == 2)
    await scene.emulator.stop()
  }

  @Test("A32: submit sends the file at the path of a file input before the form")
  func file() async throws {
    let scene = try await AtomicScene()
    let form: JSON = [
      "type": "form", "attributes": [:],
      "children": [
        [
          "type": "fileUpload", "attributes": ["key": "proof", "bucketId": "b-1"],
          "validations": [
            "required": ["attributes": ["required": true, "errorMessage": "Add a photo."]]
          ],
        ], ["type": "textInput", "attributes": ["name": "note"]],
        ["type": "submitButton", "attributes": ["text": "Send", "name": "send", "values": [:]]],
      ],
    ]
    _ = try await scene.emulator.put(
      ["instance": ["id": "claim"], "defaultView": ["nodes": [form]]], in: "atomic")
    await scene.engage("sync")
    func submit(_ values: String...) async -> CommandLineFixture.Ending {
      await scene.stage.run(
        ["cards", "submit", "claim"] + values, by: CurlTransport(), in: .init())
    }
    try Data([0xff, 0xd8, 0xff, 1, 2]).write(to: scene.stage.folder.appending(path: "photo.jpg"))
    try scene.stage.write("GIF89a, in truth", to: "gif.jpg")
    let missing = await submit("--button", "Send", "proof=none.jpg")
    #expect(missing.status == .failed && missing.errors.contains("none.jpg cannot be read"))
    let gif = await submit("--button", "Send", "proof=gif.jpg")
    #expect(gif.status == .failed && gif.errors.contains("gif.jpg is no still image"))
    try Data("RIFF....WEBPVP8 ....".utf8).write(to: scene.stage.folder.appending(path: "5"))
    let other = await submit("--button", "Send", "proof=5")
    #expect(other.errors.contains("5 is image/webp; make a JPEG or PNG of it."), "\(other)")
    let empty = await submit("--button", "Send", "proof=")
    #expect(empty.errors.contains("proof takes the path of a file."), "\(empty)")
    let none = await submit("--button", "Send", "note=hello")
    #expect(none.errors.contains("proof: Add a photo."), "\(none)")
    #expect(await scene.emulator.effects().isEmpty)
    let ending = await submit("--button", "Send", "proof=photo.jpg", "note=hello")
    #expect(ending.status == .done, "\(ending)")
    #expect(ending.output == "submit atomic/claim: delivered\n")
    #expect(await scene.emulator.times("file", of: "photo.jpg", by: "u-1") == 1)
    #expect(await scene.emulator.times("card-completed", of: "claim", by: "u-1") == 1)
    await scene.engage("sync")
    for word in ["started", "completed"] {
      let name = "user-file-uploads-\(word)"
      #expect(await scene.emulator.times(name, of: "claim", by: "u-1") == 1, "\(name)")
    }
    await scene.emulator.stop()
  }

  @Test("A15: snooze takes a time as people and as ISO 8601 write it, and hides the card")
  func snooze() async throws {
    let scene = try await AtomicScene()
    await scene.engage("sync")
    let id = try await scene.id(of: "brunch")
    let wrong = await scene.stage.engage("cards", "snooze", id, "soon")
    #expect(wrong.status == .usage && wrong.errors.contains(#""soon" is no time to snooze"#))
    #expect(await scene.engage("cards", "snooze", id, "1h").output.hasSuffix(": delivered\n"))
    #expect(await scene.emulator.times("card-snoozed", of: id, by: "u-1") == 1)
    #expect(await !scene.engage("cards").output.contains("A table on Sunday"))
    let before = await scene.engage("cards", "list", "--snoozed")
    #expect(before.lines.count == 2 && before.output.contains("2026-10-01T10:00:00.000Z"))
    #expect(before.output.contains("A table on Sunday"))
    // The vendor lists the card no longer.
    await scene.engage("sync", "--full")
    let after = await scene.engage("cards", "--snoozed", "--json")
    #expect(
      after.output.contains(#""id":"\#(id)","snoozedUntil":"2026-10-01T10:00:00.000Z""#),
      "\(after.output)")
    let again = await scene.stage.engage("cards", "snooze", id, "1h")
    #expect(again.errors.contains(" is snoozed until 2026-10-01T10:00:00.000Z."), "\(again.errors)")
    let later = CommandLineFixture.Setting(clock: StillClock(now: StillClock().now + 7_200))
    let due = await scene.stage.engage("cards", "--snoozed", in: later)
    #expect(due.errors == "1 snoozed card is to be back; run \"engage sync\" to ask the vendor.\n")
    let shown = await scene.stage.engage("cards", "show", id, in: later)
    #expect(shown.errors.contains(" was snoozed; run \"engage sync\" to see whether it is back."))
    await scene.emulator.stop()
  }

  @Test("A15: cards list --snoozed says that there is none")
  func noneSnoozed() async throws {
    let scene = try await AtomicScene()
    await scene.engage("sync")
    #expect(
      await scene.engage("cards", "--snoozed").errors == "No card is snoozed on this device.\n")
    await scene.emulator.stop()
  }

  // MARK: What a card offers

  @Test("A9 A10: an action that the card does not offer is named, with what it offers instead")
  func unoffered() async throws {
    let scene = try await AtomicScene()
    await scene.engage("sync")
    let quiet = try await scene.id(of: "quiet")
    let dismissed = await scene.engage("cards", "dismiss", quiet)
    #expect(
      dismissed.errors == "The card does not offer dismiss; it offers nothing. The vendor decides "
        + "what it takes.\n")
    let voted = await scene.engage("cards", "submit", try await scene.id(of: "stamps"))
    #expect(
      voted.errors.contains(
        "The card does not offer submit; it offers dismiss, snooze, vote up, vote down."))
    let offered = await scene.engage("cards", "dismiss", try await scene.id(of: "welcome"))
    #expect(offered.errors.isEmpty)
    await scene.emulator.stop()
  }

  @Test("A10: a value that the card's form does not have is refused, with those that it has")
  func unofferedValue() async throws {
    let scene = try await AtomicScene()
    await scene.engage("sync")
    let brunch = try await scene.id(of: "brunch")
    func submit(_ id: String, _ values: String...) async -> CommandLineFixture.Ending {
      await scene.stage.run(["cards", "submit", id] + values, by: CurlTransport())
    }
    let near = await submit(brunch, "--button", "Book", "gests=2")
    #expect(near.status == .failed)
    #expect(
      near.errors.contains(#"The card's form has no value "gests"; did you mean "guests"?"#))
    let far = await submit(brunch, "colour=red")
    #expect(
      far.errors.contains(#"; there is "source", "guests", "note", "button"."#), "\(far.errors)")
    #expect(await scene.emulator.effects().isEmpty)
    let other = await submit(try await scene.id(of: "stamps"), "guests=2")
    #expect(other.errors.contains("The card does not offer submit"), "the vendor decides")
    #expect(await submit(brunch, "--button", "Book", "guests=2", "note=hi").status == .done)
    await scene.emulator.stop()
  }

  @Test("A16: vote reaches the vendor with its reason, and a vote up has none")
  func vote() async throws {
    let scene = try await AtomicScene()
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

  @Test("A3 A8: sync --watch tells a card within a second of its being put at the vendor")
  func watch() async throws {
    let stage = try CommandLineFixture()
    let vendors = try ReadProgram(
      ["emulate", "--vendor", "atomic", "--port", "0", "--json"], in: stage, to: "vendors")
    _ = try await vendors.wait(for: #""token""#)
    let lines = try vendors.output().split(separator: "\n").prefix(2)
      .map { try JSON(parsing: Array($0.utf8)) }
    let endpoint = try #require(lines[0]["endpoint"]?.string)
    let control = try #require(lines[1]["control"]?.string)
    let token = try #require(lines[1]["token"]?.string)
    try AtomicScene.configure(stage, endpoint: endpoint)
    let watch = try ReadProgram(
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
