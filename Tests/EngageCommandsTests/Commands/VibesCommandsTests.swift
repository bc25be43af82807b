import EngagementBrazeTools
import EngagementCurl
import EngagementEmulator
import EngagementJSON
import EngagementKit
import EngagementModel
import EngagementVendors
import EngagementVibesTools
import Foundation
import Testing

@testable import EngageCommands

/// The commands over both vendors, with their servers in this process.
@Suite(.timeLimit(.minutes(20))) struct VibesCommandsTests {
  private typealias Scene = CommandScene

  private static func id(_ message: JSON?) throws -> String {
    try #require(message?["id"]?.string)
  }

  @Test("X1 V8: a sync refreshes cards from Braze and the inbox from Vibes")
  func sync() async throws {
    let scene = try await Scene()
    let lines = await scene.engage("sync").lines
    #expect(lines.count == 3)
    #expect(lines.dropFirst().first?.hasPrefix("braze     cards  fresh") == true)
    #expect(lines.last?.hasPrefix("vibes     inbox  fresh        6        0") == true)
    #expect(await scene.emulator.times("register") == 1)
    #expect(await scene.emulator.times("assign", by: "u-1") == 1)
    await scene.engage("sync")
    #expect(await scene.emulator.times("register") == 1)
    await scene.emulator.stop()
  }

  @Test("B9 V7: each provider that is not told of a change says what it lacks")
  func notTold() async throws {
    let scene = try await Scene()
    await scene.engage("sync")
    #expect(
      await scene.engage("person", "set", "city=Varna", "email=ada@example.com").lines == [
        "person set: braze: delivered",
        "person set: vibes: not told; it has no field for city, email",
      ])
    let ended = await scene.engage("device", "unregister")
    #expect(
      ended.lines.contains("device unregister: braze: not told; it has no request for this"))
    await scene.emulator.stop()
  }

  @Test("people see the short id of an item, by which commands find it, and JSON has the whole one")
  func shortIDs() async throws {
    let scene = try await Scene()
    await scene.engage("sync")
    let whole = try #require(
      try await scene.engage("cards", "--json").lines
        .map { try JSON(parsing: Array($0.utf8)) }
        .first { $0["dismissible"] == true }.flatMap { $0["id"]?.string })
    await scene.emulator.setOffline(true)
    let acted = await scene.stage.run(
      ["cards", "dismiss", whole], by: CurlTransport(), in: .impatient)
    #expect(acted.output.contains("pending"))
    for line in [["outbox"], ["events", "--kind", "dismiss"]] {
      let short = try #require(
        await scene.stage.run(line).output.firstMatch(of: /braze\/(\S+)/)?.output)
      #expect(whole.hasPrefix(short.1) && short.1.count == 8, "\(line): \(short.1)")
      #expect(acted.output == "dismiss \(short.0): pending; the next sync tries again\n")
      let objects = await scene.stage.run(line + ["--json"]).output
      #expect(objects.contains("\"id\":\"\(whole)\""))
    }
    await scene.emulator.stop()
  }

  @Test("G9: sync --watch goes on with the cache that another process put in place of its own")
  func watchReplaced() async throws {
    let scene = try await Scene()
    let (stage, emulator) = (scene.stage, scene.emulator)
    @Sendable func oneMoreList() async {
      func lists() async -> Int {
        await emulator.requests().count { $0.vendor == "vibes" && $0.path.hasSuffix("/messages") }
      }
      let former = await lists()
      for _ in 0..<6_000 where await lists() <= former {
        try? await Task.sleep(for: .milliseconds(10))
      }
    }
    let told = Locked("")
    let ending = await stage.run(
      ["sync", "--watch", "--every", "1"], by: CurlTransport(),
      in: .init(
        patience: .seconds(600),
        interruption: {
          await oneMoreList()
          let reset = await stage.engage("cache", "reset", "--yes")
          told.withLock { $0 = reset.output }
          _ = await stage.engage("signin", "u-2", by: CurlTransport())
          await oneMoreList()
          await oneMoreList()
        }))
    #expect(told.withLock(\.self).hasPrefix("A new cache is in place"))
    #expect(ending.status == .done)
    #expect(
      ending.errors.contains("Another process has replaced the cache; watching the new one."),
      "\(ending.errors)")
    await emulator.stop()
  }

  @Test("X1 V8: sync --watch prints every feed once and then only changed feeds, until Ctrl-C")
  func watch() async throws {
    let scene = try await Scene()
    let emulator = scene.emulator
    let twoMoreLists: @Sendable () async -> Void = {
      func lists() async -> Int {
        await emulator.requests().count { $0.vendor == "vibes" && $0.path.hasSuffix("/messages") }
      }
      let former = await lists()
      for _ in 0..<6_000 where await lists() < former + 2 {
        try? await Task.sleep(for: .milliseconds(10))
      }
    }
    let ending = await scene.stage.run(
      ["sync", "--watch", "--every", "1"], by: CurlTransport(),
      in: .init(
        patience: .seconds(600),
        interruption: {
          for message in 1...2 {
            await twoMoreLists()
            let item: JSON = ["message_uid": .string("new-\(message)"), "content": "Text"]
            _ = try? await emulator.put(item, in: "vibes")
          }
          await twoMoreLists()
        }))
    #expect(ending.status == .done)
    #expect(ending.errors.isEmpty)
    let told = ending.lines.map { $0.split(separator: " ").prefix(4).joined(separator: " ") }
    #expect(
      told == [
        "PROVIDER WHAT OUTCOME ITEMS", "braze cards fresh 10", "vibes inbox fresh 6",
        "vibes inbox fresh 7", "new: vibes/new-1 Text", "vibes inbox fresh 8",
        "new: vibes/new-2 Text",
      ])
    let wrong = await scene.stage.engage("sync", "--every", "5")
    #expect(wrong.status == .usage && wrong.errors.hasPrefix("engage: --every goes with --watch."))
    await emulator.stop()
  }

  @Test("X3: a sync fails if one vendor is down and still refreshes the other")
  func oneDown() async throws {
    let scene = try await Scene()
    try await scene.emulator.load(
      try EmulatorFaults(
        json: ["faults": [["vendor": "vibes", "fault": "closeBefore", "times": "always"]]]))
    let ending = await scene.stage.engage("sync", by: CurlTransport(), in: .impatient)
    #expect(ending.status == .failed)
    #expect(ending.lines.dropFirst().first?.hasPrefix("braze     cards  fresh") == true)
    #expect(ending.lines.last?.hasPrefix("vibes     inbox  failed") == true)
    await scene.emulator.stop()
  }

  @Test("V8: the inbox command lists messages newest first from the cache")
  func list() async throws {
    let scene = try await Scene()
    let empty = await scene.stage.engage("inbox")
    #expect(
      empty
        == .init(status: .done, output: "", errors: "The cache is empty; run \"engage sync\".\n"))
    await scene.engage("sync")
    let messages = try await scene.inbox()
    #expect(messages.count == 6 && messages.allSatisfy { $0["provider"] == "vibes" })
    #expect(
      messages.compactMap { $0["subject"]?.string } == [
        "Until tonight", "Grüße ☕️", "A table on Sunday", "Your first stamp", "Welcome",
      ])
    let table = await scene.stage.engage("inbox")
    #expect(table.lines.first == "ID              STATE  SUBJECT            TEXT")
    #expect(table.lines.last?.hasPrefix("6 messages, 5 new, vibes as of ") == true)
    let id = try Self.id(messages.dropFirst().first)
    let shown = await scene.stage.engage("inbox", "show", id)
    #expect(shown.lines.contains("subject      Until tonight"))
    #expect(shown.lines.contains("detailURL    harbour://bread"))
    await scene.emulator.stop()
  }

  @Test("V5 V8: open, read, expire and delete reach the vendor once and show at once")
  func actions() async throws {
    let scene = try await Scene()
    await scene.engage("sync")
    let messages = try await scene.inbox()
    let (first, second) = (try Self.id(messages.first), try Self.id(messages.dropFirst().first))
    for verb in ["open", "read"] {
      let ending = await scene.engage("inbox", verb, String(first.prefix(12)))
      #expect(ending.output == "\(verb) vibes/\(first.prefix(8)): delivered\n")
    }
    await scene.engage("inbox", "expire", "vibes/\(first)")
    // The terminal's clock is behind the vendor's, so the time is in the future for both.
    await scene.engage("inbox", "expire", second, "--at", "2126-12-24T18:00:00+02:00", "--json")
    for name in ["inbox_open", "read", "expire"] {
      #expect(await scene.emulator.times(name, of: first, by: "u-1") == 1, "\(name)")
    }
    #expect(await scene.emulator.times("expire", of: second) == 1)
    let left = try await scene.inbox()
    #expect(left.count == 5)
    #expect(left.first?["expiresAt"] == "2126-12-24T16:00:00.000Z")
    let third = try Self.id(left.last)
    let unconfirmed = await scene.stage.engage("inbox", "delete", third)
    #expect(
      unconfirmed.status == .usage
        && unconfirmed.errors.hasPrefix("engage: Deleting cannot be undone; say --yes."))
    #expect(
      await scene.engage("inbox", "delete", third, "--yes").output
        == "delete vibes/\(third.prefix(8)): delivered\n")
    #expect(await scene.emulator.times("expire", of: third) == 1)
    #expect(try await scene.inbox().count == 4)
    await scene.emulator.stop()
  }

  @Test("V8: an unknown message, verb or time gives an error with the next step")
  func wrong() async throws {
    let scene = try await Scene()
    await scene.engage("sync")
    let id = try Self.id(try await scene.inbox().first)
    let wrong = [
      (
        ["read", "nothing-like-it"],
        #"There is no message "nothing-like-it"; see "engage inbox list"."#
      ),
      (
        ["read", "vibs/\(id)"],
        #"There is no message "vibs/\#(id)": "vibs" is no provider; did you mean "vibes"?"#
      ),
      (["expire", id, "--at", "soon"], "--at takes a time of ISO 8601 with its zone, such as"),
      (["raed", id], #""raed" is no"#),
    ]
    for (line, message) in wrong {
      let ending = await scene.stage.run(["inbox"] + line)
      #expect(ending.status != .done)
      #expect(ending.errors.contains(message), "\(ending.errors)")
    }
    await scene.emulator.stop()
  }

  @Test("V7: the person command shows the person and associates another id")
  func person() async throws {
    let scene = try await Scene()
    let shown = await scene.engage("person", "show", "--json")
    #expect(shown.lines.count == 1)
    #expect(shown.lines.first?.contains(#""vendor":"vibes""#) == true)
    #expect(shown.lines.first?.contains(#""externalID":"u-1""#) == true)
    #expect(
      await scene.engage("person", "associate", "u-7").lines == [
        "person associate u-7: vibes: delivered",
        "person associate u-7: braze: not told; it has no request for this",
      ])
    #expect(await scene.engage("person").lines.contains("externalID  u-7"))
    await scene.emulator.stop()
  }

  @Test("V3: push register sends the token to both vendors, and push unregister takes it back")
  func push() async throws {
    let scene = try await Scene()
    try scene.stage.write("0aff\n", to: "token")
    let ending = await scene.engage(
      "push", "register", "--service", "apns", "--token-file", "token", "--json")
    #expect(ending.lines.first?.contains(#""outcome":"delivered""#) == true)
    #expect(!ending.output.contains("0aff"))
    #expect(await scene.emulator.times("push_register") == 1)
    #expect(await scene.emulator.times("push_token") == 1)
    let states = await scene.engage("push", "status", "--json")
    #expect(states.lines.count == 2)
    #expect(states.lines.allSatisfy { $0.contains(#""state":"registered""#) })
    let unregistered = await scene.stage.engage(
      "push", "unregister", by: CurlTransport(), in: .init(patience: .seconds(600)))
    #expect(unregistered.status == .done)
    #expect(unregistered.output == "push unregister: delivered\n")
    #expect(unregistered.errors.isEmpty, "\(unregistered.errors)")
    let left = await scene.stage.engage(
      "signout", "--json", by: CurlTransport(), in: .init(patience: .seconds(600)))
    #expect(left.status == .done)
    #expect(left.lines.first?.contains(#""provider":"braze""#) == true)
    #expect(left.lines.allSatisfy { $0.contains(#""mayStillPush":false"#) })
    #expect(await scene.emulator.times("push_unregister") == 1)
    #expect(await scene.emulator.times("push_token", of: "none") == 1)
    await scene.emulator.stop()
  }

  @Test("X2 X16: a route is listed, set and reset, and the token follows the route of pushes")
  func routes() async throws {
    let scene = try await Scene()
    try scene.stage.write("0aff\n", to: "token")
    await scene.engage("push", "register", "--service", "apns", "--token-file", "token")
    let set = await scene.engage("routes", "set", "push", "only=vibes")
    #expect(set.lines == ["The route of push is only vibes now."])
    let states = await scene.engage("push", "status", "--json")
    #expect(states.lines.count == 2)
    #expect(states.lines.first?.contains(#""state":"unregistered""#) == true)
    #expect(states.lines.last?.contains(#""state":"registered""#) == true)
    let listed = await scene.engage("routes")
    #expect(listed.lines.contains { $0.hasPrefix("push") && $0.hasSuffix("engage routes set") })
    #expect(listed.lines.contains { $0.hasPrefix("inbox") && $0.hasSuffix("engage.json") })
    let reset = await scene.engage("routes", "reset", "push")
    #expect(reset.lines == ["The route of push is every provider that takes it now."])
    let text = await scene.stage.engage("routes", "set", "push", "both=vibes")
    #expect(text.errors.contains("A route is only, merge, none,"))
    let word = await scene.stage.engage("routes", "set", "cards", "vibes")
    #expect(word.errors.contains("ROUTE is \"vibes\"; write none, only=NAME, merge=NAME,NAME"))
    await scene.emulator.stop()
  }

  @Test("V2: a sync renews an expired token once and succeeds")
  func renewal() async throws {
    let scene = try await Scene()
    await scene.engage("sync")
    try await scene.emulator.configure("vibes", ["expireTokens": true])
    await scene.engage("sync")
    #expect(await scene.emulator.times("renew") == 1)
    #expect(await scene.emulator.times("register") == 1)
    await scene.emulator.stop()
  }

  @Test("G16 V2: the device token appears neither in the cache nor in the output")
  func token() async throws {
    let scene = try await Scene()
    let ending = await scene.engage("sync", "--log", "verbose")
    let answer = try #require(
      await scene.emulator.requests().first { $0.summary.hasPrefix("registered") })
    #expect(answer.effects.count == 1)
    let files = try FileManager.default.contentsOfDirectory(
      at: scene.stage.folder, includingPropertiesForKeys: nil)
    let secrets = try #require(files.first { $0.pathExtension == "secrets" })
    let kept = String(decoding: try Data(contentsOf: secrets), as: UTF8.self)
    let tokens = kept.matches(of: /"([0-9a-f]{32})"/).map { String($0.1) }
    let token = try #require(tokens.first)
    #expect(!(ending.output + ending.errors).contains(token))
    for file in files where file != secrets {
      #expect(try Data(contentsOf: file).range(of: Data(token.utf8)) == nil, "\(file)")
    }
    await scene.emulator.stop()
  }
}

@Suite struct VibesDecodeTests {
  private func decode(_ kind: String, _ payload: String) async throws -> CommandLineFixture.Ending {
    await (try CommandLineFixture()).run(
      ["decode", "--vendor", "vibes", "--kind", kind, "-"], in: .init(input: payload))
  }

  @Test("V8 G17: decode prints an inbox message by message, and a bad message costs only itself")
  func inbox() async throws {
    let payload = #"""
      [{"message_uid": "m-1", "content": "Text", "subject": "Hi", "read": 1,
        "created_at": "2026-10-01T10:00:00+02:00", "images": {"icon": "javascript:x"}},
       {"message_uid": "m-2"}, 7]
      """#
    #expect(
      try await decode("inbox", payload).lines == [
        #"{"provider":"vibes","vendor":"vibes","id":"m-1","subject":"Hi","text":"Text","read":true,"createdAt":"2026-10-01T08:00:00.000Z"}"#,
        #"{"quarantined":{"index":1,"reason":"A message has no content."}}"#,
        #"{"quarantined":{"index":2,"reason":"Something else stands where a JSON object is expected. (notAnObject at byte 0)"}}"#,
      ])
    let one = #"{"message_uid":"m-1","content":"Text"}"#
    #expect(
      try await decode("inbox", one).lines == [
        #"{"provider":"vibes","vendor":"vibes","id":"m-1","text":"Text","read":false}"#
      ])
  }

  @Test("V6: decode prints an APNs and an FCM push, with Ruby-style data too")
  func pushes() async throws {
    let apns = #"""
      {"aps": {"alert": {"title": "T", "body": "B"}}, "message_uid": "p-1",
       "client_app_data": {"inbox_message_uid": "m-1", "deep_link": "app://x"}}
      """#
    #expect(
      try await decode("push", apns).lines == [
        #"{"vendor":"vibes","messageID":"p-1","title":"T","body":"B","deepLink":"app://x","silent":false,"inboxMessageID":"m-1"}"#
      ])
    let fcm = #"""
      {"message_uid": "p-2", "silent_push": "true",
       "client_custom_data": "{\"lift\"=>\"north\"}"}
      """#
    #expect(
      try await decode("push", fcm).lines == [
        #"{"vendor":"vibes","messageID":"p-2","silent":true,"custom":{"lift":"north"}}"#
      ])
    #expect(try await decode("push", #"{"ab": {"c": 1}}"#).output.isEmpty)
  }

  @Test("V7: decode prints a person and refuses a kind that Vibes lacks")
  func person() async throws {
    let payload = #"{"person_key":"p-1","external_person_id":"u-1","mobile_phone":{"mdn":"+1555"}}"#
    #expect(
      try await decode("person", payload).lines == [
        #"{"provider":"vibes","vendor":"vibes","key":"p-1","externalID":"u-1","phone":"+1555"}"#
      ])
    #expect(
      try await decode("cards", "[]").errors == "engage: vibes has no cards. [unsupported]\n")
    #expect(try await decode("inbox", "[]").errors == "The payload has no messages.\n")
  }
}
