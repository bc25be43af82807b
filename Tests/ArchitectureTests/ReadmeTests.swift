import Foundation
import Testing

private let root = URL(filePath: #filePath)
  .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

private func text(_ path: String) throws -> String {
  try String(contentsOf: root.appending(path: path), encoding: .utf8)
}

/// What the README and the pages beside it name is in the tree.
@Suite struct ReadmeTests {
  private static let pages = [
    "README.md", "GUARANTEES.md", "BENCHMARKS.md", "CONFIGURATION.md", "CONTRIBUTING.md",
    "SECURITY.md", "MIGRATION.md", "CHANGELOG.md",
  ]

  /// The display name of every test, as it stands in the sources.
  private static func testNames() throws -> Set<String> {
    let tests = root.appending(path: "Tests").resolvingSymlinksInPath()
    let walk = FileManager.default.enumerator(at: tests, includingPropertiesForKeys: nil)
    var names: Set<String> = []
    for file in walk?.compactMap({ $0 as? URL }) ?? []
    where file.pathExtension == "swift" && !file.path.contains("/.build/") {
      let found = try String(contentsOf: file, encoding: .utf8)
        .matches(of: /@Test\(\s*"((?:[^"\\]|\\.)*)"/)
      names.formUnion(found.map { String($0.1) })
    }
    return names
  }

  /// The cells of the rows of the guarantees.
  private static func guarantees() throws -> [[String]] {
    try text("GUARANTEES.md").split(separator: "\n").filter { $0.hasPrefix("| G") }.map { row in
      row.dropFirst().dropLast().split(separator: "|")
        .map { $0.trimmingCharacters(in: .whitespaces) }
    }
  }

  @Test("the guarantees page lists every guarantee once, in order")
  func everyGuarantee() throws {
    #expect(try Self.guarantees().map { $0[0] } == (1...22).map { "G\($0)" })
  }

  @Test("each test that is named for a guarantee exists and carries its id")
  func namedTests() throws {
    let names = try Self.testNames()
    for row in try Self.guarantees() {
      let shown = row[2].matches(of: /"([^"]+)"/).map { String($0.1) }
      #expect(!shown.isEmpty, "\(row[0])")
      for name in shown {
        #expect(names.contains(name), "there is no test \"\(name)\"")
        let rows = name.matches(of: /[A-Z][0-9]+/).map { String($0.output) }
        #expect(rows.contains(row[0]), "\"\(name)\" does not say \(row[0])")
      }
    }
  }

  @Test("the README's two getting-started commands are also gate commands")
  func newcomer() throws {
    let section = try #require(
      try text("README.md").components(separatedBy: "\n## Try it\n").dropFirst().first)
    let block = try #require(section.components(separatedBy: "```sh\n").dropFirst().first)
    let commands = block.components(separatedBy: "```")[0].split(separator: "\n").map { line in
      line.split(separator: "#")[0].trimmingCharacters(in: .whitespaces)
    }
    #expect(commands.count == 2)
    let gates = try text(".ci/run").split(separator: "\n").map(String.init)
    for command in commands {
      #expect(gates.contains { $0 == command || $0.hasSuffix(" \(command)") }, "\(command)")
    }
  }

  @Test("the products that the README names are those of the package")
  func products() throws {
    let readme = try text("README.md")
    let offered = Set(
      try text("Package.swift").matches(of: /\.library\(name: "(\w+)", targets/)
        .map { String($0.1) })
    let used = readme.matches(of: /\.product\(name: "(\w+)"/).map { String($0.1) }
    #expect(used.count > 2)
    for name in used { #expect(offered.contains(name), "there is no product \(name)") }
    let table = try #require(
      readme.components(separatedBy: "| product | for |\n").dropFirst().first)
    let rows = table.components(separatedBy: "\n\n")[0].split(separator: "\n").dropFirst()
    let listed = rows.flatMap { row in
      row.split(separator: "|")[0].matches(of: /`(\w+)`/).map { String($0.1) }
    }
    #expect(Set(listed) == offered)
  }

  @Test("every file and command that a page names exists and accepts its argument")
  func namedCommands() throws {
    let pattern = /(?m)(?:^|`)((?:Adapters|Benchmarks|Examples|Sources|Tests|\.ci)\/[^`#\n]+)/
    let named = try Self.pages.flatMap { page in
      try text(page).matches(of: pattern).map { $0.1.split(separator: " ").map(String.init) }
    }
    #expect(named.count > 15)
    for words in named {
      let path = root.appending(path: words[0]).path
      #expect(FileManager.default.fileExists(atPath: path), "there is no \(words[0])")
      guard words[0].hasPrefix(".ci/") || words[0].hasSuffix("/run") else { continue }
      #expect(FileManager.default.isExecutableFile(atPath: path), "\(words[0]) is no program")
      guard words.count > 1 else { continue }
      #expect(try Self.knows(words[0], words[1]), "\(words[0]) does not know \(words[1])")
    }
  }

  @Test("every link of a page leads to a file or to a heading", arguments: pages)
  func links(page: String) throws {
    for link in try text(page).matches(of: /\]\(([^)#\s]*)(?:#([^)\s]*))?\)/) {
      let path = String(link.1)
      guard !path.hasPrefix("http") else { continue }
      let target = path.isEmpty ? page : path
      let isThere = FileManager.default.fileExists(atPath: root.appending(path: target).path)
      #expect(isThere, "\(page) links to \(target)")
      guard isThere, let heading = link.2 else { continue }
      let anchors = try text(target).split(separator: "\n").filter { $0.hasPrefix("#") }.map {
        $0.drop { $0 == "#" || $0 == " " }.lowercased().replacing(" ", with: "-")
      }
      #expect(anchors.contains(String(heading)), "\(page) links to \(target)#\(heading)")
    }
  }

  private static func knows(_ program: String, _ word: String) throws -> Bool {
    switch program {
    case "Benchmarks/run":
      FileManager.default.fileExists(
        atPath: root.appending(path: "Benchmarks/suites/\(word)/suite.py").path)
    case "Tests/Fuzz/run": try text("Tests/Fuzz/Package.swift").contains("\"\(word)\"")
    case "Tests/UnderFault/run": try text(program).contains("(\"\(word)\"")
    default: true
    }
  }
}
