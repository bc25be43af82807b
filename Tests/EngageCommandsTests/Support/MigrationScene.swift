import EngagementBrazeTools
import EngagementCurl
import EngagementEmulator
import EngagementJSON
import EngagementModel
import Foundation
import Testing

@testable import EngageCommands

/// Two vendors with cards, of which one is to follow the other.
struct MigrationScene {
  let stage: CommandLineFixture
  let old: Emulator
  let new: Emulator

  static let routes = """
    "routes": {"cards": {"only": "now"}, "inbox": "none", "templates": "none", "push": {"only": "now"}},
    """

  /// - Parameters:
  ///   - routes: The member of `engage.json` with the routes, and a comma.
  ///   - key: What follows each provider's key there.
  init(
    routes: String = Self.routes, key: String = #", "contentKey": {"extra": "sku"}"#
  ) async throws {
    stage = try CommandLineFixture()
    old = try await Emulator.start(.init([.braze]))
    new = try await Emulator.start(.init([.braze]))
    for emulator in [old, new] {
      for item in try await emulator.items(of: "braze") {
        try await emulator.remove(item["id"]?.string ?? "", from: "braze")
      }
    }
    try stage.write(
      """
      {"user": "u-1", "consent": "full",
       \(routes)
       "providers": {
         "now": {"vendor": "braze", "endpoint": "\(old.endpoint(of: "braze"))",
                 "apiKey": "demo"\(key)},
         "next": {"vendor": "braze", "endpoint": "\(new.endpoint(of: "braze"))",
                  "apiKey": "demo"\(key)}}}
      """, to: "engage.json")
    for (place, sku) in ["one", "two", "three"].enumerated() {
      try await put("s-\(sku)", sku, Int64(place), at: old)
    }
    for (place, sku) in ["two", "one", "four"].enumerated() {
      try await put("c-\(sku)", sku, Int64(place), at: new)
    }
  }

  private func put(
    _ id: String, _ sku: String, _ place: Int64, at emulator: Emulator
  ) async throws {
    try await emulator.put(
      [
        "id": .string(id), "tp": "short_news", "ca": .integer(1_700_000_000 - place), "ea": -1,
        "tt": "A title", "ds": "A text", "u": "", "uw": false, "p": false, "r": false,
        "db": true, "t": false, "e": ["sku": .string(sku)],
      ], in: "braze")
  }

  func engage(_ line: String...) async -> CommandLineFixture.Ending {
    await stage.run(line, by: CurlTransport(), in: .init(patience: .seconds(600)))
  }

  /// Runs a command that has to succeed.
  func done(_ line: String...) async {
    let ending = await stage.run(line, by: CurlTransport(), in: .init(patience: .seconds(600)))
    #expect(ending.status == .done, "\(line): \(ending.errors)")
  }

  func page() throws -> String {
    try String(contentsOf: stage.folder.appending(path: "move.html"), encoding: .utf8)
  }

  func stop() async {
    await old.stop()
    await new.stop()
  }
}
