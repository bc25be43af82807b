import EngagementBrazeTools
import EngagementEmulator
import EngagementJSON
import EngagementModel
import EngagementVendors
import EngagementVibesTools

/// The servers of both vendors on this machine, with two items each. The welcome is at both.
struct LocalVendors: Sendable {
  private let emulator: Emulator
  var brazeEndpoint: String { emulator.endpoint(of: "braze") }
  var vibesEndpoint: String { "\(emulator.endpoint(of: "vibes"))/mobile_apps" }

  static func start() async throws -> LocalVendors {
    let emulator = try await Emulator.start(.init([.braze, .vibes]))
    for item in try await emulator.items(of: "braze") {
      try await emulator.remove(item["id"]?.string ?? "", from: "braze")
    }
    for item in try await emulator.items(of: "vibes") {
      try await emulator.remove(item["message_uid"]?.string ?? "", from: "vibes")
    }
    for card in cards { try await emulator.put(JSON(parsing: Array(card.utf8)), in: "braze") }
    for message in messages {
      try await emulator.put(JSON(parsing: Array(message.utf8)), in: "vibes")
    }
    return LocalVendors(emulator: emulator)
  }

  func stop() async { await emulator.stop() }

  /// What the user did, in each vendor's own words: `cci` and `ccd` are Braze's for a card that was seen
  /// and for one that was dismissed.
  var told: [String] {
    get async {
      let words = ["ccd", "cci", "expire", "read"]
      return await emulator.effects().keys.filter { words.contains($0.name) }
        .map { "\($0.name) \($0.subject)" }.sorted()
    }
  }

  private static let cards = [
    #"""
    {"id": "b-welcome", "tp": "short_news", "tt": "Welcome", "ds": "Nice to see you.", "db": true,
     "ca": 1790000000, "e": {"content": "welcome"}}
    """#,
    #"""
    {"id": "b-roast", "tp": "short_news", "tt": "New beans", "ds": "From Ethiopia.", "db": true,
     "ca": 1790000100}
    """#,
  ]

  private static let messages = [
    #"""
    {"message_uid": "v-welcome", "subject": "Welcome", "content": "Nice to see you.",
     "created_at": "2026-09-21T12:00:00Z", "inbox_custom_data": {"content": "welcome"}}
    """#,
    #"""
    {"message_uid": "v-stamp", "subject": "Your stamp", "content": "Nine more.",
     "created_at": "2026-09-21T13:00:00Z"}
    """#,
  ]
}
