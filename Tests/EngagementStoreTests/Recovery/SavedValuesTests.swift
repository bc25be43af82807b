import EngagementAdapterAPI
import EngagementModel
import Foundation
import TestSupport
import Testing

@testable import EngagementStore

/// The kit's values of the installation, such as routes, over a recovery.
@Suite(.timeLimit(.minutes(20))) struct SavedValuesTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private var options: Store.Options {
    Store.Options(
      path: scratch.path(), adapters: [:], wait: .seconds(2),
      savedValues: ["route.", "told.route."])
  }

  private static let routes = (0..<200).map { "route.cards/c-\($0)" }

  private func value(_ name: String) -> String { #"{"only":"\#(name) \#(name)"}"# }

  /// Makes and closes a cache with so many values that some are between root and leaves.
  private func fill() async throws {
    let store = try await Store.open(options, at: Scratch.noon)
    for user in ["u-1", "u-2"] as [User] {
      let partition = try await store.partition(of: user, at: Scratch.noon)
      let values = Self.routes.map { Change.keep(.installation, $0, value($0)) }
      _ = try await store.commit(
        values + [
          .keep(.installation, "session", "gone"), .keep(.user, "route.mine", "gone"),
          .keep(.installation, "route.removed", "old"),
        ], from: "", in: partition, at: Scratch.noon)
      _ = try await store.commit(
        [.keep(.installation, "route.a", "vendor's")], from: "a", in: partition, at: Scratch.noon)
    }
    let partition = try await store.partition(of: "u-2", at: Scratch.noon)
    _ = try await store.commit(
      [.keep(.installation, "route.removed", nil), .keep(.installation, "route.push", "last")],
      from: "", in: partition, at: Scratch.noon)
    try await store.suspend()
  }

  private func saved(by store: Store) async throws -> [String: String] {
    let partition = try await store.partition(of: "u-1", at: Scratch.noon)
    let memory = try await store.memory(of: "", in: partition)
    return Dictionary(uniqueKeysWithValues: memory.values.all(.installation).map { ($0, $1) })
  }

  private func damage(page: Int, with byte: UInt8) throws {
    var bytes = try scratch.bytes()
    let range = 4096 * page..<4096 * (page + 1)
    bytes.replaceSubrange(range, with: Data(repeating: byte, count: range.count))
    try scratch.write(bytes)
  }

  private func root(of table: String) throws -> Int {
    var database = try scratch.open(.readOnly)
    let root = try database.first(
      "SELECT rootpage FROM sqlite_schema WHERE name = ?", .text(table)
    ) { $0.integer(0) }
    return Int(try #require(root)) - 1
  }

  private func wanted() -> [String: String] {
    var wanted = Dictionary(uniqueKeysWithValues: Self.routes.map { ($0, value($0)) })
    wanted["route.push"] = "last"
    return wanted
  }

  @Test("G9 X2: damage to another table keeps the named values, the last of each, and no others")
  func kept() async throws {
    try await fill()
    try damage(page: root(of: "ledger"), with: 0xa5)
    let store = try await Store.open(options, at: Scratch.noon)
    #expect(try await saved(by: store) == wanted())
    #expect(store.recovery != nil)
    // It stays recovered.
    try await store.suspend()
    let later = try await Store.open(options, at: Scratch.noon)
    #expect(later.recovery == nil)
    #expect(try await saved(by: later) == wanted())
  }

  @Test("G9 X2: a repair of a sound cache loses no value, and says so")
  func sound() async throws {
    try await fill()
    var repairing = options
    repairing.repair = .always
    let store = try await Store.open(repairing, at: Scratch.noon)
    #expect(try await saved(by: store) == wanted())
    #expect(store.recovery?.mayHaveLostValues == false)
    try await store.suspend()
    repairing.repair = .startingEmpty
    let empty = try await Store.open(repairing, at: Scratch.noon)
    #expect(try await saved(by: empty).isEmpty)
    #expect(empty.recovery?.mayHaveLostValues == true)
  }

  @Test(
    "G9 X2: a value is never wrong after damage, and a lost one is told",
    arguments: [0, 0xa5] as [UInt8])
  func everyPage(byte: UInt8) async throws {
    try await fill()
    let image = try scratch.bytes()
    var losses = 0
    for page in 0..<image.count / 4096 {
      try scratch.write(image)
      try? FileManager.default.removeItem(atPath: scratch.path() + "-wal")
      try damage(page: page, with: byte)
      var repairing = options
      repairing.repair = .always
      let store = try await Store.open(repairing, at: Scratch.noon)
      let saved = try await saved(by: store)
      #expect(saved.allSatisfy { wanted()[$0.key] == $0.value }, "page \(page)")
      if saved != wanted() {
        losses += 1
        #expect(store.recovery?.mayHaveLostValues == true, "page \(page)")
      }
      try await store.suspend()
    }
    #expect(losses > 0)
  }

  @Test("G9 X2: what is gone with the end of the file is told")
  func cut() async throws {
    try await fill()
    let image = try scratch.bytes()
    for part in [0.3, 0.5, 0.9] {
      let pages = Int(Double(image.count / 4096) * part)
      try scratch.write(image.prefix(4096 * pages))
      let store = try await Store.open(options, at: Scratch.noon)
      #expect(store.recovery?.mayHaveLostValues == true)
      try await store.suspend()
    }
  }
}
