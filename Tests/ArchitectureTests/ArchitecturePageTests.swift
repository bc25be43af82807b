import Foundation
import Testing

private let root = URL(filePath: #filePath)
  .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

/// What the page `Architecture` names is in the sources.
@Suite struct ArchitecturePageTests {
  private static let page = "Sources/EngagementKit/EngagementKit.docc/Architecture.md"

  /// The cells of the rows under a heading, without the title row.
  private static func rows(under heading: String) throws -> [[String]] {
    let text = try String(contentsOf: root.appending(path: page), encoding: .utf8)
    let section = try #require(text.components(separatedBy: "# \(heading)\n").dropFirst().first)
    return section.components(separatedBy: "\n#")[0].split(separator: "\n")
      .filter { $0.hasPrefix("| ") && $0.contains("`") }.map { row in
        row.dropFirst().dropLast().split(separator: "|").map {
          $0.trimmingCharacters(in: CharacterSet(charactersIn: " `"))
        }
      }
  }

  private static func sources(of module: String) throws -> String {
    let folder = root.appending(path: "Sources/\(module)").resolvingSymlinksInPath()
    let walk = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    return try (walk?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "swift" }
      .map { try String(contentsOf: $0, encoding: .utf8) }.joined(separator: "\n")
  }

  @Test("each type in the glossary is declared in the module that the glossary names")
  func glossary() throws {
    let rows = try Self.rows(under: "Glossary")
    #expect(rows.count > 30)
    var modules: [String: String] = [:]
    for row in rows {
      let module = try #require(row.last)
      let text = try modules[module] ?? Self.sources(of: module)
      modules[module] = text
      let declaration = try Regex("\\b(?:struct|class|enum|actor|protocol) \(row[0])\\b")
      #expect(text.contains(declaration), "\(module) declares no \(row[0])")
    }
  }

  @Test(
    "each step of the two walks names a function of its file",
    arguments: ["A card, from bytes to snapshot", "A dismissal, from call to receipt"])
  func walk(heading: String) throws {
    let rows = try Self.rows(under: heading)
    #expect(rows.count > 10)
    #expect(rows.map { $0[0] } == (1...max(1, rows.count)).map(String.init))
    for row in rows {
      let places = ["Sources/\(row[1])", row[1]].map { root.appending(path: $0) }
      let file = places.first { FileManager.default.fileExists(atPath: $0.path) }
      guard let file else {
        Issue.record("step \(row[0]): there is no file \(row[1])")
        continue
      }
      let text = try String(contentsOf: file, encoding: .utf8)
      let function = try Regex("\\bfunc \(row[2])\\b")
      #expect(text.contains(function), "step \(row[0]): \(row[1]) has no function \(row[2])")
    }
  }
}
