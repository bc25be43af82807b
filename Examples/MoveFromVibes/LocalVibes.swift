import EngagementEmulator
import EngagementJSON
import EngagementKit
import EngagementVendors
import EngagementVibesTools

/// Vibes's server on this machine, with three messages and a memory of what it was told.
struct LocalVibes: Sendable {
  private let emulator: Emulator
  var endpoint: String { "\(emulator.endpoint(of: "vibes"))/mobile_apps" }

  static func start() async throws -> LocalVibes {
    let emulator = try await Emulator.start(.init([.vibes]))
    for item in try await emulator.items(of: "vibes") {
      try await emulator.remove(item["message_uid"]?.string ?? "", from: "vibes")
    }
    for message in messages {
      try await emulator.put(JSON(parsing: Array(message.utf8)), in: "vibes")
    }
    return LocalVibes(emulator: emulator)
  }

  func stop() async { await emulator.stop() }

  /// What a device is handed for a push that leads somewhere and points at the message.
  func push(about message: String) async throws -> JSON {
    try await emulator.put(
      ["message_uid": .string(message), "subject": "Just in", "content": "New beans"], in: "vibes")
    return try await emulator.push(
      [
        "title": "For you", "body": "New beans", "url": "club://beans", "item": .string(message),
        "extras": ["roast": "light"],
      ], from: "vibes")
  }

  /// How often each thing happened, by its name.
  var told: [String] {
    get async {
      var counts: [String: Int] = [:]
      for (effect, count) in await emulator.effects() { counts[effect.name, default: 0] += count }
      return counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
    }
  }

  private static let messages = [
    #"{"message_uid":"m-1","subject":"Welcome","content":"Here is how","#
      + #""created_at":"2026-09-01T08:00:00.000+00:00","read":true}"#,
    #"{"message_uid":"m-2","subject":"Your stamp","content":"Nine more","#
      + #""created_at":"2026-09-02T08:00:00Z","detail":"https://club.example.com/stamps","#
      + #""images":{"icon":"https://club.example.com/stamp.png"},"#
      + #""inbox_custom_data":{"kind":"stamp"},"collapse_key":"stamps"}"#,
    #"{"message_uid":"m-3","subject":"Brunch","content":"On Sunday","#
      + #""created_at":"2026-09-03T08:00:00.250+02:00"}"#,
  ]
}
