import EngagementModel
import EngagementPlatform

/// How often the triggers of campaigns fired, and when campaigns were presented.
struct CampaignCountTable: ~Copyable {
  private var firedSelection = Statement(
    "SELECT campaign, fired FROM campaign_count WHERE partition = ? AND provider = ?")
  private var presentationSelection = Statement(
    """
    SELECT campaign, presented, session FROM campaign_presentation
    INDEXED BY campaign_presentation_owner WHERE partition = ? AND provider = ? ORDER BY id
    """)
  private var firedAddition = Statement(
    """
    INSERT INTO campaign_count (partition, provider, campaign, fired) VALUES (?, ?, ?, ?)
    ON CONFLICT (partition, provider, campaign) DO UPDATE SET fired = fired + excluded.fired
    """)
  private var presentationInsertion = Statement(
    """
    INSERT INTO campaign_presentation (partition, provider, campaign, presented, session)
    VALUES (?, ?, ?, ?, ?)
    """)
  private var firedDeletion = Statement(
    "DELETE FROM campaign_count WHERE partition = ? AND provider = ? AND campaign = ?")
  // The vendor's caps still count it.
  private var detachment = Statement(
    """
    UPDATE campaign_presentation SET campaign = NULL
    WHERE partition = ? AND provider = ? AND campaign = ?
    """)
  private var firedMove = Statement(
    """
    INSERT INTO campaign_count (partition, provider, campaign, fired)
    SELECT ?, provider, campaign, fired FROM campaign_count WHERE partition = ? AND provider = ?
    ON CONFLICT (partition, provider, campaign) DO UPDATE SET fired = fired + excluded.fired
    """)
  private var firedClearing = Statement(
    "DELETE FROM campaign_count WHERE partition = ? AND provider = ?")
  private var presentationMove = Statement(
    "UPDATE campaign_presentation SET partition = ? WHERE partition = ? AND provider = ?")
  private var providers = Statement(
    """
    SELECT provider FROM campaign_count WHERE partition = ?1
    UNION SELECT provider FROM campaign_presentation WHERE partition = ?1 ORDER BY provider
    """)
  private var firedErasing = Statement("DELETE FROM campaign_count WHERE partition = ?")
  private var presentationErasing = Statement(
    "DELETE FROM campaign_presentation WHERE partition = ?")

  private var known: [CampaignOwner: RecordedCounts] = [:]

  mutating func forgetMemory() { known = [:] }

  mutating func release(_ partition: Partition.ID) {
    known = known.filter { $0.key.partition != partition }
  }

  // MARK: Reading

  mutating func counts(
    of owner: CampaignOwner, on database: inout Database
  ) throws(EngagementError) -> RecordedCounts {
    if let counts = known[owner] { return counts }
    let place: (SQLValue, SQLValue) = (.integer(owner.partition), .text(owner.provider.rawValue))
    var counts = RecordedCounts()
    let fired = try database.all(&firedSelection, place.0, place.1) {
      (ItemKey($0), Int(clamping: $0.integer(1)))
    }
    for (campaign, count) in fired { counts.fired(campaign, count) }
    let presentations = try database.all(&presentationSelection, place.0, place.1) {
      (
        $0.isNull(0) ? nil : ItemKey($0), Milliseconds.date($0.integer(1)),
        $0.isNull(2) ? nil : SessionID($0.text(2))
      )
    }
    for (campaign, date, session) in presentations {
      counts.presented(campaign, at: date, in: session)
    }
    known[owner] = counts
    return counts
  }

  /// The providers with counts of the user.
  mutating func providers(
    of partition: Partition.ID, on database: inout Database
  ) throws(EngagementError) -> [ProviderID] {
    try database.all(&providers, .integer(partition)) { ProviderID($0.text(0)) }
  }

  // MARK: Writing

  /// Counts fired triggers; a campaign may be there several times.
  mutating func add(
    fired campaigns: [ItemID], of owner: CampaignOwner, on database: inout Database
  ) throws(EngagementError) {
    guard !campaigns.isEmpty else { return }
    var sums: [ItemKey: Int] = [:]
    for campaign in campaigns { sums[ItemKey(campaign.value), default: 0] += 1 }
    for (campaign, count) in sums {
      try database.run(
        &firedAddition, .integer(owner.partition), .text(owner.provider.rawValue),
        .blob(campaign.bytes), .integer(count))
      known[owner]?.fired(campaign, count)
    }
  }

  mutating func add(
    presentationOf campaign: ItemID, at now: Date, in session: SessionID?, of owner: CampaignOwner,
    on database: inout Database
  ) throws(EngagementError) {
    let (key, time) = (ItemKey(campaign.value), now.storedMilliseconds)
    try database.run(
      &presentationInsertion, .integer(owner.partition), .text(owner.provider.rawValue),
      .blob(key.bytes), .integer(time), SQLValue(session?.rawValue))
    known[owner]?.presented(key, at: Milliseconds.date(time), in: session)
  }

  /// Deletes the counts of a campaign.
  mutating func remove(
    _ campaign: ItemKey, of owner: CampaignOwner, on database: inout Database
  ) throws(EngagementError) {
    let place: (SQLValue, SQLValue) = (.integer(owner.partition), .text(owner.provider.rawValue))
    try database.run(&firedDeletion, place.0, place.1, .blob(campaign.bytes))
    try database.run(&detachment, place.0, place.1, .blob(campaign.bytes))
    known[owner] = nil
  }

  /// Adds the counts of a user to those of another.
  mutating func move(
    _ former: CampaignOwner, to owner: CampaignOwner, on database: inout Database
  ) throws(EngagementError) {
    let (old, provider) = (SQLValue.integer(former.partition), former.provider.rawValue)
    try database.run(&firedMove, .integer(owner.partition), old, .text(provider))
    try database.run(&firedClearing, old, .text(provider))
    try database.run(&presentationMove, .integer(owner.partition), old, .text(provider))
    known[former] = nil
    known[owner] = nil
  }

  mutating func erase(
    _ partition: Partition.ID, on database: inout Database
  ) throws(EngagementError) {
    release(partition)
    try database.run(&firedErasing, .integer(partition))
    try database.run(&presentationErasing, .integer(partition))
  }
}

extension ItemKey {
  /// The bytes in the first column.
  fileprivate init(_ row: borrowing Row) {
    self.init(String(decoding: row.bytes(0), as: UTF8.self))
  }
}
