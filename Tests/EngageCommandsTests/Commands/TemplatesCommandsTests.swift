import EngagementCleverTapTools
import EngagementCurl
import EngagementEmulator
import EngagementJSON
import EngagementModel
import EngagementVendors
import Testing

@testable import EngageCommands

@Suite struct TemplatesCommandsTests {
  private static let definitions = """
    {
      "offer": {"type": "template", "arguments": {
        "title": {"type": "string", "value": "Hello"},
        "price": {"type": "object", "value": {"amount": {"type": "number", "value": 2.5}}},
        "isUrgent": {"type": "boolean", "value": true},
        "picture": {"type": "file"},
        "open": {"type": "action"},
        "later": {"type": "action"}}}
    }
    """

  /// A folder with CleverTap and its definitions.
  private struct Scene {
    let stage: CommandLineFixture
    let emulator: Emulator

    init(_ definitions: String = definitions, _ members: String = #""debug": true"#) async throws {
      stage = try CommandLineFixture()
      emulator = try await Emulator.start(.init([.cleverTap]))
      try stage.write(definitions, to: "templates.json")
      try stage.write(
        """
        {"user": "u-1", "consent": "full", "providers": {"clevertap": {
          "vendor": "clevertap", "endpoint": "\(emulator.endpoint(of: "clevertap"))",
          "accountID": "demo", "token": "demo", "templates": "templates.json",
          "fileHosts": ["127.0.0.1"], \(members)}}}
        """, to: "engage.json")
    }

    func engage(_ line: String...) async -> CommandLineFixture.Ending {
      await stage.run(line, by: CurlTransport(), in: .init(patience: .seconds(60)))
    }
  }

  @Test("C2: templates list prints each argument with its type and default")
  func list() async throws {
    let scene = try await Scene()
    let people = await scene.engage("templates")
    let programs = await scene.engage("templates", "list", "--json")
    await scene.emulator.stop()
    #expect(people.status == .done, "\(people.errors)")
    #expect(people.lines.count == 7)
    #expect(people.output.contains("price.amount"))
    let object = try JSON(parsing: Array(try #require(programs.lines.first).utf8))
    #expect(object["template"] == "offer")
    #expect(object["arguments"]?.array?.count == 6)
    #expect(object["arguments"]?.array?.first?["default"] == "Hello")
  }

  @Test("C2: templates sync tells the vendor, and without debug it says which key to set")
  func sync() async throws {
    let scene = try await Scene()
    let told = await scene.engage("templates", "sync", "--json")
    await scene.emulator.stop()
    #expect(told.status == .done, "\(told.errors)")
    #expect(told.output.contains(#""templates":1"#))
    let other = try await Scene(Self.definitions, #""debug": false"#)
    let refused = await other.engage("templates", "sync", "clevertap")
    await other.emulator.stop()
    #expect(refused.status == .failed)
    #expect(refused.errors.contains(#"Set "debug": true in providers.clevertap"#))
  }

  @Test("C4: a template that an event makes due is drawn by track, and the vendor is told")
  func due() async throws {
    let scene = try await Scene()
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

  @Test("C7: a bad definition is an error with file, line, template, argument and rule")
  func badDefinitions() async throws {
    let scene = try await Scene(
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

  @Test("C7: a bad file host is an error with its key and value")
  func badFileHosts() async throws {
    let scene = try await Scene()
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
