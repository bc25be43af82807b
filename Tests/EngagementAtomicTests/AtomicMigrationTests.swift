import Foundation
import Testing

/// MIGRATION.md against the vendor's documented interface; what it promises of ours is held beside
/// the other vendors' sections.
@Suite struct AtomicMigrationTests {
  /// The first cells of the table of this vendor's part.
  private static func before() throws -> [String] {
    let root = URL(filePath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let page = try String(contentsOf: root.appending(path: "MIGRATION.md"), encoding: .utf8)
    let part = try #require(
      page.components(separatedBy: "\n# From Atomic's action cards\n").dropFirst().first)
    return part.components(separatedBy: "\n# ")[0].components(separatedBy: "\n")
      .filter { $0.hasPrefix("| `") }.map { line in
        String(line.dropFirst(2).prefix { $0 != "|" })
      }
  }

  @Test(
    "A1–A4 A8 A10 A12 A16 A19–A22 A27 A33: each documented call has a row in the migration table",
    arguments: [
      "setApiBaseUrl", "initialise", "login", "setSessionDelegate", "logout", "setApiProtocol",
      "observeStreamContainer", "stopObservingStreamContainer", "AACCardListFilter",
      "AACCardFilterValue", "requestCardCountForStreamContainer",
      "observeCardCountForStreamContainer", "stopObservingCardCount", "onCardAction",
      "AACCardVotingOptionUseful", "send", "registerDevice", "deregisterDeviceForNotifications",
      "registerStreamContainers", "notification", "trackPushNotificationReceived", "userMetrics",
      "updateUser", "setClientAppVersion", "enableDebugMode",
    ])
  func documented(name: String) throws {
    #expect(try Self.before().contains { $0.contains("`\(name)`") })
  }
}
