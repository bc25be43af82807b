import EngagementJSON
import EngagementModel

/// Which events a user has had, and the last value of each attribute that was told.
struct CampaignFactTable: ~Copyable {
  private var selection = Statement(
    "SELECT kind, name, value FROM campaign_fact WHERE partition = ? AND provider = ?")
  private var update = Statement(
    """
    INSERT INTO campaign_fact (partition, provider, kind, name, value) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (partition, provider, kind, name) DO UPDATE SET value = excluded.value
    """)
  private var deletion = Statement(
    """
    DELETE FROM campaign_fact WHERE partition = ? AND provider = ? AND kind = ? AND name = ?
    """)
  // The values of the user who signs in are older.
  private var moving = Statement(
    """
    INSERT INTO campaign_fact (partition, provider, kind, name, value)
    SELECT ?, provider, kind, name, value FROM campaign_fact WHERE partition = ? AND provider = ?
    ON CONFLICT (partition, provider, kind, name) DO UPDATE SET value = excluded.value
    """)
  private var clearing = Statement(
    "DELETE FROM campaign_fact WHERE partition = ? AND provider = ?")
  private var everything = Statement(
    """
    SELECT provider, kind, name, value FROM campaign_fact
    WHERE partition = ? ORDER BY provider, kind, name
    """)
  private var erasing = Statement("DELETE FROM campaign_fact WHERE partition = ?")

  private var known: [CampaignOwner: Facts] = [:]

  private enum Kind: String {
    case event, attribute
  }

  private struct Facts {
    var events: Set<[UInt8]> = []
    var attributes: [[UInt8]: [UInt8]] = [:]
  }

  /// What a new value of an attribute changes.
  enum Change {
    case nothing
    case from(JSON?)
  }

  mutating func forgetMemory() { known = [:] }

  mutating func release(_ partition: Partition.ID) {
    known = known.filter { $0.key.partition != partition }
  }

  /// Notes that the user has had an event of this name; returns whether it is the first.
  mutating func isFirst(
    _ event: String, of owner: CampaignOwner, on database: inout Database
  ) throws(EngagementError) -> Bool {
    let name = Array(event.normalizedName.utf8)
    try load(owner, on: &database)
    guard known[owner]?.events.insert(name).inserted == true else { return false }
    try write(.event, name, [], of: owner, on: &database)
    return true
  }

  /// Keeps the new value of an attribute; nil and null are no value.
  mutating func change(
    _ attribute: String, to value: JSON?, of owner: CampaignOwner, on database: inout Database
  ) throws(EngagementError) -> Change {
    let name = Array(attribute.normalizedName.utf8)
    try load(owner, on: &database)
    let old = known[owner]?.attributes[name]
    let new = value.flatMap { $0 == .null ? nil : $0.encoded() }
    guard new != old else { return .nothing }
    known[owner]?.attributes[name] = new
    if let new {
      try write(.attribute, name, new, of: owner, on: &database)
    } else {
      try database.run(
        &deletion, .integer(owner.partition), .text(owner.provider.rawValue),
        .text(Kind.attribute.rawValue), .utf8(name[...]))
    }
    return .from(old.flatMap { try? JSON(parsing: $0) })
  }

  private mutating func load(
    _ owner: CampaignOwner, on database: inout Database
  ) throws(EngagementError) {
    guard known[owner] == nil else { return }
    var facts = Facts()
    let rows = try database.all(
      &selection, .integer(owner.partition), .text(owner.provider.rawValue)
    ) { (kind: $0.text(0), name: $0.bytes(1), value: $0.bytes(2)) }
    for row in rows {
      switch Kind(rawValue: row.kind) {
      case .event: facts.events.insert(row.name)
      case .attribute: facts.attributes[row.name] = row.value
      case nil: break
      }
    }
    known[owner] = facts
  }

  private mutating func write(
    _ kind: Kind, _ name: [UInt8], _ value: [UInt8], of owner: CampaignOwner,
    on database: inout Database
  ) throws(EngagementError) {
    try database.run(
      &update, .integer(owner.partition), .text(owner.provider.rawValue), .text(kind.rawValue),
      .utf8(name[...]), .utf8(value[...]))
  }

  /// Adds the facts of a user to those of another.
  mutating func move(
    _ former: CampaignOwner, to owner: CampaignOwner, on database: inout Database
  ) throws(EngagementError) {
    let (old, provider) = (SQLValue.integer(former.partition), former.provider.rawValue)
    try database.run(&moving, .integer(owner.partition), old, .text(provider))
    try database.run(&clearing, old, .text(provider))
    known[former] = nil
    known[owner] = nil
  }

  /// All facts of a user as objects.
  mutating func held(
    of partition: Partition.ID, on database: inout Database
  ) throws(EngagementError) -> [JSONObject] {
    try database.all(&everything, .integer(partition)) { row in
      ObjectEncoder([
        "record": "campaignFact", "provider": row.text(0), "kind": row.text(1),
        "name": row.text(2), "value": try? JSON(parsing: row.bytes(3)),
      ]).object
    }
  }

  mutating func erase(
    _ partition: Partition.ID, on database: inout Database
  ) throws(EngagementError) {
    release(partition)
    try database.run(&erasing, .integer(partition))
  }
}
