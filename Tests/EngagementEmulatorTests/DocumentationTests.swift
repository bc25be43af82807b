import EngagementHTTP
import EngagementJSON
import EngagementModel
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
    let page = try text(of: path)
    let section = try #require(page.components(separatedBy: "\n## \(heading)\n").dropFirst().first)
    return section.components(separatedBy: "\n## ")[0].split(separator: "\n")
      .compactMap { $0.firstMatch(of: /^\| `([^`]+)` \|/).map { String($0.1) } }
  }

  private static func text(of path: String) throws -> String {
    let root = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    return try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  @Test("the documentation lists every kind of fault in order")
  func faults() throws {
    #expect(try Self.names(under: "Faults") == EmulatorFaults.kinds)
  }

  @Test("the documentation lists every path of the control interface")
  func control() throws {
    #expect(try Self.names(under: "Control") == ControlAPI.paths)
  }

  /// A line of the documentation's examples, such as `call POST sockets/1/say '{"text": "{}"}'`.
  private struct Call {
    var method: String
    var path: String
    var body: JSON?

    init?(_ line: Substring) throws {
      guard let parts = line.firstMatch(of: /^call ([A-Z]+) ([^ ]+)(?: '([^']*)')? *(?:#.*)?$/)
      else {
        return nil
      }
      (method, path) = (String(parts.1), String(parts.2))
      body = try parts.3.map { try JSON(parsing: Array($0.utf8)) }
    }
  }

  @Test("each example of the control interface does what it says", .timeLimit(.minutes(20)))
  func examples() async throws {
    let text = try Self.text(of: Self.page)
    let lines = text.split(separator: "\n").filter { $0.hasPrefix("call ") }
    let calls = try lines.map { try #require(try Call($0), "\($0)") }
    #expect(calls.count > 15)
    try await Stand.run(vendors: ["atomic", "braze", "vibes"]) { stand async throws in
      let sockets = try [AtomicPhone(stand).socket(), AtomicPhone(stand).socket()]
      for call in calls {
        let answer = try stand.control(call.method, call.path, call.body)
        #expect((200...299).contains(answer.status), "\(call): \(answer.text)")
      }
      // The first was silenced before it was closed.
      #expect(try sockets[1].socket.end().close.code.rawValue == 1006)
      // The other side has closed before the emulator takes note of it.
      for _ in 0..<500 where await !stand.emulator.sockets().isEmpty {
        try await Task.sleep(for: .milliseconds(10))
      }
      #expect(await stand.emulator.sockets().isEmpty)
    }
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
