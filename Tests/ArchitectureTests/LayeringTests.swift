import Foundation
import Testing

/// The house as data: what each module may import of ours and of C. A new arrow is a decision.
private let table: [String: Set<String>] = [
  "EngagementFormats": [],
  "EngagementModel": ["EngagementFormats"],
  "EngagementJSON": ["EngagementFormats", "EngagementModel"],
  "EngagementDocuments": ["CJansson", "EngagementModel"],
  "EngagementHTTP": ["EngagementFormats", "EngagementModel"],
  "EngagementCurl": ["CCurl", "COpenSSL", "EngagementHTTP", "EngagementModel"],
  "EngagementAdapterAPI": [
    "EngagementFormats", "EngagementHTTP", "EngagementJSON", "EngagementModel",
  ],
  "EngagementStore": [
    "CSQLite", "EngagementAdapterAPI", "EngagementFormats", "EngagementJSON", "EngagementModel",
  ],
  "EngagementKit": [
    "EngagementAdapterAPI", "EngagementFormats", "EngagementHTTP", "EngagementJSON",
    "EngagementModel", "EngagementStore",
  ],
  "EngagementEmulator": [
    "CMicrohttpd", "EngagementDocuments", "EngagementFormats", "EngagementHTTP",
    "EngagementJSON", "EngagementModel",
  ],
  "EngageCommands": [
    "EngagementAdapterAPI", "EngagementBraze", "EngagementCurl", "EngagementDocuments",
    "EngagementEmulator", "EngagementFormats", "EngagementHTTP", "EngagementJSON",
    "EngagementKit", "EngagementModel", "EngagementStore", "EngagementVibes",
  ],
  "engage": ["EngageCommands"],
  "EngagementTesting": [
    "EngagementAdapterAPI", "EngagementHTTP", "EngagementJSON", "EngagementKit",
    "EngagementModel", "EngagementStore",
  ],
]

/// What any module may import besides: the language's own, and the values of `Date` and `Data`.
private let anyone: Set<String> = [
  "FoundationEssentials", "Glibc", "Musl", "Darwin", "Synchronization",
]

private let root = URL(filePath: #filePath)
  .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

private func files(in folder: String) -> [URL] {
  let walk = FileManager.default.enumerator(
    at: root.appending(path: folder).resolvingSymlinksInPath(), includingPropertiesForKeys: nil)
  return (walk?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "swift" }
    .sorted { $0.path < $1.path }
}

private func imports(of file: URL) throws -> Set<String> {
  let pattern =
    /^\s*(?:@\w+ )?(?:(?:public|package|internal|private|fileprivate) )?import (?:(?:struct|class|enum|func|protocol|typealias|var) )?(\w+)/
  return Set(
    try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
      .compactMap { $0.firstMatch(of: pattern).map { String($0.1) } })
}

@Suite struct LayeringTests {
  @Test("every module of Sources stands in the table")
  func everyModuleStandsInTheTable() throws {
    let folders = try FileManager.default.contentsOfDirectory(
      atPath: root.appending(path: "Sources").path)
    let modules = Set(folders.filter { !files(in: "Sources/\($0)").isEmpty })
    #expect(modules == Set(table.keys))
  }

  @Test("a module imports only what the table allows", arguments: table.keys.sorted())
  func importsOnlyItsLayer(module: String) throws {
    let allowed = table[module, default: []].union(anyone)
    for file in files(in: "Sources/\(module)") {
      let foreign = try imports(of: file).subtracting(allowed)
      #expect(foreign.isEmpty, "\(file.lastPathComponent) imports \(foreign.sorted())")
    }
  }

  @Test("the table has no circle")
  func noCircle() {
    var settled: Set<String> = []
    var left = table
    while let next = left.first(where: { entry in
      entry.value.allSatisfy { settled.contains($0) || table[$0] == nil }
    }) {
      settled.insert(next.key)
      left[next.key] = nil
    }
    #expect(left.isEmpty)
  }

  @Test("each C library is imported by one module")
  func oneModulePerLibrary() {
    let libraries = table.values.joined().filter { table[$0] == nil }
    #expect(libraries.count == Set(libraries).count)
  }

  @Test(
    "an adapter sees the door, the formats and nothing behind them",
    arguments: ["Adapters", "Tests/OutlineAdapters"])
  func adaptersStayAtTheDoor(folder: String) throws {
    let allowed: Set<String> = [
      "EngagementAdapterAPI", "EngagementFormats", "EngagementHTTP", "EngagementJSON",
      "EngagementModel", "FoundationEssentials",
    ]
    let adapters = files(in: folder)
    #expect(!adapters.isEmpty)
    for file in adapters {
      let foreign = try imports(of: file).subtracting(allowed)
      #expect(foreign.isEmpty, "\(file.lastPathComponent) imports \(foreign.sorted())")
    }
  }

  @Test(
    "no file is longer than 400 lines",
    arguments: ["Adapters", "Sources", "Tests", "Benchmarks", "Examples"])
  func filesStayShort(folder: String) throws {
    for file in files(in: folder) where !file.path.contains("/.build/") {
      let lines = try String(contentsOf: file, encoding: .utf8)
        .split(separator: "\n", omittingEmptySubsequences: false).count
      #expect(lines <= 400, "\(file.lastPathComponent) has \(lines) lines")
    }
  }
}
