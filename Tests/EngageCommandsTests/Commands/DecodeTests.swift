import Testing

@testable import EngageCommands

@Suite struct DecodeTests {
  private func decode(_ kind: String, _ payload: String, _ options: String...) async throws
    -> Stage.Ending
  {
    await (try Stage()).run(
      ["decode", "--vendor", "braze", "--kind", kind, "-"] + options,
      in: .init(input: payload))
  }

  private static let state =
    #""opensInWebView":false,"createdAt":"2023-11-14T22:13:20.000Z","updatedAt":"2023-11-14T22:13:20.000Z","activeAt":"2023-11-14T22:13:20.000Z","pinned":false,"dismissible":true,"viewed":false,"clicked":false,"dismissed":false,"test":false,"actions":{"dismiss":true,"snooze":false,"voteUp":false,"voteDown":false}}"#

  @Test("an answer is printed item by item: cards, what is gone, unknown and bad ones (B3, G17)")
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

  @Test("one card and a list of cards are read too")
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
    "a body that is no JSON is an error (G17)",
    arguments: ["", "{", #"{"cards": [{"id":"a"}"#, "<html>", "\u{feff}{}", "{} {}"])
  func noJSON(payload: String) async throws {
    let ending = try await decode("cards", payload)
    #expect(ending.status == .failed)
    #expect(ending.output.isEmpty)
    #expect(ending.errors.hasPrefix("engage: The payload is no sound JSON. [malformedResponse]"))
  }

  @Test(
    "an answer or a request without cards prints nothing, and says so beside it",
    arguments: [
      #"{"cards": []}"#, #"{"config": {"time": 1}}"#, #"{"events": [{"name": "ss"}]}"#, "{}",
    ])
  func nothing(payload: String) async throws {
    let ending = try await decode("cards", payload)
    #expect(
      ending == Stage.Ending(status: .done, output: "", errors: "The payload has no cards.\n"))
  }

  @Test("a push prints what it says, and one that is nobody's prints nothing")
  func pushes() async throws {
    let own = #"{"aps": {"alert": {"title": "T", "body": "B"}}, "ab": {"c": "x"}, "mine": 1}"#
    let ending = try await decode("push", own, "--json")
    #expect(
      ending.lines == [
        #"{"schema":1,"vendor":"braze","title":"T","body":"B","silent":false,"custom":{"mine":1}}"#
      ])
    let other = try await decode("push", #"{"aps": {"alert": "B"}}"#)
    #expect(other == Stage.Ending(status: .done, output: "", errors: ""))
  }

  @Test("what the vendor lacks, and a vendor of a later version, are told as such")
  func unsupported() async throws {
    let person = try await decode("person", "{}")
    #expect(person.status == .failed)
    #expect(person.errors == "engage: braze has no person. [unsupported]\n")
    let later = await (try Stage()).engage(
      "decode", "--vendor", "atomic", "--kind", "cards", "-", in: .init(input: "{}"))
    #expect(later.errors == "engage: atomic is not available in this version. [unsupported]\n")
  }

  @Test("what a terminal could act on is an escape in the output (G18)")
  func escapes() async throws {
    let card = #"{"id":"a","tp":"short_news","ca":1,"tt":"\u001b]0;x\u0007\u009b1m\u202e"}"#
    let line = try #require(try await decode("cards", card).lines.first)
    #expect(line.contains(#""title":"\u001b]0;x\u0007\u009b1m\u202e""#))
  }
}
