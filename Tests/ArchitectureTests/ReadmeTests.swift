import Foundation
import Testing

private let root = URL(filePath: #filePath)
  .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

private func text(_ path: String) throws -> String {
  try String(contentsOf: root.appending(path: path), encoding: .utf8)
}

/// What the README names is in the tree.
@Suite struct ReadmeTests {
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

  /// The cells of the rows under "Guarantees".
  private static func guarantees() throws -> [[String]] {
    let section = try #require(
      try text("README.md").components(separatedBy: "\n## Guarantees\n").dropFirst().first)
    return section.components(separatedBy: "\n## ")[0].split(separator: "\n")
      .filter { $0.hasPrefix("| G") }.map { row in
        row.dropFirst().dropLast().split(separator: "|")
          .map { $0.trimmingCharacters(in: .whitespaces) }
      }
  }

  @Test("the README has every guarantee once, in order")
  func everyGuarantee() throws {
    #expect(try Self.guarantees().map { $0[0] } == (1...21).map { "G\($0)" })
  }

  @Test("each test that the README names for a guarantee is there, and names the guarantee")
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

  @Test("the two commands that a newcomer is told are lines of the gates")
  func newcomer() throws {
    let section = try #require(
      try text("README.md").components(separatedBy: "\n## Try it\n").dropFirst().first)
    let block = try #require(section.components(separatedBy: "```sh\n").dropFirst().first)
    let commands = block.components(separatedBy: "```")[0].split(separator: "\n").map { line in
      line.split(separator: "#")[0].trimmingCharacters(in: .whitespaces)
    }
    #expect(commands.count == 2)
    let gates = try text(".ci/run").split(separator: "\n").map(String.init)
    for command in commands { #expect(gates.contains(command), "\(command)") }
  }

  @Test("each file and command that the README names is there, with what the command is given")
  func namedCommands() throws {
    let readme = try text("README.md")
    let pattern = /(?m)(?:^|`)((?:Adapters|Benchmarks|Examples|Sources|Tests|\.ci)\/[^`#\n]+)/
    let named = readme.matches(of: pattern).map { $0.1.split(separator: " ").map(String.init) }
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
