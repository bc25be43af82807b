import EngagementBrazeTools
import EngagementCurl
import EngagementEmulator
import EngagementJSON
import EngagementModel
import EngagementVibesTools
import Foundation
import Testing

@testable import EngageCommands

/// What commands say of routes and of what follows from them.
@Suite("messages about routes", .timeLimit(.minutes(20))) struct RouteMessagesTests {
  @Test(
    "X2: a route of the command line is refused with the field, the value and the nearest name",
    arguments: [
      (
        "cards", "only=braz",
        #"routes.cards.only names "braz", which is no provider; did you mean "braze"?"#
      ),
      ("cards", "merge=braze,braze", #"routes.cards.merge[1] names "braze" once more."#),
      ("inbox", "merge=", "routes.inbox.merge is empty; name at least one provider."),
      ("inbox", "mirror=braze", "routes.inbox is mirror, which routes.push, routes.person and"),
      (
        "cards", #"{"firstReady": ["braze"], "cooldown": "1m"}"#,
        #"routes.cards.cooldown is not a known key; did you mean "coolDown"?"#
      ),
      (
        "cards", #"{"split": {"experiment": "e", "arms": {"a": {"providers": ["vibe"]}}}}"#,
        #"routes.cards.split.arms.a.providers[0] names "vibe", which is no provider; did you mean"#
      ),
      (
        "person", "mirror=braz",
        #"routes.person names "braz", which is no provider; did you mean "braze"?"#
      ),
      ("card", "only=braze", #""card" has no route; did you mean "cards"?"#),
      ("cards", #"{"split": 1e999}"#, "ROUTE begins with {. The document cannot be read: line 1"),
      ("cards", #"{"split": 1e999}"#, "the number is out of range"),
      ("cards", #"{"split": "\u0000"}"#, "a NUL character is not allowed"),
      (
        "cards", "braze",
        "write none, only=NAME, merge=NAME,NAME, firstReady=NAME,NAME or JSON."
      ),
      ("templates", "braze", "write none, only=NAME, merge=NAME,NAME or JSON."),
      ("person", "braze", "write none, only=NAME, mirror=NAME,NAME or JSON."),
    ])
  func refused(surface: String, route: String, message: String) async throws {
    let scene = try await CommandScene()
    let ending = await scene.stage.engage("routes", "set", surface, route, by: CurlTransport())
    #expect(ending.status != .done)
    #expect(ending.errors.contains(message), "\(ending.errors)")
    await scene.emulator.stop()
  }

  @Test(
    "X16 X11: a vendor that is not in the user's arm is not told of the token, and the line says so"
  )
  func arm() async throws {
    let scene = try await CommandScene()
    try scene.stage.write("0aff\n", to: "token")
    let route =
      #"{"split":{"experiment":"p","arms":{"a":{"providers":["braze"]},"b":{"providers":["vibes"]}}}}"#
    #expect(await scene.engage("routes", "set", "push", route).status == .done)
    let told = await scene.engage(
      "push", "register", "--service", "apns", "--token-file", "token")
    let reason = "not told; the user is in an arm of the experiment that does not name it"
    #expect(told.lines.count { $0.hasSuffix(reason) } == 1, "\(told)")
    await scene.emulator.stop()
  }

  @Test("G9: damage that a command meets is told with what to run", arguments: ["", "_INDEX"])
  func damage(extended: String) {
    let damage = EngagementError(
      .storage, "The cache is damaged", underlying: "SQLITE_CORRUPT\(extended)")
    #expect(
      damage.forPeople.message.hasSuffix(#"; run "engage cache repair", which keeps its file."#))
    let full = EngagementError(.storage, "The disk is full", underlying: "SQLITE_FULL")
    #expect(full.forPeople == full)
  }

  @Test("X4: cards show tells the content key and the copies that are hidden behind the card")
  func copies() async throws {
    let scene = try await CommandScene()
    try scene.stage.write(
      """
      {"user": "u-1", "consent": "full",
       "routes": {"cards": {"merge": ["braze", "vibes"]}, "inbox": "none"},
       "providers": {
         "braze": {"vendor": "braze", "endpoint": "\(scene.emulator.endpoint(of: "braze"))",
                   "apiKey": "demo", "contentKey": {"extra": "content"}},
         "vibes": {"vendor": "vibes", "endpoint": "\(scene.emulator.endpoint(of: "vibes"))",
                   "appID": "demo", "contentKey": {"extra": "content"}}}}
      """, to: "engage.json")
    try await scene.emulator.put(
      ["id": "b-1", "tp": "short_news", "tt": "One", "ds": "Text", "e": ["content": "one"]],
      in: "braze")
    try await scene.emulator.put(
      [
        "message_uid": "m-1", "subject": "One", "content": "Text",
        "inbox_custom_data": ["content": "one"],
      ], in: "vibes")
    await scene.engage("sync")
    let shown = await scene.engage("cards", "show", "braze/b-1")
    #expect(shown.output.contains("contentKey"), "\(shown.output)")
    #expect(shown.output.contains("vibes/m-1 (message, hidden)"), "\(shown.output)")
    let json = try JSON(
      parsing: Array(await scene.engage("cards", "show", "braze/b-1", "--json").output.utf8))
    #expect(
      json["copies"] == [
        ["provider": "vibes", "id": "m-1", "surface": "inbox", "isHidden": true]
      ])
    let other = try await scene.engage("cards", "--json").lines
      .map { try JSON(parsing: Array($0.utf8)) }.first { $0["id"] != "b-1" }
    let id = try #require(other?["id"]?.string)
    #expect(
      await scene.engage("cards", "show", id).output
        .contains(#"none: its extras and metadata have no text "content""#))
    let hidden = await scene.stage.engage("cards", "show", "vibes/m-1", by: CurlTransport())
    #expect(
      hidden.errors.contains("vibes/m-1 is hidden, since its copy braze/b-1 is shown"),
      "\(hidden.errors)")
    await scene.emulator.stop()
  }

  @Test("X4: inbox show has the content key too, and cards show sends to the inbox for a message")
  func message() async throws {
    let scene = try await CommandScene()
    try scene.stage.write(
      """
      {"user": "u-1", "consent": "full", "routes": {"cards": "none", "inbox": {"only": "vibes"}},
       "providers": {
         "vibes": {"vendor": "vibes", "endpoint": "\(scene.emulator.endpoint(of: "vibes"))",
                   "appID": "demo", "contentKey": {"extra": "content"}}}}
      """, to: "engage.json")
    try await scene.emulator.put(
      [
        "message_uid": "m-1", "subject": "One", "content": "Text",
        "inbox_custom_data": ["content": "one"],
      ], in: "vibes")
    await scene.engage("sync")
    let shown = await scene.engage("inbox", "show", "vibes/m-1", "--json")
    #expect(shown.output.contains(#""contentKey""#), "\(shown.output)")
    #expect(shown.output.contains(#""copies":[]"#), "\(shown.output)")
    let card = await scene.stage.engage("cards", "show", "m-1", by: CurlTransport())
    #expect(
      card.errors.contains(
        #"vibes/m-1 is a message of the inbox; see "engage inbox show vibes/m-1""#),
      "\(card.errors)")
    await scene.emulator.stop()
  }

  @Test("X2: a sync says that a route by hand does not ask its first choice, and how to")
  func byHand() async throws {
    let scene = try await CommandScene()
    await scene.engage(
      "routes", "set", "cards",
      #"{"firstReady": ["braze", "vibes"], "failures": 1, "coolDown": "0s", "return": "byHand"}"#)
    await scene.engage("sync")
    try await scene.emulator.load(
      EmulatorFaults(
        json: ["faults": [["vendor": "braze", "fault": "closeBefore", "times": "always"]]]))
    let moved = await scene.stage.engage("sync", by: CurlTransport())
    #expect(moved.status == .failed, "\(moved)")
    try await scene.emulator.load(EmulatorFaults(json: ["faults": []]))
    let later = await scene.engage("sync")
    #expect(
      later.errors.contains(
        "cards: vibes is shown in place of braze, which is not asked any more"), "\(later.errors)")
    #expect(later.errors.contains(#""engage routes return cards" asks it."#), "\(later.errors)")
    #expect(!later.errors.contains("which is down"))
    await scene.emulator.stop()
  }
}
