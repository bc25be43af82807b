import Foundation
import Testing

/// The guides name the application's whole interface, or `NotNeeded.txt` lists what they leave out.
@Suite struct NameTests {
  private static let interface = [
    "Sources/EngagementKit", "Sources/EngagementModel", "Sources/EngagementCurl",
    "Adapters/Atomic/AtomicConfiguration.swift", "Adapters/Braze/BrazeConfiguration.swift",
    "Adapters/CleverTap/CleverTapConfiguration.swift",
    "Adapters/Vibes/VibesConfiguration.swift",
  ]

  /// The names that a source declares for other modules, and the cases of its public enums.
  static func names(in source: String) -> Set<String> {
    let declaration =
      #/
      ^\ *(?:@\S+\ )*public\ (?:(?:static|final|nonisolated|mutating|indirect|private\(set\))\ )*
      (?:struct|enum|class|actor|protocol|func|var|let|typealias)\ `?(\w+)
      /#
    var names: Set<String> = []
    var enums: [Int] = []
    for line in source.split(separator: "\n") {
      let depth = line.prefix { $0 == " " }.count
      while let last = enums.last, last >= depth { enums.removeLast() }
      if let found = line.firstMatch(of: declaration) {
        names.insert(String(found.1))
        if line.contains("public enum ") { enums.append(depth) }
      } else if enums.last == depth - 2, line.dropFirst(depth).hasPrefix("case ") {
        let cases = line.dropFirst(depth + 5).replacing(/\(.*?\)/, with: "")
        names.formUnion(
          cases.split(separator: ",").compactMap { $0.firstMatch(of: /\w+/).map { "\($0.output)" } }
        )
      }
    }
    return names
  }

  private static func words(of text: String) -> Set<String> {
    Set(text.matches(of: /\w+/).map { String($0.output) })
  }

  /// The words that the guides show as code.
  private static func named() throws -> Set<String> {
    try Guides.names.reduce(into: []) { names, page in
      for (index, part) in try Guides.page(page).split(
        separator: "`", omittingEmptySubsequences: false
      ).enumerated() where index % 2 == 1 {
        names.formUnion(words(of: String(part)))
      }
    }
  }

  @Test("each public name of the application's interface is in the guides or listed as not needed")
  func complete() throws {
    let sources = try Self.interface.flatMap { try Guides.sources($0) }
    #expect(sources.count > 100)
    let declared = try sources.reduce(into: Set<String>()) {
      $0.formUnion(Self.names(in: try Guides.text($1)))
    }
    let listed = try Guides.text("Tests/GuideTests/NotNeeded.txt").split(separator: "\n")
      .filter { !$0.hasPrefix("#") }.flatMap { $0.split(separator: " ").map(String.init) }
    let named = try Self.named()
    let missing = declared.subtracting(named).subtracting(listed).sorted()
    #expect(missing == [], "name them in a guide, or list them in NotNeeded.txt")
    let idle = Set(listed).subtracting(declared).union(named.intersection(listed)).sorted()
    #expect(idle == [], "NotNeeded.txt lists names that are gone or that a guide has")
    #expect(Set(listed).count == listed.count)
  }

  @Test("public declarations and the cases of public enums are found, others are not")
  func found() {
    let source = """
      public enum Phase: String {
        case active, covered(by: String, for: Int)
        case gone
        var name: String {
          switch self {
          case .active: "a"
          case let x: "b"
          }
        }
      }
      enum Own { case hidden }
      @discardableResult public func act() {}
        public private(set) var `open` = true
        public static let first = 1
      """
    #expect(
      Self.names(in: source)
        == ["Phase", "active", "covered", "gone", "act", "open", "first"])
  }
}
