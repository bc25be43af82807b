import Foundation
import Testing

/// MIGRATION.md against the vendor's documented interface; what it promises of ours is held beside
/// the other vendors' sections.
@Suite struct VibesMigrationTests {
  /// The first cells of the tables of this vendor's section.
  private static func before() throws -> [String] {
    let root = URL(filePath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let page = try String(contentsOf: root.appending(path: "MIGRATION.md"), encoding: .utf8)
    let section = try #require(
      page.components(separatedBy: "\n# From Vibes's push and inbox\n").dropFirst().first)
    return section.components(separatedBy: "\n").filter { $0.hasPrefix("| `") }.map { line in
      String(line.dropFirst(2).prefix { $0 != "|" })
    }
  }

  @Test(
    "V1–V12: each documented call, delegate method and property has a row in the migration table",
    arguments: [
      "Vibes.configure", "appId", "VibesConfiguration", "advertisingId", "apiUrl", "logger",
      "storageType", "VibesStorageEnum", "trackedEventTypes", "TrackedEventType",
      "VibesAPIDelegate", "set(delegate:)", "VibesError", "registerDevice", "didRegisterDevice",
      "unregisterDevice", "didUnregisterDevice", "setPushToken", "registerPush",
      "didRegisterPush", "unregisterPush", "didUnregisterPush", "updateDevice", "lat", "long",
      "updateCredentials", "didUpdateDevice", "receivedPush", "client_app_data", "deep_link",
      "media_url", "client_custom_data", "message_uid", "sound", "badge", "category",
      "content-available", "inbox_message_uid", "VibesReceiver", "getPerson", "Person",
      "personKey", "mdn", "externalPersonId", "external_person_id", "fetchInboxMessages",
      "fetchInboxMessage", "onInboxMessageOpen", "markInboxMessageAsRead", "expireInboxMessage",
      "InboxMessage", "messageUID", "subject", "content", "detail", "read", "expiresAt",
      "collapseKey", "createdAt", "iconImage", "mainImage", "inboxCustomData", "inboxMessageUID",
      "VibesLogger", "LogObject", "LogLevel", "log", "enableDevLogging", "disableDevLogging",
    ])
  func documented(name: String) throws {
    #expect(try Self.before().contains { $0.contains("`\(name)`") })
  }
}
