import EngagementCleverTapTools
import EngagementCurl
import EngagementEmulator
import EngagementVendors

@testable import EngageCommands

/// A folder with CleverTap, its emulator and definitions of templates.
struct TemplatesScene {
  static let definitions = """
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

  let stage: CommandLineFixture
  let emulator: Emulator

  /// - Parameter members: Further members of the provider.
  init(
    _ definitions: String = definitions, _ members: String = #""debug": true"#,
    hosts: String = "127.0.0.1"
  ) async throws {
    stage = try CommandLineFixture()
    emulator = try await Emulator.start(.init([.cleverTap]))
    try stage.write(definitions, to: "templates.json")
    try stage.write(
      """
      {"user": "u-1", "consent": "full", "providers": {"clevertap": {
        "vendor": "clevertap", "endpoint": "\(emulator.endpoint(of: "clevertap"))",
        "accountID": "demo", "token": "demo", "templates": "templates.json",
        "fileHosts": ["\(hosts)"], \(members)}}}
      """, to: "engage.json")
  }

  func engage(_ line: String...) async -> CommandLineFixture.Ending {
    await stage.run(line, by: CurlTransport(), in: .init(patience: .seconds(60)))
  }
}
