import Foundation
import Testing

/// The modules of the package: what each may import of ours and of C. A new row is a decision.
private let table: [String: Set<String>] = [
  "EngagementPlatform": [],
  "EngagementFormats": ["CCrypto", "CommonCrypto"],
  "EngagementModel": ["EngagementFormats"],
  "EngagementJSON": ["EngagementFormats", "EngagementModel"],
  "EngagementDocuments": ["CJansson", "EngagementModel"],
  "EngagementHTTP": ["EngagementFormats", "EngagementModel"],
  "EngagementCurl": ["CCurl", "COpenSSL", "EngagementHTTP", "EngagementModel"],
  "EngagementCompression": ["CZlib", "CZstd", "EngagementModel"],
  "EngagementAnalytics": [
    "EngagementCompression", "EngagementFormats", "EngagementJSON", "EngagementModel",
  ],
  "EngagementFiles": ["EngagementFormats", "EngagementHTTP", "EngagementModel"],
  "EngagementAdapterAPI": [
    "EngagementFormats", "EngagementHTTP", "EngagementJSON", "EngagementModel",
  ],
  "EngagementStore": [
    "CSQLite", "EngagementAdapterAPI", "EngagementFormats", "EngagementJSON", "EngagementModel",
  ],
  "EngagementKit": [
    "EngagementAdapterAPI", "EngagementFiles", "EngagementFormats", "EngagementHTTP",
    "EngagementJSON", "EngagementModel", "EngagementStore",
  ],
  "EngagementVendors": [
    "EngagementAdapterAPI", "EngagementAnalytics", "EngagementFormats", "EngagementHTTP",
    "EngagementJSON",
    "EngagementModel",
  ],
  "EngagementEmulator": [
    "CMicrohttpd", "EngagementDocuments", "EngagementFormats", "EngagementHTTP",
    "EngagementJSON", "EngagementModel", "EngagementVendors",
  ],
  "EngageCommands": [
    "EngagementAdapterAPI", "EngagementAnalytics", "EngagementCompression", "EngagementCurl",
    "EngagementDocuments", "EngagementEmulator",
    "EngagementFormats", "EngagementHTTP", "EngagementJSON", "EngagementKit", "EngagementModel",
    "EngagementVendors",
  ],
  "engage": [
    "EngageCommands", "EngagementAtomicTools", "EngagementBrazeTools",
    "EngagementCleverTapTools", "EngagementVendors", "EngagementVibesTools",
  ],
  "EngagementTesting": [
    "EngagementAdapterAPI", "EngagementHTTP", "EngagementJSON", "EngagementKit",
    "EngagementModel", "EngagementVendors",
  ],
]

/// What every adapter and every vendor's server may import.
private let basis: Set<String> = [
  "EngagementFormats", "EngagementHTTP", "EngagementJSON", "EngagementModel", "EngagementPlatform",
]

/// What every module may import besides.
private let common: Set<String> = ["EngagementPlatform", "Synchronization"]

/// What `EngagementPlatform` chooses from, and no other module may name.
private let platforms: Set<String> = [
  "Foundation", "FoundationEssentials", "Glibc", "Musl", "Bionic", "Darwin",
]

private let root = URL(filePath: #filePath)
  .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

private func files(in folder: String) -> [URL] {
  let walk = FileManager.default.enumerator(
    at: root.appending(path: folder).resolvingSymlinksInPath(), includingPropertiesForKeys: nil)
  return (walk?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "swift" }
    .sorted { $0.path < $1.path }
}

/// The folders of `Adapters` that have a server and a registration.
private func vendorsWithTools() -> [String] {
  let folders = Set(
    files(in: "Adapters").filter { $0.path.contains("/Tools/") }
      .map { $0.deletingLastPathComponent().deletingLastPathComponent().lastPathComponent })
  return folders.sorted()
}

private func imports(of file: URL) throws -> Set<String> {
  let pattern =
    /^\s*(?:@\w+ )?(?:(?:public|package|internal|private|fileprivate) )?import (?:(?:struct|class|enum|func|protocol|typealias|var) )?(\w+)/
  return Set(
    try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
      .compactMap { $0.firstMatch(of: pattern).map { String($0.1) } })
}

@Suite struct LayeringTests {
  @Test("the import table lists every module of Sources")
  func everyModuleStandsInTheTable() throws {
    let folders = try FileManager.default.contentsOfDirectory(
      atPath: root.appending(path: "Sources").path)
    let modules = Set(folders.filter { !files(in: "Sources/\($0)").isEmpty })
    #expect(modules == Set(table.keys))
  }

  @Test("a module imports only what the table allows", arguments: table.keys.sorted())
  func importsOnlyItsLayer(module: String) throws {
    let allowed = table[module, default: []].union(
      module == "EngagementPlatform" ? platforms : common)
    for file in files(in: "Sources/\(module)") {
      let foreign = try imports(of: file).subtracting(allowed)
      #expect(foreign.isEmpty, "\(file.lastPathComponent) imports \(foreign.sorted())")
    }
  }

  /// What only EngagementTesting may use of the kit, beyond the public interface.
  private static let lawFiles: Set<String> = [
    "Engagement+Adapters.swift", "OperationRunner.swift", "SecretTable.swift",
    "SecretTable+JSON.swift",
  ]

  @Test("the command line uses only the public interface of EngagementKit")
  func commandLineIsAClient() throws {
    let declaration =
      /package (?:static |mutating )?(?:func|var|let|struct|enum|class|actor|protocol) (\w+)/
    var names: Set<String> = []
    for file in files(in: "Sources/EngagementKit") {
      let found = try String(contentsOf: file, encoding: .utf8).matches(of: declaration)
      guard !found.isEmpty else { continue }
      #expect(Self.lawFiles.contains(file.lastPathComponent), "\(file.lastPathComponent)")
      names.formUnion(found.map { String($0.1) })
    }
    #expect(names.contains("SecretTable") && names.contains("execute"))
    for file in files(in: "Sources/EngageCommands") {
      let text = try String(contentsOf: file, encoding: .utf8)
      let used = text.matches(of: /(?:\bengagement|\$0)\.(\w+)\(|\b(SecretTable)\b/)
        .map { String($0.1 ?? $0.2 ?? "") }
      #expect(names.isDisjoint(with: used), "\(file.lastPathComponent) uses \(used)")
      #expect(try !imports(of: file).contains("EngagementStore"))
    }
  }

  @Test("the import table has no cycle")
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

  @Test("only one module imports each C library")
  func oneModulePerLibrary() {
    let libraries = table.values.joined().filter { $0.hasPrefix("C") }
    #expect(libraries.count == Set(libraries).count)
  }

  @Test("an adapter imports only the adapter interface and the basis modules")
  func adaptersImportTheInterface() throws {
    let allowed = basis.union(["EngagementAdapterAPI"])
    let adapters = files(in: "Adapters").filter { !$0.path.contains("/Tools/") }
    #expect(!adapters.isEmpty)
    for file in adapters {
      let foreign = try imports(of: file).subtracting(allowed)
      #expect(foreign.isEmpty, "\(file.lastPathComponent) imports \(foreign.sorted())")
    }
  }

  @Test(
    "a vendor's server does not import its adapter, and only the registration may",
    arguments: vendorsWithTools())
  func serversDoNotImportTheAdapter(vendor: String) throws {
    let allowed = basis.union(["EngagementAdapterAPI", "EngagementAnalytics", "EngagementVendors"])
    let tools = files(in: "Adapters/\(vendor)/Tools")
    #expect(tools.count > 1)
    for file in tools {
      let isRegistration = file.lastPathComponent == "\(vendor)Registration.swift"
      let adapter: Set = ["Engagement\(vendor)"]
      let foreign = try imports(of: file).subtracting(
        isRegistration ? allowed.union(adapter) : allowed)
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
