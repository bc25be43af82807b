import Foundation
import Testing

/// MIGRATION.md against the sources: what it promises is there.
@Suite struct BrazeMigrationTests {
  private static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  private static func page() throws -> [String] {
    try String(contentsOf: root.appending(path: "MIGRATION.md"), encoding: .utf8)
      .components(separatedBy: "\n")
  }

  /// The cells of every row of every table, heads and rules apart.
  private static func rows() throws -> [[String]] {
    try page().filter { $0.hasPrefix("|") && !$0.hasPrefix("|-") && !$0.hasPrefix("| before") }
      .map { line in
        line.dropFirst().dropLast().split(separator: "|", omittingEmptySubsequences: false)
          .map { $0.trimmingCharacters(in: .whitespaces) }
      }
  }

  /// Every word of the sources that an application may see.
  private static func words() throws -> Set<String> {
    var words: Set<String> = []
    for folder in ["Sources/EngagementModel", "Sources/EngagementKit", "Adapters"] {
      let place = root.appending(path: folder).resolvingSymlinksInPath()
      let walk = FileManager.default.enumerator(at: place, includingPropertiesForKeys: nil)
      for file in walk?.compactMap({ $0 as? URL }) ?? [] where file.pathExtension == "swift" {
        let text = try String(contentsOf: file, encoding: .utf8)
        for line in text.split(separator: "\n") where !line.contains("//") {
          words.formUnion(names(in: String(line)))
        }
      }
    }
    return words
  }

  private static func names(in text: String) -> [String] {
    text.matches(of: /[A-Za-z_]\w*/).map { String($0.output) }
  }

  /// What stands between ticks.
  private static func code(in cell: String) -> [String] {
    cell.matches(of: /`([^`]+)`/).map { String($0.1) }
  }

  private static let language: Set<String> = ["for", "await", "_", "Date"]

  @Test("each row of the migration tables has a before and an after cell")
  func bothSides() throws {
    let rows = try Self.rows()
    #expect(rows.count > 40)
    for row in rows {
      #expect(row.count == 3 && row[0] != "" && row[1] != "", "\(row)")
    }
  }

  @Test("each kit name in the migration tables exists in the sources")
  func names() throws {
    let words = try Self.words()
    let named = try Self.rows().flatMap { $0.dropFirst() }.flatMap(Self.code)
      .flatMap(Self.names).filter { !Self.language.contains($0) }
    #expect(named.count > 60)
    for name in Set(named) { #expect(words.contains(name), "\(name)") }
  }

  @Test("each kit name in the migration code samples exists in the sources")
  func code() throws {
    let words = try Self.words()
    var isCode = false
    var named: Set<String> = []
    for line in try Self.page() {
      if line.hasPrefix("```") {
        isCode.toggle()
      } else if isCode {
        let bare = line.replacing(/"[^"]*"/, with: "")
        named.formUnion(
          bare.matches(of: /\.([A-Za-z]\w*)|\b([A-Z]\w*)/).map {
            String($0.1 ?? $0.2 ?? "")
          })
      }
    }
    #expect(named.count > 20)
    for name in named { #expect(words.contains(name), "\(name)") }
  }

  @Test(
    "each name of Braze's documented card interface has a row in the migration tables",
    arguments: [
      "ABKContentCardsProcessedNotification", "ABKContentCardsProcessed",
      "ABKContentCardsProcessedIsSuccessfulKey", "requestContentCardsRefresh", "getContentCards",
      "contentCards", "contentCardsController", "ABKContentCardsController", "addObserver",
      "Appboy.sharedInstance", "ABKContentCard", "idString", "viewed", "created", "expiresAt",
      "dismissible", "pinned", "dismissed", "url", "openURLInWebView", "extras", "image",
      "imageAspectRatio", "ABKCaptionedImageCard", "title", "cardDescription", "domain",
      "ABKClassicContentCard", "logContentCardImpression", "logContentCardClicked",
      "logContentCardDismissed", "isControlCard", "ABKContentCardsTableViewController",
      "disableUnreadIndicator", "ABKContentCardsViewController", "contentCardsViewController",
      "pushViewController", "presentViewController",
    ])
  func before(name: String) throws {
    #expect(try Self.rows().contains { Self.code(in: $0[0]).contains(name) })
  }
}
