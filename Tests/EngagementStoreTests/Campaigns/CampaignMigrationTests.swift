import EngagementAdapterAPI
import EngagementModel
import Foundation
import Testing

@testable import EngagementStore

/// Caches of the first schema, which get the tables of campaigns.
@Suite(.timeLimit(.minutes(20))) struct CampaignMigrationTests {
  private let stand: CampaignStand

  init() throws { stand = try CampaignStand() }

  private static let statements = Schema.campaigns.split(separator: ";\n").map { "\($0);" }

  /// Makes a cache of the first schema with one user.
  private func makeFirst() throws -> Database {
    var database = try Database.open(at: stand.files.scratch.path(), mode: .create, newestSchema: 1)
    try Migrations(Array(Schema.migrations.steps.prefix(1))).run(on: &database)
    try database.transaction { (database) throws(EngagementError) in
      try database.run("INSERT INTO partition VALUES (1, 'production', x'752d31', 'full', 0)")
    }
    return database
  }

  @Test(
    "C9 G10: a migration that is killed after any statement is done at the next opening",
    arguments: 0...statements.count)
  func killed(count: Int) async throws {
    var database = try makeFirst()
    // What a kill leaves: the files as they are inside the transaction.
    let copy = try CampaignStand()
    try database.connection.execute("PRAGMA cache_size=1; PRAGMA cache_spill=1; BEGIN IMMEDIATE")
    for statement in Self.statements.prefix(count) { try database.connection.execute(statement) }
    for name in try FileManager.default.contentsOfDirectory(
      atPath: stand.files.scratch.folder.path) where !name.hasSuffix("-shm")
    {
      try copy.files.scratch.write(try stand.files.scratch.bytes(name), to: name)
    }
    database.rollBack()
    let store = try await copy.open()
    #expect(store.recovery == nil)
    let user = try await store.partition(of: "u-1")
    #expect(user.id == 1)
    try await store.list(CampaignStand.campaign("7", on: "bought"), of: user)
    try await store.accept(copy.track("bought"), in: user)
    #expect(try await store.due(of: user) == ["7"])
    #expect(try await store.check().isSound)
  }

  @Test("C9 G9: a salvage gives no id of the queue and of reports twice")
  func salvaged() async throws {
    var store = try await stand.open()
    var user = try await store.partition(of: "u-1")
    let campaign = CampaignStand.campaign("7", on: "a")
    try await store.list(campaign, in: .announcedCampaigns, of: user)
    for _ in 0..<3 {
      _ = try await store.queueCampaign(
        campaign, from: "bell", isFirst: false, expiresAt: CampaignStand.noon + 9, of: user,
        at: CampaignStand.noon)
      try await store.accept(stand.track("a"), in: user)
    }
    let mark = try await store.report(of: user).mark
    try await store.suspend()
    var bytes = try stand.files.scratch.bytes()
    let range = try #require(bytes.range(of: Data("type TEXT NOT NULL".utf8)))
    bytes.replaceSubrange(range, with: Data("typf TEXT NOT NULL".utf8))
    try stand.files.scratch.write(bytes)
    store = try await stand.open()
    #expect(store.recovery?.savedRows == 3)
    user = try await store.partition(of: "u-1")
    let queued = try await store.queueCampaign(
      campaign, from: "bell", isFirst: false, expiresAt: CampaignStand.noon + 9, of: user,
      at: CampaignStand.noon)
    #expect(queued.id == 4)
    try await store.list(campaign, in: .announcedCampaigns, of: user)
    try await store.accept(stand.track("a"), in: user)
    #expect(try await store.report(of: user).mark == mark + 1)
  }
}
