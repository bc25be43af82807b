import EngagementCurl
import EngagementKit
import EngagementVendors
import Foundation
import Testing

@testable import EngageCommands

@Suite struct ReadmeCommandTests {
  @Test("X19: the README's provider table matches the adapters' capabilities")
  func providers() throws {
    let reports = CapabilityReport.all(
      of: try [VendorRegistration].shipped.available.map {
        try $0.emulated(at: "https://127.0.0.1")
      })
    try Golden.expect(
      CapabilityReport.table(of: reports).markdown, inReadmeUnder: "Providers")
  }

  @Test("the demo prints the lines that the README shows, in that order", .timeLimit(.minutes(20)))
  func demo() async throws {
    let block = try #require(
      try Self.readme().components(separatedBy: "```text\n").dropFirst().first)
    let shown = block.components(separatedBy: "```")[0].split(separator: "\n")
      .filter { $0 != "…" }
    #expect(shown.count > 10)
    let ending = await (try CommandLineFixture()).engage(
      "demo", by: CurlTransport(),
      in: .init(clock: Engagement.SystemClock(), patience: .seconds(600)))
    #expect(ending.status == .done, "\(ending.errors)")
    var rest = ending.output.split(separator: "\n")[...]
    for line in shown {
      guard let place = rest.firstIndex(of: line) else {
        Issue.record("the demo does not print \(line)")
        continue
      }
      rest = rest[(place + 1)...]
    }
  }

  private static func readme() throws -> String { try page("README.md") }

  private static func page(_ name: String) throws -> String {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    return try String(contentsOf: root.appending(path: name), encoding: .utf8)
  }

  @Test("the parser accepts each command line of the README")
  func commandLines() throws {
    let readme = try Self.readme()
    let lines = readme.matches(of: /(?:`|swift run )engage ([^`#\n]+)/).map {
      $0.1.split(separator: " ").map(String.init)
    }
    #expect(lines.count > 4)
    for line in lines {
      #expect(throws: Never.self, "\(line)") { try Parser.parse(line, among: Command.all) }
    }
  }

  @Test("X15: MIGRATION.md calls engage as its parser allows")
  func migrationLines() throws {
    let page = try Self.page("MIGRATION.md")
    let lines = page.matches(of: /\nengage (migrate [^#\n"]+)/).map {
      $0.1.split(separator: " ").map(String.init)
    }
    #expect(lines.count > 5)
    for var line in lines {
      if line.last == "--why" { line.append("reason") }
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
