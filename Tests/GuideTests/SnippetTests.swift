import Foundation
import Testing

/// The pages for developers of applications.
enum Guides {
  static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  static let folder = "Sources/EngagementKit/EngagementKit.docc/Guides"
  static let names = [
    "UsingTheLibrary", "CardsAndInbox", "ActionCards", "PeopleAndPushes", "Templates",
    "Experiments", "MovingBetweenVendors", "Diagnosing", "TestingAnApplication",
  ]

  static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  static func page(_ name: String) throws -> String { try text("\(folder)/\(name).md") }

  /// The Swift files under a folder, or the one file.
  static func sources(_ path: String) throws -> [String] {
    guard !path.hasSuffix(".swift") else { return [path] }
    let place = root.appending(path: path).path
    let names = try #require(FileManager.default.enumerator(atPath: place))
    return names.compactMap { $0 as? String }.filter { $0.hasSuffix(".swift") }.sorted()
      .map { "\(path)/\($0)" }
  }
}

@Suite struct SnippetTests {
  private static let pages = ["README.md"] + Guides.names.map { "\(Guides.folder)/\($0).md" }

  /// What this test target and the quickstart compile.
  private static func compiled() throws -> [String] {
    try (Guides.sources("Tests/GuideTests/Snippets") + ["Examples/Quickstart/main.swift"])
      .map { try "\n" + Guides.text($0) }
  }

  /// The Swift code of a page; manifests are held by the tests of the architecture.
  private static func blocks(of page: String) throws -> [String] {
    try Guides.text(page).components(separatedBy: "```swift\n").dropFirst()
      .map { $0.components(separatedBy: "```")[0] }
      .filter { !$0.hasPrefix("// swift-tools-version") && !$0.hasPrefix(".testTarget(") }
  }

  private static func indented(_ block: String, by count: Int) -> String {
    block.split(separator: "\n", omittingEmptySubsequences: false)
      .map { $0.isEmpty ? "" : String(repeating: " ", count: count) + $0 }
      .joined(separator: "\n")
  }

  @Test("the Swift code of the README and the guides is compiled as it stands", arguments: pages)
  func blocksAreCompiled(page: String) throws {
    let sources = try Self.compiled()
    let blocks = try Self.blocks(of: page)
    #expect(!blocks.isEmpty)
    for block in blocks {
      let isCompiled = sources.contains { source in
        [0, 2].contains { source.contains("\n" + Self.indented(block, by: $0)) }
      }
      #expect(isCompiled, "no compiled source has: \(block.prefix(120))")
    }
  }

  @Test("every guide is among the topics of the documentation")
  func topics() throws {
    let page = try Guides.text("Sources/EngagementKit/EngagementKit.docc/EngagementKit.md")
    for name in Guides.names { #expect(page.contains("- <doc:\(name)>"), "\(name)") }
  }
}
