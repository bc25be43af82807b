import Foundation
import Testing

@testable import EngageCommands

@Suite struct ReadmeTests {
  @Test("the README's providers are what the adapters' capabilities say (X19)")
  func providers() throws {
    let reports = try VendorEntry.available.map {
      CapabilityReport(try $0.emulated(at: "https://127.0.0.1"))
    }
    try Golden.expect(
      CapabilityReport.table(of: reports).markdown, inReadmeUnder: "Providers")
  }

  @Test("each command line of the README is understood")
  func commandLines() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let readme = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
    let lines = readme.matches(of: /(?:`|swift run )engage ([^`#\n]+)/).map {
      $0.1.split(separator: " ").map(String.init)
    }
    #expect(lines.count > 4)
    for line in lines {
      #expect(throws: Never.self, "\(line)") { try Parser.parse(line, among: Command.all) }
    }
  }
}

extension Table {
  fileprivate var markdown: String {
    let titles = columns.map { Phrase($0.title.lowercased()) }
    let rule = columns.map { _ in Phrase("---") }
    return ([titles, rule] + rows).map { row in
      "| \(row.map { $0.rendered(inColour: false) }.joined(separator: " | ")) |"
    }.joined(separator: "\n")
  }
}
