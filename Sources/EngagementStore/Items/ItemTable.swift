import EngagementJSON
import EngagementModel

/// The items as their vendors sent them.
struct ItemTable: ~Copyable {
  private var insertion = Statement(
    "INSERT INTO item (id, source, name, seal, body) VALUES (?, ?, ?, ?, ?)")
  private var update = Statement("UPDATE item SET seal=?, body=? WHERE id=?")
  private var deletion = Statement("DELETE FROM item WHERE id=?")
  private var selection = Statement("SELECT id, name, seal, body FROM item WHERE id=?")
  private var search = Statement("SELECT id FROM item WHERE source=? AND name=?")
  private var owned = Statement(
    """
    SELECT body FROM item WHERE name = ?4 AND source =
      (SELECT id FROM source WHERE partition = ?1 AND provider = ?2 AND surface = ?3)
    """)
  private var scan = Statement("SELECT id, name, seal, body FROM item WHERE id BETWEEN ? AND ?")
  private var listed = Statement(
    """
    SELECT id, name, seal, body FROM membership CROSS JOIN item ON id = membership.item
    WHERE feed=? AND expires>?
    """)
  private var clearance = Statement("DELETE FROM item WHERE id BETWEEN ? AND ?")

  /// A row as it is in the file, not verified.
  struct Found {
    let row: Int64
    let name: [UInt8]
    let seal: Int64
    let body: [UInt8]

    init(_ row: borrowing Row) {
      self.row = row.integer(0)
      name = row.bytes(1)
      seal = row.integer(2)
      body = row.bytes(3)
    }
  }

  /// The ids that a source's items have.
  static func rows(of source: Int64) -> ClosedRange<Int64> {
    let first = source << 32
    return first...(first | 0xffff_ffff)
  }

  mutating func insert(
    _ row: Int64, of source: Int64, _ name: [UInt8], _ seal: Int64, _ body: ArraySlice<UInt8>,
    on database: inout Database
  ) throws(EngagementError) {
    try database.run(&insertion) { values in
      values.append(row)
      values.append(source)
      values.append(blob: name)
      values.append(seal)
      values.append(blob: body)
    }
  }

  mutating func update(
    _ row: Int64, _ seal: Int64, _ body: ArraySlice<UInt8>, on database: inout Database
  ) throws(EngagementError) {
    try database.run(&update, .integer(seal), .blob(body), .integer(row))
  }

  mutating func delete(_ row: Int64, on database: inout Database) throws(EngagementError) {
    try database.run(&deletion, .integer(row))
  }

  /// Deletes all items of a source.
  mutating func clear(_ source: Int64, on database: inout Database) throws(EngagementError) {
    let rows = Self.rows(of: source)
    try database.run(&clearance, .integer(rows.lowerBound), .integer(rows.upperBound))
  }

  mutating func item(
    _ row: Int64, on database: inout Database
  ) throws(EngagementError) -> Found? {
    try database.first(&selection, .integer(row)) { Found($0) }
  }

  mutating func row(
    of name: ItemKey, in source: Int64, on database: inout Database
  ) throws(EngagementError) -> Int64? {
    try database.first(&search, .integer(source), .blob(name.bytes)) { $0.integer(0) }
  }

  /// The bytes of an item as they are in the file; nil if it is not there.
  mutating func body(
    of name: ArraySlice<UInt8>, from provider: ProviderID, on surface: Surface,
    of partition: Partition.ID, on database: inout Database
  ) throws(EngagementError) -> [UInt8]? {
    try database.first(
      &owned, .integer(partition), .text(provider.rawValue), .text(surface.rawValue), .blob(name)
    ) { $0.bytes(0) }
  }

  /// Calls the body with each wanted item of a feed that ends after that time, in one query.
  mutating func each(
    in feed: Int64, endingAfter time: Int64, where isWanted: (Int64) -> Bool,
    on database: inout Database, read: (Found) -> Void
  ) throws(EngagementError) {
    // The results are empty: rows that are not wanted cost no copy of their bytes.
    let _: [Void] = try database.all(&listed, .integer(feed), .integer(time)) { row in
      if isWanted(row.integer(0)) { read(Found(row)) }
    }
  }

  /// The names of a source's items and the hashes of their bodies, without copying the bodies. The
  /// hash is nil for a damaged body. Bodies that were verified before are not read again.
  mutating func hashes(
    of source: Int64, by checksum: ItemChecksum, on database: inout Database,
    isVerified: (Int64) -> Bool
  ) throws(EngagementError) -> [(row: Int64, name: ItemKey, hash: UInt64?)] {
    let rows = Self.rows(of: source)
    return try database.all(&scan, .integer(rows.lowerBound), .integer(rows.upperBound)) { row in
      let (id, name, seal) = (row.integer(0), row.bytes(1), row.integer(2))
      let hash: UInt64? =
        isVerified(id)
        ? checksum.hash(in: seal, of: name)
        : checksum.verified(row.withBytes(3) { ContentHash.of($0) }, of: name, by: seal)
      return (id, ItemKey(String(decoding: name, as: UTF8.self)), hash)
    }
  }

  /// The body's results for all rows of a source, in the order of their ids.
  mutating func all<Value>(
    of source: Int64, on database: inout Database, read: (Found) -> Value
  ) throws(EngagementError) -> [Value] {
    let rows = Self.rows(of: source)
    return try database.all(&scan, .integer(rows.lowerBound), .integer(rows.upperBound)) {
      read(Found($0))
    }
  }
}
