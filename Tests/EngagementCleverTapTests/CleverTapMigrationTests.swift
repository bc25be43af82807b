import Foundation
import Testing

/// MIGRATION.md against the vendor's documented interface; what it promises of ours is held beside
/// the other vendors' sections.
@Suite struct CleverTapMigrationTests {
  /// The first cells of the tables of this vendor's part.
  private static func before() throws -> [String] {
    let root = URL(filePath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let page = try String(contentsOf: root.appending(path: "MIGRATION.md"), encoding: .utf8)
    let part = try #require(
      page.components(separatedBy: "\n# From CleverTap's templates, in-app messages and inbox\n")
        .dropFirst().first)
    return part.components(separatedBy: "\n").filter { $0.hasPrefix("| `") }.map { line in
      String(line.dropFirst(2).prefix { $0 != "|" })
    }
  }

  @Test(
    "C1–C7 C10 C11: each documented call has a row in the migration table",
    arguments: [
      "CTInAppTemplateBuilder", "CTAppFunctionBuilder", "setName", "setPresenter", "addArgument",
      "addFileArgument", "addActionArgument", "build", "CTCustomTemplate", "CTTemplateProducer",
      "defineTemplates", "registerCustomInAppTemplates", "syncCustomTemplates",
      "CTTemplatePresenter", "onPresent", "onCloseClicked", "CTTemplateContext", "stringNamed",
      "numberNamed", "boolNamed", "dictionaryNamed", "fileNamed", "presented",
      "triggerActionNamed", "dismissed", "suspendInAppNotifications", "discardInAppNotifications",
      "resumeInAppNotifications", "fetchInApps", "clearInAppResources", "onUserLogin",
      "profilePush", "recordEvent", "recordChargedEventWithDetails", "setPushToken", "setOptOut",
      "getAllInboxMessages", "markReadInboxMessage", "deleteInboxMessage",
    ])
  func documented(name: String) throws {
    #expect(try Self.before().contains { $0.contains("`\(name)`") })
  }
}
