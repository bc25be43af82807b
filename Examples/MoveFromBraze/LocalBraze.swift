import EngagementBrazeTools
import EngagementEmulator
import EngagementJSON
import EngagementKit
import EngagementVendors

/// Braze's server on this machine, with four cards and a memory of what it was told.
struct LocalBraze: Sendable {
  private let emulator: Emulator
  var endpoint: String { emulator.endpoint(of: "braze") }

  static func start() async throws -> LocalBraze {
    let emulator = try await Emulator.start(.init([.braze]))
    for item in try await emulator.items(of: "braze") {
      try await emulator.remove(item["id"]?.string ?? "", from: "braze")
    }
    for card in cards { try await emulator.put(JSON(parsing: Array(card.utf8)), in: "braze") }
    return LocalBraze(emulator: emulator)
  }

  func stop() async { await emulator.stop() }

  /// Every event about a card that arrived: the vendor's name for it and the card.
  var told: [String] {
    get async {
      await emulator.requests().flatMap(\.effects).filter { $0.name.hasPrefix("cc") }
        .map { "\($0.name) \($0.subject)" }
    }
  }

  private static let cards = [
    #"{"id":"1","tp":"banner_image","ca":1790800003,"p":true,"i":"https://example.com/i.png"}"#,
    #"{"id":"2","tp":"captioned_image","ca":1790800002,"tt":"Two for one","ds":"Until Sunday","#
      + #""dm":"shop.example.com","u":"https://shop.example.com","db":true}"#,
    #"{"id":"3","tp":"short_news","ca":1790800001,"tt":"Welcome","ds":"Here is how","db":true}"#,
    #"{"id":"4","tp":"control","ca":1790800000}"#,
  ]
}
