import Foundation
import Testing

private let root = URL(filePath: #filePath)
  .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

@Suite struct TypeNameTests {
  /// The files of each top-level type that is not private, by the type's name. An alias of a type
  /// with the same name is none.
  private static func types() throws -> [String: [String]] {
    let pattern =
      /^(?:@[^\s(]+(?:\([^)]*\))? )*(?:(?:public|package|internal|final|indirect|nonisolated) )*(?:struct|class|enum|actor|protocol) (\w+)/
    var types: [String: [String]] = [:]
    for folder in ["Adapters", "Examples", "Sources", "Tests"] {
      let walk = FileManager.default.enumerator(
        at: root.appending(path: folder).resolvingSymlinksInPath(),
        includingPropertiesForKeys: nil)
      for file in walk?.compactMap({ $0 as? URL }) ?? []
      where file.pathExtension == "swift" && !file.path.contains("/.build/") {
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
          guard let name = line.firstMatch(of: pattern)?.1 else { continue }
          types[String(name), default: []].append(file.lastPathComponent)
        }
      }
    }
    return types
  }

  @Test("no two types of the package share a name")
  func unique() throws {
    let types = try Self.types()
    #expect(types.count > 500)
    for (name, files) in types where files.count > 1 {
      Issue.record("\(name) is declared in \(files.sorted().joined(separator: ", "))")
    }
  }
}
