import Testing

@testable import EngageCommands

@Suite struct DecodeTests {
  private func decode(_ kind: String, _ payload: String, _ options: String...) async throws
    -> CommandLineFixture.Ending
  {
    await (try CommandLineFixture()).run(
      ["decode", "--vendor", "braze", "--kind", kind, "-"] + options,
      in: .init(input: payload))
  }

  private static let state =
    #""opensInWebView":false,"createdAt":"2023-11-14T22:13:20.000Z","updatedAt":"2023-11-14T22:13:20.000Z","activeAt":"2023-11-14T22:13:20.000Z","pinned":false,"dismissible":true,"viewed":false,"clicked":false,"dismissed":false,"test":false,"actions":{"dismiss":true,"snooze":false,"voteUp":false,"voteDown":false}}"#

  @Test("B3 G17: decode prints an answer item by item, with removed, ignored and quarantined items")
  func answer() async throws {
    let payload = #"""
      {"full_sync": false, "last_card_updated_at": 9, "cards": [
        {"id": "a", "tp": "short_news", "ca": 1700000000, "ea": -1, "tt": "A", "db": true},
        {"id": "b", "r": true},
        {"id": "c", "tp": "hologram", "ca": 1},
        {"tp": "short_news"},
        {"id": "e", "id": "f", "tp": "short_news"}]}
      """#
    let ending = try await decode("cards", payload)
    #expect(ending.status == .done)
    #expect(ending.errors.isEmpty)
    #expect(ending.lines.count == 5)
    #expect(
      ending.lines.first
        == #"{"provider":"braze","vendor":"braze","id":"a","kind":"classic","title":"A","#
        + Self.state)
    #expect(ending.lines.dropFirst().first == #"{"removed":"b"}"#)
    #expect(ending.lines.dropFirst(2).first == #"{"ignored":{"index":2,"kind":"hologram"}}"#)
    #expect(
      ending.lines.dropFirst(3).allSatisfy { $0.hasPrefix(#"{"quarantined":{"index":"#) })
  }

  @Test("decode reads a single card and a list of cards")
  func looseCards() async throws {
    let card = #"{"id":"a","tp":"short_news","ca":1700000000,"tt":"A","db":true}"#
    let line =
      #"{"provider":"braze","vendor":"braze","id":"a","kind":"classic","title":"A","# + Self.state
    #expect(try await decode("cards", card).lines == [line])
    #expect(try await decode("cards", "[\(card),\(card)]").lines == [line, line])
    #expect(
      try await decode("cards", #"{"id":"a","tp":"new"}"#).lines == [
        #"{"ignored":{"index":0,"kind":"new"}}"#
      ])
  }

  @Test(
    "G17: decode fails if the payload is not valid JSON",
    arguments: ["", "{", #"{"cards": [{"id":"a"}"#, "<html>", "\u{feff}{}", "{} {}"])
  func noJSON(payload: String) async throws {
    let ending = try await decode("cards", payload)
    #expect(ending.status == .failed)
    #expect(ending.output.isEmpty)
    #expect(ending.errors.hasPrefix("engage: The payload is no sound JSON. [malformedResponse]"))
  }

  @Test(
    "a payload without cards prints nothing and leaves a note on standard error",
    arguments: [
      #"{"cards": []}"#, #"{"config": {"time": 1}}"#, #"{"events": [{"name": "ss"}]}"#, " {}",
      "[]",
    ])
  func nothing(payload: String) async throws {
    let ending = try await decode("cards", payload)
    #expect(
      ending
        == CommandLineFixture.Ending(
          status: .done, output: "", errors: "The payload has no cards.\n"))
  }

  @Test(
    "C4: a payload without campaigns says so and what it looked for",
    arguments: ["{}", #"{"inapp_notifs_cs": []}"#, #"{"campaigns": [{"ti": 1}]}"#])
  func noCampaigns(payload: String) async throws {
    let ending = await (try CommandLineFixture()).engage(
      "decode", "--vendor", "clevertap", "--kind", "campaigns", "-", in: .init(input: payload))
    #expect(
      ending
        == CommandLineFixture.Ending(
          status: .done, output: "",
          errors: "The payload has no campaigns: it is no list of them and not one of them, and as "
            + "an answer it has none in inapp_notifs_cs, inapp_notifs_ss, inapp_notifs, "
            + "inapp_notifs_applaunched.\n"))
  }

  @Test("C4: one campaign of a kind that is not the application's is still named")
  func otherCampaign() async throws {
    let ending = await (try CommandLineFixture()).engage(
      "decode", "--vendor", "clevertap", "--kind", "campaigns", "-",
      in: .init(input: #"{"ti": 1, "type": "interstitial"}"#))
    #expect(ending.lines == [#"{"ignored":{"index":0,"kind":"interstitial"}}"#])
  }

  @Test("decode --strict fails if an item is quarantined, and not if one is ignored")
  func strict() async throws {
    let bad = try await decode("cards", #"[{"id":"a"}]"#, "--strict")
    #expect(bad.status == .failed)
    #expect(bad.lines == [#"{"quarantined":{"index":0,"reason":"A card has no kind."}}"#])
    #expect(try await decode("cards", #"[{"id":"a"}]"#).status == .done)
    #expect(try await decode("cards", #"[{"id":"a","tp":"new"}]"#, "--strict").status == .done)
  }

  @Test(
    "C4: decode --strict fails if a single item is bad, and not for a list without items",
    arguments: [
      ("clevertap", "campaigns", #"{"ti": 1, "type": "custom-code", "templateName": null}"#, false),
      ("clevertap", "campaigns", #"{"inapp_notifs_cs": []}"#, true),
      ("braze", "cards", #"{"id": "a"}"#, false), ("braze", "cards", #"{"cards": []}"#, true),
      ("atomic", "cards", #"{"instance": {}}"#, false),
      ("atomic", "cards", #"{"cardInstances": []}"#, true), ("vibes", "inbox", "[]", true),
      ("vibes", "inbox", #"{"subject": "Hello"}"#, false),
    ])
  func strictSingle(vendor: String, kind: String, payload: String, isDone: Bool) async throws {
    func decode(_ options: String...) async throws -> CommandLineFixture.Ending {
      await (try CommandLineFixture()).run(
        ["decode", "--vendor", vendor, "--kind", kind, "-"] + options, in: .init(input: payload))
    }
    let ending = try await decode("--strict")
    #expect(ending.status == (isDone ? .done : .failed), "\(ending)")
    #expect(ending.output.isEmpty)
    #expect(
      ending.errors.contains("\nAs a single item it is none: ") == !isDone, "\(ending.errors)")
    #expect(try await decode().status == .done)
  }

  @Test("decode prints a push of the vendor and says of another push that it is not")
  func pushes() async throws {
    let own = #"{"aps": {"alert": {"title": "T", "body": "B"}}, "ab": {"c": "x"}, "mine": 1}"#
    let ending = try await decode("push", own, "--json")
    #expect(
      ending.lines == [
        #"{"schema":1,"vendor":"braze","title":"T","body":"B","silent":false,"custom":{"mine":1}}"#
      ])
    let other = try await decode("push", #"{"aps": {"alert": "B"}}"#)
    #expect(
      other
        == CommandLineFixture.Ending(
          status: .done, output: "", errors: "The push is not braze's.\n"))
  }

  @Test("decode refuses an unsupported kind with an error that says so")
  func unsupported() async throws {
    let person = try await decode("person", "{}")
    #expect(person.status == .failed)
    #expect(person.errors == "engage: braze has no person. [unsupported]\n")
  }

  @Test("G18: decode escapes terminal control characters in its output")
  func escapes() async throws {
    let card = #"{"id":"a","tp":"short_news","ca":1,"tt":"\u001b]0;x\u0007\u009b1m\u202e"}"#
    let line = try #require(try await decode("cards", card).lines.first)
    #expect(line.contains(#""title":"\u001b]0;x\u0007\u009b1m\u202e""#))
  }
}
