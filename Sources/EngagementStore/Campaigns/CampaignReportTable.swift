import EngagementAdapterAPI
import EngagementJSON
import EngagementModel

/// What was found out about campaigns and the vendor does not know yet.
struct CampaignReportTable: ~Copyable {
  private var insertion = Statement(
    "INSERT INTO campaign_report (partition, provider, kind, content) VALUES (?, ?, ?, ?)")
  private var replacement = Statement(
    """
    DELETE FROM campaign_report INDEXED BY campaign_report_owner
    WHERE partition = ? AND provider = ? AND kind = ? AND content = ?
    """)
  private var selection = Statement(
    """
    SELECT id, kind, content FROM campaign_report INDEXED BY campaign_report_owner
    WHERE partition = ? AND provider = ? ORDER BY id
    """)
  private var confirmation = Statement(
    """
    DELETE FROM campaign_report INDEXED BY campaign_report_owner
    WHERE partition = ? AND provider = ? AND id <= ?
    """)
  private var oldest = Statement(
    """
    SELECT 1 FROM campaign_report INDEXED BY campaign_report_owner
    WHERE partition = ? AND provider = ? AND id <= ? LIMIT 1
    """)
  private var moving = Statement(
    "UPDATE campaign_report SET partition = ? WHERE partition = ? AND provider = ?")
  private var everything = Statement(
    """
    SELECT provider, kind, content FROM campaign_report INDEXED BY campaign_report_owner
    WHERE partition = ? ORDER BY id
    """)
  private var trimming = Statement(
    "DELETE FROM campaign_report WHERE id <= (SELECT max(id) FROM campaign_report) - \(limit)")
  private var erasing = Statement("DELETE FROM campaign_report WHERE partition = ?")

  /// The newest entries are kept: a vendor that is not reached for long is told the rest.
  static let limit = 1_000

  enum Kind: String {
    /// The content is the vendor's id of the campaign.
    case due
    /// The content is the handle of the campaign.
    case suppressed
  }

  /// Adds an entry. A campaign that is due again before the vendor knows is told once.
  mutating func add(
    _ kind: Kind, _ campaign: Campaign, of owner: CampaignOwner, on database: inout Database
  ) throws(EngagementError) {
    let values: (SQLValue, SQLValue, SQLValue) = (
      .integer(owner.partition), .text(owner.provider.rawValue), .text(kind.rawValue)
    )
    let content: SQLValue =
      switch kind {
      case .due: .text(campaign.id.value)
      case .suppressed: .utf8(JSON.object(campaign.handle).encoded()[...])
      }
    // The new entry is behind the mark of a request that is under way with the old one.
    if kind == .due {
      try database.run(&replacement, values.0, values.1, values.2, content)
    }
    try database.run(&insertion, values.0, values.1, values.2, content)
    try database.run(&trimming)
  }

  mutating func report(
    of owner: CampaignOwner, on database: inout Database
  ) throws(EngagementError) -> CampaignReport {
    var report = CampaignReport()
    let rows = try database.all(
      &selection, .integer(owner.partition), .text(owner.provider.rawValue)
    ) { (id: $0.integer(0), kind: $0.text(1), content: $0.bytes(2)) }
    for row in rows {
      report.mark = row.id
      switch Kind(rawValue: row.kind) {
      case .due: report.due.append(String(decoding: row.content, as: UTF8.self))
      case .suppressed:
        if let handle = (try? JSON(parsing: row.content))?.object {
          report.suppressed.append(handle)
        }
      case nil: break
      }
    }
    return report
  }

  /// Whether the vendor now knows something that is still here.
  mutating func isNews(
    through mark: Int64, of owner: CampaignOwner, on database: inout Database
  ) throws(EngagementError) -> Bool {
    try database.first(
      &oldest, .integer(owner.partition), .text(owner.provider.rawValue), .integer(mark)
    ) { _ in true } ?? false
  }

  /// Deletes what the vendor knows.
  mutating func confirm(
    through mark: Int64, of owner: CampaignOwner, on database: inout Database
  ) throws(EngagementError) {
    try database.run(
      &confirmation, .integer(owner.partition), .text(owner.provider.rawValue), .integer(mark))
  }

  mutating func move(
    _ former: CampaignOwner, to owner: CampaignOwner, on database: inout Database
  ) throws(EngagementError) {
    try database.run(
      &moving, .integer(owner.partition), .integer(former.partition),
      .text(former.provider.rawValue))
  }

  /// All entries of a user as objects, without what only the adapter understands.
  mutating func held(
    of partition: Partition.ID, on database: inout Database
  ) throws(EngagementError) -> [JSONObject] {
    try database.all(&everything, .integer(partition)) { row in
      ObjectEncoder([
        "record": "campaignReport", "provider": row.text(0), "kind": row.text(1),
        "campaign": row.text(1) == Kind.due.rawValue ? row.text(2) : nil,
      ]).object
    }
  }

  mutating func erase(
    _ partition: Partition.ID, on database: inout Database
  ) throws(EngagementError) {
    try database.run(&erasing, .integer(partition))
  }
}
