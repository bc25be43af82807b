import EngagementModel

/// The campaigns that are to be presented, in the order in which they were queued.
struct CampaignQueueTable: ~Copyable {
  private var insertion = Statement(
    """
    INSERT INTO campaign_queue (
      partition, provider, campaign, body, first, present_at, expires_at, hand_overs, presented,
      seal)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id
    """)
  private var update = Statement(
    """
    UPDATE campaign_queue SET partition = ?, hand_overs = ?, presented = ?, seal = ? WHERE id = ?
    """)
  private var deletion = Statement("DELETE FROM campaign_queue WHERE id = ?")
  private var single = Statement("SELECT \(columns) FROM campaign_queue WHERE id = ?")
  private var owned = Statement(
    """
    SELECT \(columns) FROM campaign_queue INDEXED BY campaign_queue_owner
    WHERE partition = ? AND id > ? ORDER BY id
    """)
  private var waiting = Statement(
    """
    SELECT \(columns) FROM campaign_queue INDEXED BY campaign_queue_owner
    WHERE partition = ? AND provider = ? AND campaign = ? AND presented = 0 ORDER BY id
    """)
  private var everything = Statement("SELECT \(columns) FROM campaign_queue ORDER BY id")
  private var erasing = Statement("DELETE FROM campaign_queue WHERE partition = ?")

  private static let columns = """
    id, partition, provider, campaign, body, first, present_at, expires_at, hand_overs, \
    presented, seal
    """

  // MARK: Writing

  /// Appends a row; returns its id.
  mutating func insert(
    _ row: QueueRow, on database: inout Database
  ) throws(EngagementError) -> Int64 {
    let ids = try database.all(
      &insertion, .integer(row.partition), .text(row.provider.rawValue), .blob(row.campaign),
      .utf8(row.body[...]), .integer(row.first), .integer(row.presentAt),
      .integer(row.expiresAt), .integer(row.handOvers), .integer(row.presented),
      .integer(row.seal)
    ) { $0.integer(0) }
    return ids.first ?? 0
  }

  /// Writes what changes while a row waits: its owner and its progress.
  mutating func update(
    _ row: QueueRow, of owner: Partition, on database: inout Database
  ) throws(EngagementError) {
    var row = row
    row.partition = owner.id
    try database.run(
      &update, .integer(owner.id), .integer(row.handOvers), .integer(row.presented),
      .integer(row.checksum(for: owner)), .integer(row.id))
  }

  mutating func delete(_ id: Int64, on database: inout Database) throws(EngagementError) {
    try database.run(&deletion, .integer(id))
  }

  mutating func erase(
    _ partition: Partition.ID, on database: inout Database
  ) throws(EngagementError) {
    try database.run(&erasing, .integer(partition))
  }

  // MARK: Reading

  mutating func row(
    _ id: Int64, on database: inout Database
  ) throws(EngagementError) -> QueueRow? {
    try database.first(&single, .integer(id)) { QueueRow($0) }
  }

  /// The rows of a user after that id.
  mutating func rows(
    of partition: Partition.ID, after id: Int64 = 0, on database: inout Database
  ) throws(EngagementError) -> [QueueRow] {
    try database.all(&owned, .integer(partition), .integer(id)) { QueueRow($0) }
  }

  /// The rows of a campaign that were not presented.
  mutating func waiting(
    _ campaign: [UInt8], of owner: CampaignOwner, on database: inout Database
  ) throws(EngagementError) -> [QueueRow] {
    try database.all(
      &waiting, .integer(owner.partition), .text(owner.provider.rawValue), .blob(campaign)
    ) { QueueRow($0) }
  }

  /// The rows of all users.
  mutating func all(on database: inout Database) throws(EngagementError) -> [QueueRow] {
    try database.all(&everything) { QueueRow($0) }
  }

  /// All rows of a user as objects, without the adapter's handles.
  mutating func held(
    of partition: Partition, on database: inout Database
  ) throws(EngagementError) -> [JSONObject] {
    try rows(of: partition.id, on: &database).compactMap { row in
      guard row.isSound(for: partition), let queued = row.read() else { return nil }
      return ObjectEncoder([
        "record": "queuedCampaign", "provider": queued.provider,
        "presentAt": queued.presentAt, "expiresAt": queued.expiresAt,
        "presented": queued.isPresented ? true : nil, "campaign": queued.campaign.json,
      ]).object
    }
  }
}

extension QueueRow {
  /// Reads the columns of `CampaignQueueTable`.
  fileprivate init(_ row: borrowing Row) {
    id = row.integer(0)
    partition = row.integer(1)
    provider = ProviderID(row.text(2))
    campaign = row.bytes(3)
    body = row.bytes(4)
    first = row.integer(5)
    presentAt = row.integer(6)
    expiresAt = row.integer(7)
    handOvers = row.integer(8)
    presented = row.integer(9)
    seal = row.integer(10)
  }
}
