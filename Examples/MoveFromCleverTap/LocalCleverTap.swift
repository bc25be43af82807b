import EngagementCleverTapTools
import EngagementEmulator
import EngagementJSON
import EngagementKit
import EngagementVendors

/// CleverTap's server on this machine, with a campaign, two messages and a memory of what it was told.
struct LocalCleverTap: Sendable {
  private let emulator: Emulator
  var endpoint: String { emulator.endpoint(of: "clevertap") }

  static func start() async throws -> LocalCleverTap {
    let emulator = try await Emulator.start(.init([.cleverTap]))
    for item in try await emulator.items(of: "clevertap") {
      let id = item["ti"]?.integer.map { "\($0)" } ?? item["_id"]?.string
      if let id { try await emulator.remove(id, from: "clevertap") }
    }
    for item in items { try await emulator.put(JSON(parsing: Array(item.utf8)), in: "clevertap") }
    return LocalCleverTap(emulator: emulator)
  }

  func stop() async { await emulator.stop() }

  /// What a device is handed for a push that leads somewhere.
  func push() async throws -> JSON {
    try await emulator.push(
      ["title": "For you", "body": "New beans", "url": "shop://beans"], from: "clevertap")
  }

  /// How often each thing happened, by its name.
  var told: [String] {
    get async {
      var counts: [String: Int] = [:]
      for (effect, count) in await emulator.effects() { counts[effect.name, default: 0] += count }
      return counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
    }
  }

  private static let items = [
    #"{"ti":1700000001,"type":"custom-code","templateName":"offer","#
      + #""vars":{"title":"A cup for free","price.amount":0,"picture":"{files}/stamp.png","#
      + #""more":{"actions":{"type":"custom-code","templateName":"askForRating","vars":{"stars":4}}}},"#
      + #""whenTriggers":[{"eventName":"Coffee ordered","#
      + #""eventProperties":[{"propertyName":"cups","operator":0,"propertyValue":9}]}],"#
      + #""frequencyLimits":[{"type":"ever","limit":1}]}"#,
    #"{"_id":"m-1","date":1790000001,"msg":{"type":"simple","content":[{"#
      + #""title":{"text":"Welcome"},"message":{"text":"Here is how"}}]}}"#,
    #"{"_id":"m-2","date":1790000002,"msg":{"type":"simple","content":[{"#
      + #""title":{"text":"Your stamps"},"message":{"text":"Nine of ten"}}]}}"#,
  ]
}
