import EngagementCleverTapTools
import EngagementCurl
import EngagementEmulator
import EngagementJSON
import EngagementModel
import EngagementVendors
import Testing

@testable import EngageCommands

@Suite struct TemplatesCommandsTests {
  @Test("C2: templates list prints each argument with its type and default")
  func list() async throws {
    let scene = try await TemplatesScene()
    let people = await scene.engage("templates")
    let programs = await scene.engage("templates", "list", "--json")
    await scene.emulator.stop()
    #expect(people.status == .done, "\(people.errors)")
    #expect(people.lines.count == 7)
    let cells = people.lines.map { $0.split(separator: " ").map(String.init) }
    #expect(cells.contains(["clevertap", "offer", "template", "price.amount", "number", "2.5"]))
    #expect(cells.contains(["clevertap", "offer", "template", "isUrgent", "boolean", "true"]))
    let object = try JSON(parsing: Array(try #require(programs.lines.first).utf8))
    #expect(object["template"] == "offer")
    #expect(object["arguments"]?.array?.count == 6)
    #expect(object["arguments"]?.array?.first?["default"] == "Hello")
  }

  @Test("C2: templates sync tells the vendor, and without debug it says which key to set")
  func sync() async throws {
    let scene = try await TemplatesScene()
    let told = await scene.engage("templates", "sync", "--json")
    await scene.emulator.stop()
    #expect(told.status == .done, "\(told.errors)")
    #expect(told.output.contains(#""templates":1"#))
    let other = try await TemplatesScene(TemplatesScene.definitions, #""debug": false"#)
    let refused = await other.engage("templates", "sync", "clevertap")
    await other.emulator.stop()
    #expect(refused.status == .failed)
    let cause = "engage: clevertap: engage.json does not mark a debug build, and the vendor takes"
    #expect(refused.errors.hasPrefix(cause), "\(refused.errors)")
    #expect(refused.errors.contains(#"Set "debug": true in providers.clevertap."#))
    #expect(!refused.errors.contains("does not support this"))
  }

  @Test("C4: a template that an event makes due is drawn by track, and the vendor is told")
  func due() async throws {
    let scene = try await TemplatesScene()
    let synced = await scene.engage("sync")
    let nothing = await scene.engage("track", "Tea ordered")
    let drawn = await scene.engage("track", "Coffee ordered", "size=large")
    let events = await scene.engage("events", "--json")
    let effects = await scene.emulator.requests().flatMap(\.effects)
    await scene.emulator.stop()
    #expect(synced.status == .done, "\(synced.errors)")
    #expect(!nothing.output.contains("┌"))
    #expect(drawn.output.contains("┌ offer"), "\(drawn.output) \(drawn.errors)")
    #expect(drawn.output.contains("Two for one"))
    #expect(drawn.output.contains("1. open"))
    for name in ["campaign.due", "template.presented", "template.dismissed"] {
      #expect(events.output.contains(name), "\(name)")
    }
    #expect(!effects.isEmpty)
  }

  @Test("C7 C9: sync --watch draws what becomes due while it runs, once")
  func watching() async throws {
    let scene = try await TemplatesScene()
    let emulator = scene.emulator
    @Sendable func moreRequests(_ name: String, _ count: Int) async {
      func total() async -> Int {
        await emulator.requests().flatMap(\.effects).count { $0.name == name }
      }
      let former = await total()
      for _ in 0..<6_000 where await total() < former + count {
        try? await Task.sleep(for: .milliseconds(10))
      }
    }
    let ending = await scene.stage.run(
      ["sync", "--watch", "--every", "1"], by: CurlTransport(),
      in: .init(
        patience: .seconds(600),
        interruption: {
          await moreRequests("wzrk_fetch", 1)
          let campaign: JSON = [
            "delivery": "inapp_notifs", "type": "custom-code", "templateName": "offer",
            "vars": ["title": "Only now"],
          ]
          _ = try? await emulator.put(campaign, in: "clevertap")
          await moreRequests("Notification Viewed", 1)
          await moreRequests("wzrk_fetch", 2)
        }))
    await emulator.stop()
    #expect(ending.status == .done)
    #expect(ending.errors.isEmpty, "\(ending.errors)")
    #expect(ending.lines.count { $0.contains("Only now") } == 1, "\(ending.output)")
  }

  @Test(
    "C6: with --choose, the action of a drawn template happens, and the vendor is told of a click")
  func choosing() async throws {
    let scene = try await TemplatesScene()
    _ = await scene.engage("sync")
    let drawn = await scene.engage("track", "Coffee ordered", "size=large", "--choose", "open")
    _ = await scene.engage("sync")
    let other = await scene.engage(
      "templates", "trigger", "offer", "later=close", "--choose", "later")
    let wrong = await scene.engage("templates", "trigger", "offer", "--choose", "share")
    let events = await scene.engage("events", "--kind", "click", "--json")
    let effects = await scene.emulator.requests().flatMap(\.effects)
    await scene.emulator.stop()
    #expect(drawn.output.contains("asked to open https://harbour.example.com/offers"))
    #expect(other.status == .done, "\(other.errors)")
    #expect(other.errors.isEmpty, "close ends it once: \(other.errors)")
    #expect(wrong.errors.contains("offer has no action share to choose; it has none."))
    #expect(events.lines.count == 2)
    #expect(effects.count { $0.name == "Notification Clicked" } == 1, "not of a preview")
  }

  @Test("C2 C5: templates trigger draws a template with values, and no vendor is told")
  func trigger() async throws {
    let scene = try await TemplatesScene()
    let picture = "\(scene.emulator.endpoint(of: "clevertap"))/files/stamp.png"
    let drawn = await scene.engage(
      "templates", "trigger", "offer", "title=12", "price.amount=3.5", "isUrgent=false",
      "picture=\(picture)", "open=https://a.example/", #"later={"action":"keyValues","values":{}}"#,
      "--json")
    let effects = await scene.emulator.requests().flatMap(\.effects)
    await scene.emulator.stop()
    #expect(drawn.status == .done, "\(drawn.errors)")
    let object = try JSON(parsing: Array(try #require(drawn.lines.first).utf8))
    #expect(object["values"]?["title"] == "12")
    #expect(object["values"]?["price.amount"] == 3.5)
    #expect(object["values"]?["isUrgent"] == false)
    #expect(object["values"]?["picture"]?.string?.contains(".files/objects/") == true)
    #expect(object["values"]?["open"] == "open https://a.example/")
    #expect(!effects.contains { $0.name.hasPrefix("Notification") })
  }

  @Test(
    "C1 C8: templates trigger says what is wrong with a name, a value or a file",
    arguments: [
      (["ofer"], "did you mean \"offer\"?"),
      (["offer", "titel=x"], "no such argument; it has title"),
      (["offer", "price.amount=much"], #""price.amount": the value must be a number"#),
      (["offer", "title"], #""title" is no KEY=VALUE"#),
      (["offer", "picture=https://elsewhere.example/a.png"], "was not drawn"),
      (["offer", "--provider", "braze"], "is no provider"),
    ])
  func wrongTrigger(_ arguments: [String], _ text: String) async throws {
    let scene = try await TemplatesScene()
    let ending = await scene.stage.run(
      ["templates", "trigger"] + arguments, by: CurlTransport(),
      in: .init(patience: .seconds(60)))
    await scene.emulator.stop()
    #expect(ending.status != .done)
    #expect(ending.errors.contains(text), "\(ending.errors)")
  }

  @Test(
    "C7: init writes templates that draw what the emulator's campaigns send, and keeps a user's own"
  )
  func initialised() async throws {
    let stage = try CommandLineFixture()
    try stage.write("{}", to: "templates.json")
    let kept = await stage.run(["init"], by: CurlTransport(), in: .init())
    #expect(kept.status == .done)
    #expect(kept.errors.contains("templates.json is there already and stays."))
    let written = await stage.run(["init", "--force", "--json"], by: CurlTransport(), in: .init())
    #expect(written.lines.count == 2)
    let listed = await stage.run(["templates", "--json"], by: CurlTransport(), in: .init())
    #expect(listed.status == .done, "\(listed.errors)")
    #expect(listed.output.contains(#""template":"offer""#))
  }

  @Test(
    "C6: --choose takes the number of the drawing, and an action that nothing has fails the command"
  )
  func chooseByNumber() async throws {
    let scene = try await TemplatesScene()
    let numbered = await scene.engage(
      "templates", "trigger", "offer", "later=close", "--choose", "1")
    _ = await scene.engage("sync")
    let wrong = await scene.engage(
      "track", "Coffee ordered", "size=large", "--choose", "nonsense")
    await scene.emulator.stop()
    #expect(numbered.status == .done, "\(numbered.errors)")
    #expect(wrong.status == .failed)
    #expect(wrong.errors.contains("offer has no action nonsense to choose; it has open, later."))
  }

  @Test("C6: an action that runs what is no function is a usage error with the nearest name")
  func unknownFunction() async throws {
    let scene = try await TemplatesScene()
    let wrong = await scene.engage("templates", "trigger", "offer", "later=openURL")
    await scene.emulator.stop()
    #expect(wrong.status == .usage && wrong.output.isEmpty)
    #expect(wrong.errors.contains("openURL") && wrong.errors.contains("there is none."))
  }

  @Test("C4: doctor asks for the handshake, and a token that the vendor refuses is named")
  func doctor() async throws {
    let scene = try await TemplatesScene()
    #expect(await scene.engage("sync").status == .done)
    let before = await scene.emulator.requests().count
    let well = await scene.engage("doctor")
    #expect(well.status == .done, "\(well.output)")
    #expect(
      well.output.contains("answers as clevertap does, and takes what providers.clevertap says"))
    #expect(await scene.emulator.requests(after: before).map(\.path) == ["/hello"])
    try await scene.emulator.configure("clevertap", ["token": "another"])
    let refused = await scene.engage("doctor")
    #expect(refused.status == .failed)
    #expect(refused.output.contains("CleverTap does not know the account or its token"))
    #expect(refused.output.contains("check the key and the ids of providers.clevertap"))
    await scene.emulator.stop()
  }

  @Test("C4: a 401 for the definitions says what to mark in the dashboard")
  func testProfile() async throws {
    let scene = try await TemplatesScene()
    try await scene.emulator.configure("clevertap", ["testProfiles": false])
    let refused = await scene.engage("templates", "sync")
    await scene.emulator.stop()
    #expect(refused.status == .failed)
    #expect(
      refused.errors.contains("mark this device's profile as a test profile in the dashboard"))
    #expect(refused.errors.contains("CleverTap does not know the token, or"))
  }

  @Test("C7: a bad definition is an error with file, line, template, argument and rule")
  func badDefinitions() async throws {
    let scene = try await TemplatesScene(
      #"{"offer": {"type": "template", "arguments": {"title": {"type": "string"}}}}"#)
    for command in ["sync", "templates", "doctor"] {
      let ending = await scene.engage(command)
      #expect(ending.status == .failed)
      let text = ending.output + ending.errors
      #expect(
        text.contains(
          #"templates.json: line 1: Template "offer", argument "title": the default must be a text"#
        ), "\(command): \(text)")
    }
    await scene.emulator.stop()
  }

  @Test("C1 C7: a name of the vendor's own in the file is an error with file and line")
  func reservedName() async throws {
    let scene = try await TemplatesScene(
      "{\n\"ctsystem_openurl\": {\"type\": \"template\"}}")
    for command in ["sync", "templates", "doctor"] {
      let ending = await scene.engage(command)
      let text = ending.output + ending.errors
      #expect(ending.status == .failed)
      #expect(
        text.contains(
          #"templates.json: line 2: Template "ctsystem_openurl": the name is one of the vendor's own"#
        ), "\(command): \(text)")
    }
    await scene.emulator.stop()
  }

  @Test("C7: a bad file host is an error with its key and value")
  func badFileHosts() async throws {
    let scene = try await TemplatesScene()
    await scene.emulator.stop()
    try scene.stage.write(
      """
      {"providers": {"clevertap": {"vendor": "clevertap", "accountID": "a", "token": "t",
        "fileHosts": ["https://a.example/"]}}}
      """, to: "engage.json")
    let ending = await scene.engage("templates")
    #expect(ending.status == .failed)
    #expect(ending.errors.contains("providers.clevertap.fileHosts"))
    #expect(ending.errors.contains(#"is "https://a.example/", which is no host"#))
  }
}
