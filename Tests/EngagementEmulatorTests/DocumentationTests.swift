import Foundation
import Testing

@testable import EngagementEmulator

@Suite struct DocumentationTests {
  /// The first cells of the tables under a heading of the module's page, without their marks.
  private static func names(under heading: String) throws -> [String] {
    let root = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let page = try String(
      contentsOf: root.appending(
        path: "Sources/EngagementEmulator/EngagementEmulator.docc/EngagementEmulator.md"),
      encoding: .utf8)
    let section = try #require(page.components(separatedBy: "\n## \(heading)\n").dropFirst().first)
    return section.components(separatedBy: "\n## ")[0].split(separator: "\n")
      .compactMap { $0.firstMatch(of: /^\| `([^`]+)` \|/).map { String($0.1) } }
  }

  @Test("the page lists every kind of fault, in the order of the list")
  func faults() throws {
    #expect(try Self.names(under: "Faults") == EmulatorFaults.kinds)
  }

  @Test("the page lists every path of the control interface")
  func control() throws {
    #expect(try Self.names(under: "Control") == ControlDesk.paths)
  }

  @Test("the page lists every setting of each vendor")
  func settings() throws {
    #expect(try Self.names(under: "Settings of Braze") == BrazeServer.settingNames)
    #expect(try Self.names(under: "Settings of Vibes") == VibesServer.settingNames)
  }
}
