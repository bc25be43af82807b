import Foundation
import Testing

/// Expected texts in the repository. `RECORD_GOLDEN=1` writes them; read them before the commit.
enum Golden {
  private static let tests = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent()
  private static let isRecording = ProcessInfo.processInfo.environment["RECORD_GOLDEN"] == "1"

  /// Compares with a file beside the tests.
  static func expect(
    _ text: String, _ name: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let file = tests.appending(path: "Golden/\(name)")
    if isRecording { try Data(text.utf8).write(to: file) }
    let golden = try String(contentsOf: file, encoding: .utf8)
    compare(text, golden, name, sourceLocation)
  }

  /// Compares with the table under a heading of the README.
  static func expect(
    _ table: String, inReadmeUnder heading: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let file = tests.deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "README.md")
    var lines = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n")
    let start = try #require(lines.firstIndex(of: "## \(heading)"))
    let first = try #require(lines[start...].firstIndex { $0.hasPrefix("|") })
    let end = lines[first...].firstIndex { !$0.hasPrefix("|") } ?? lines.endIndex
    let golden = lines[first..<end].joined(separator: "\n")
    guard isRecording else { return compare(table, golden, "README.md", sourceLocation) }
    lines.replaceSubrange(first..<end, with: table.components(separatedBy: "\n"))
    try Data(lines.joined(separator: "\n").utf8).write(to: file)
  }

  private static func compare(
    _ text: String, _ golden: String, _ name: String, _ sourceLocation: SourceLocation
  ) {
    guard text != golden else { return }
    let (new, old) = (text.split(separator: "\n"), golden.split(separator: "\n"))
    let place = zip(new, old).prefix { $0 == $1 }.count
    Issue.record(
      """
      \(name) differs at line \(place + 1): \(new.dropFirst(place).first ?? "(end)") \
      where \(old.dropFirst(place).first ?? "(end)") was
      """, sourceLocation: sourceLocation)
  }
}
