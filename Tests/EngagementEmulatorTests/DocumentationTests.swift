import Foundation
import Testing

@testable import EngagementAtomicTools
@testable import EngagementBrazeTools
@testable import EngagementCleverTapTools
@testable import EngagementEmulator
@testable import EngagementVibesTools

@Suite struct DocumentationTests {
  private static let page =
    "Sources/EngagementEmulator/EngagementEmulator.docc/EngagementEmulator.md"

  /// The first cells of the tables under a heading of a page, without their marks.
  private static func names(under heading: String, of path: String = page) throws -> [String] {
    let root = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let page = try String(
      contentsOf: root.appending(path: path), encoding: .utf8)
    let section = try #require(page.components(separatedBy: "\n## \(heading)\n").dropFirst().first)
    return section.components(separatedBy: "\n## ")[0].split(separator: "\n")
      .compactMap { $0.firstMatch(of: /^\| `([^`]+)` \|/).map { String($0.1) } }
  }

  @Test("the documentation lists every kind of fault in order")
  func faults() throws {
    #expect(try Self.names(under: "Faults") == EmulatorFaults.kinds)
  }

  @Test("the documentation lists every path of the control interface")
  func control() throws {
    #expect(try Self.names(under: "Control") == ControlAPI.paths)
  }

  @Test("the documentation lists every setting of each vendor")
  func settings() throws {
    #expect(try Self.settings(of: "Braze") == BrazeServer.settingNames)
    #expect(try Self.settings(of: "Vibes") == VibesServer.settingNames)
    #expect(try Self.settings(of: "Atomic/Tools") == AtomicServer.settingNames)
    #expect(try Self.settings(of: "CleverTap/Tools") == CleverTapServer.settingNames)
  }

  private static func settings(of vendor: String) throws -> [String] {
    try names(under: "Settings of the emulated server", of: "Adapters/\(vendor)/README.md")
  }
}
