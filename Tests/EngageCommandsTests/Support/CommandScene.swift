import EngageCommands
import EngagementBrazeTools
import EngagementCurl
import EngagementEmulator
import EngagementFormats
import EngagementJSON
import EngagementModel
import EngagementVendors
import EngagementVibesTools
import Testing

/// A folder with both providers, and their vendors.
struct CommandScene {
  let stage: CommandLineFixture
  let emulator: Emulator

  init() async throws {
    stage = try CommandLineFixture()
    emulator = try await Emulator.start(.init([.braze, .vibes]))
    try stage.write(
      """
      {"user": "u-1", "consent": "full",
       "providers": {
         "braze": {"vendor": "braze", "endpoint": "\(emulator.endpoint(of: "braze"))",
                   "apiKey": "demo"},
         "vibes": {"vendor": "vibes", "endpoint": "\(emulator.endpoint(of: "vibes"))",
                   "appID": "demo"}}}
      """, to: "engage.json")
  }

  /// Runs a command line that must succeed.
  @discardableResult func engage(
    _ line: String..., sourceLocation: SourceLocation = #_sourceLocation
  ) async -> CommandLineFixture.Ending {
    let ending = await stage.run(
      line, by: CurlTransport(), in: .init(patience: .seconds(600)))
    #expect(ending.status == .done, "\(ending.errors)", sourceLocation: sourceLocation)
    return ending
  }

  /// The listed messages as JSON.
  func inbox() async throws -> [JSON] {
    try await engage("inbox", "--json").lines.map { try JSON(parsing: Array($0.utf8)) }
  }
}
