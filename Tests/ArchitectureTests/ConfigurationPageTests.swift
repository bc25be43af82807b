import Foundation
import Testing

private let root = URL(filePath: #filePath)
  .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

/// CONFIGURATION.md against the code that reads `engage.json` and fault scripts.
@Suite struct ConfigurationPageTests {
  /// The first cells of the rows whose table begins with a title.
  private static func listed(under title: String) throws -> Set<String> {
    let page = try String(contentsOf: root.appending(path: "CONFIGURATION.md"), encoding: .utf8)
    let tables = page.components(separatedBy: "\n| \(title) |").dropFirst()
    let rows = tables.flatMap { $0.components(separatedBy: "\n\n")[0].split(separator: "\n") }
    return Set(rows.compactMap { $0.firstMatch(of: /^\| `(\w+)` \|/).map { String($0.1) } })
  }

  private static func sources(
    in folders: [String], without excluded: String = ""
  ) throws -> String {
    var text = ""
    for folder in folders {
      let place = root.appending(path: folder).resolvingSymlinksInPath()
      let walk = FileManager.default.enumerator(at: place, includingPropertiesForKeys: nil)
      for file in walk?.compactMap({ $0 as? URL }) ?? []
      where file.pathExtension == "swift" && file.lastPathComponent != excluded {
        text += try String(contentsOf: file, encoding: .utf8)
      }
    }
    return text
  }

  /// The strings of each literal list that follows one of the names, such as `among: ["a", "b"]`.
  private static func strings(after names: String, in text: String) throws -> Set<String> {
    let list = try Regex(
      #"\b(?:\#(names))(?::| =|: \[String\] =)\s*\[((?:\s*"\w+",?)+)\s*\]"#,
      as: (Substring, Substring).self)
    return Set(
      text.matches(of: list).flatMap { $0.output.1.matches(of: /\w+/).map { String($0.output) } })
  }

  @Test("the configuration page lists exactly the keys that the reader of engage.json knows")
  func keys() throws {
    // Neither the keys that mark a vendor's pushes nor the ways in which a push may arrive are keys
    // of the document.
    let readers = try Self.sources(
      in: ["Sources/EngageCommands", "Sources/EngagementVendors", "Adapters"],
      without: "PlanDocument.swift"
    )
    .replacing("PushMarks(keys:", with: "PushMarks(")
    .replacing("among: [\"apns\", \"fcm\"]", with: "")
    let known = try Self.strings(after: "among|keys|configurationKeys", in: readers)
    #expect(known.isSuperset(of: ["cache", "vendor", "env", "extra", "only", "apiKey", "appID"]))
    let listed = try Self.listed(under: "key")
    #expect(known.subtracting(listed).isEmpty, "not on the page")
    #expect(listed.subtracting(known).isEmpty, "not in the reader")
  }

  @Test("the configuration page lists exactly the fields that the plan of an experiment may have")
  func plans() throws {
    let reader = try Self.sources(in: ["Sources/EngageCommands/Experiments"])
    let known = try Self.strings(after: "among|keys", in: reader)
    #expect(known.isSuperset(of: ["arms", "expectedPeople", "per"]))
    #expect(try Self.listed(under: "field") == known)
  }

  @Test("the configuration page lists exactly the members that a fault script may have")
  func members() throws {
    let reader = try Self.sources(in: ["Sources/EngagementEmulator/Faults"])
    let known = try Self.strings(after: "members", in: reader)
    #expect(known.isSuperset(of: ["fault", "times", "bytes"]))
    let listed = try Self.listed(under: "member")
    #expect(known.subtracting(listed).isEmpty, "not on the page")
    #expect(listed.subtracting(known).isEmpty, "not in the reader")
  }
}
