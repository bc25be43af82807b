import EngagementAtomicTools
import EngagementEmulator
import EngagementJSON
import EngagementKit
import EngagementVendors

/// Atomic's server on this machine, with four cards and a memory of what it was told.
struct LocalAtomic: Sendable {
  private let emulator: Emulator
  var endpoint: String { emulator.endpoint(of: "atomic") }

  static func start() async throws -> LocalAtomic {
    let emulator = try await Emulator.start(.init([.atomic]))
    for item in try await emulator.items(of: "atomic") {
      try await emulator.remove(item["instance"]?["id"]?.string ?? "", from: "atomic")
    }
    let vendor = LocalAtomic(emulator: emulator)
    for card in cards { try await vendor.put(card) }
    return vendor
  }

  func stop() async { await emulator.stop() }

  /// What the application's own server gives out. This server checks no signature.
  static let token = Secret(
    [
      "eyJhbGciOiJSUzUxMiIsInR5cCI6IkpXVCJ9",
      "eyJzdWIiOiJhZGEiLCJpYXQiOjQxMDE4NDAwMDAsImV4cCI6NDEwMjQ0NDgwMH0", "ZW11bGF0b3I",
    ].joined(separator: "."))

  /// A card that the vendor sends while the application runs.
  func sendLateCard() async throws {
    try await put(
      #"{"instance":{"id":"pickup-1"},"metadata":{"priority":5},"#
        + #""defaultView":{"nodes":[{"type":"headline","attributes":{"text":"Ready at the counter"}}]}}"#
    )
  }

  private func put(_ card: String) async throws {
    var item = try JSON(parsing: Array(card.utf8)).object ?? [:]
    item["payload"] = ["cardOptions": ["targetStreamIds": ["BqWL1sT"]]]
    try await emulator.put(.object(item), in: "atomic")
  }

  /// What a device is handed for a push about a card.
  func push(about card: String) async throws -> JSON {
    try await emulator.push(
      [
        "title": "For you", "body": "A table is free", "item": .string(card),
        "detail": ["table": 4],
      ],
      from: "atomic")
  }

  /// How often each thing happened, by its name.
  var told: [String] {
    get async {
      var counts: [String: Int] = [:]
      for (effect, count) in await emulator.effects() { counts[effect.name, default: 0] += count }
      return counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
    }
  }

  private static let cards = [
    #"{"instance":{"id":"bill-1"},"metadata":{"priority":1},"actions":{"dismiss":{"swipe":true}},"#
      + #""defaultView":{"nodes":[{"type":"headline","attributes":{"text":"Your bill is due"}}]}}"#,
    #"{"instance":{"id":"table-1"},"metadata":{"priority":2},"#
      + #""defaultView":{"nodes":[{"type":"headline","attributes":{"text":"A table on Sunday"}},"#
      + #"{"type":"form","children":[{"type":"stepper","attributes":{"name":"guests"}},"#
      + #"{"type":"submitButton","attributes":{"text":"Book","name":"book","values":{"day":"Sunday"}}}]}]}}"#,
    #"{"instance":{"id":"news-1"},"metadata":{"priority":3},"actions":{"snooze":{"swipe":true}},"#
      + #""defaultView":{"nodes":[{"type":"headline","attributes":{"text":"A guest from Cologne"}}]}}"#,
    #"{"instance":{"id":"stamps-1"},"metadata":{"priority":4},"#
      + #""actions":{"voteUp":{"overflow":true},"voteDown":{"overflow":true}},"#
      + #""defaultView":{"nodes":[{"type":"headline","attributes":{"text":"Nine of ten stamps"}}]}}"#,
  ]
}
