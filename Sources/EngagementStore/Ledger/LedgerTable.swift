import EngagementFormats
import EngagementJSON
package import EngagementModel
package import EngagementPlatform

/// An event in the ledger. The event's `sequence` is its place there.
package struct LedgerEntry: Hashable, Sendable {
  package let partition: Partition.ID
  package let event: EngagementEvent
  /// When it was recorded; nil if an earlier release did.
  package let recording: Recording?

  /// The wall clock and the steady clock of the application when it recorded an event.
  package struct Recording: Hashable, Sendable {
    package let time: Date
    package let uptime: Duration
  }
}

/// The event log. Rows are only appended; they are deleted with their user, or from the oldest on.
struct LedgerTable: ~Copyable {
  private let now: @Sendable () -> Date
  private let uptime: @Sendable () -> Duration
  private var insertion = RowInsertion(
    into: "ledger", shared: ["partition", "recorded", "uptime"],
    own: [
      "sequence", "id", "type", "time", "zone", "session", "provider", "surface", "owner", "item",
      "container", "name", "properties",
    ],
    conflict: "ON CONFLICT (id) DO NOTHING")
  private var delivery = RowInsertion(
    into: "ledger",
    shared: [
      "partition", "type", "time", "zone", "provider", "surface", "container", "recorded", "uptime",
    ],
    own: ["sequence", "id", "item"])
  private var newest = Statement(
    "SELECT max(coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'ledger'), 0))")
  private var byID = Statement("SELECT sequence FROM ledger WHERE id = ?")
  private var page = Statement(
    "SELECT \(columns) FROM ledger WHERE sequence > ? ORDER BY sequence LIMIT ?")
  private var ownPage = Statement(
    """
    SELECT \(columns) FROM ledger
    WHERE sequence > ? AND partition = ? ORDER BY sequence LIMIT ?
    """)
  private var last = Statement("SELECT coalesce(max(sequence), 0) FROM ledger")
  private var erasing = Statement("DELETE FROM ledger WHERE partition = ?")
  private var moving = Statement("UPDATE ledger SET partition = ? WHERE partition = ?")

  private var fromOldest = Statement(
    "SELECT sequence, coalesce(recorded, time) FROM ledger ORDER BY sequence")
  private var newestBefore = Statement(
    """
    SELECT coalesce(recorded, time) FROM ledger
    WHERE sequence <= ? ORDER BY sequence DESC LIMIT 1
    """)
  private var evicting = Statement("DELETE FROM ledger WHERE sequence <= ?")

  private var first = Statement("SELECT coalesce(min(sequence), 0) FROM ledger")
  private var idOf = Statement("SELECT id FROM ledger WHERE sequence = ?")
  private var rewritten = Statement("SELECT value FROM setting WHERE name = '\(rewriting)'")
  private var rewrite = Statement(
    """
    INSERT INTO setting (name, value) VALUES ('\(rewriting)', ?)
    ON CONFLICT (name) DO UPDATE SET value = excluded.value
    """)

  private var lastSequence: Int64?
  private var oldest: Place?
  /// The last sequence before this transaction; nil if it has recorded nothing.
  private var lastBefore: Int64?

  /// Where an event is, and when it was recorded, in milliseconds. Where an earlier release recorded
  /// it, this is the event's own time.
  struct Place {
    let sequence: Int64
    let recorded: Int64
  }

  private static let columns = """
    sequence, id, partition, type, time, zone, session, provider, surface, owner, item, \
    container, name, properties, recorded, uptime
    """

  init(now: @escaping @Sendable () -> Date, uptime: @escaping @Sendable () -> Duration) {
    (self.now, self.uptime) = (now, uptime)
  }

  mutating func forgetMemory() {
    lastSequence = nil
    oldest = nil
    lastBefore = nil
  }

  /// Appends an event and returns its sequence; the existing one if the event is there already.
  ///
  /// Throws `invalidArgument` for an event that could not be read back.
  mutating func append(
    _ event: EngagementEvent, of partition: Partition.ID, on database: inout Database
  ) throws(EngagementError) -> (sequence: Int64, isNew: Bool) {
    try append([event], of: partition, on: &database)[0]
  }

  /// As above, for events in their order.
  @discardableResult
  mutating func append(
    _ events: [EngagementEvent], of partition: Partition.ID, on database: inout Database
  ) throws(EngagementError) -> [(sequence: Int64, isNew: Bool)] {
    let parts = try events.map { (event) throws(EngagementError) in try StoredParts(of: event) }
    let (recorded, uptime) = (Milliseconds.nearest(now()), Int64(uptime() / .milliseconds(1)))
    let last = try beginRecording(on: &database)
    let written = try insertion.run(
      events.count, on: &database,
      shared: { values in
        values.append(partition)
        values.append(recorded)
        values.append(uptime)
      },
      own: { (index, newBefore, values) in
        values.append(last + 1 + Int64(newBefore))
        events[index].append(parts[index], to: &values)
      })
    var newest = last
    var results: [(sequence: Int64, isNew: Bool)] = []
    results.reserveCapacity(events.count)
    for (index, isNew) in written.enumerated() {
      if isNew { newest += 1 }
      let earlier =
        isNew ? nil : try database.first(&byID, .blob(parts[index].id)) { $0.integer(0) }
      results.append((earlier ?? newest, isNew))
    }
    lastSequence = newest
    return results
  }

  /// Appends that the items were delivered, all at one time. The ids are new.
  mutating func appendDelivered(
    _ items: AddedItems, to partition: Partition.ID, at time: Date, zoneOffset: Int,
    ids: [UUID], on database: inout Database
  ) throws(EngagementError) {
    guard let time = Epoch.milliseconds(of: time) else { throw .timelessEvent }
    let (recorded, uptime) = (Milliseconds.nearest(now()), Int64(uptime() / .milliseconds(1)))
    let last = try beginRecording(on: &database)
    try delivery.run(
      items.count, on: &database,
      shared: { values in
        values.append(partition)
        values.append(EngagementEvent.Kind.delivered.rawValue)
        values.append(time)
        values.append(Int64(zoneOffset))
        values.append(items.provider.rawValue)
        values.append(items.surface.rawValue)
        values.append(items.container?.rawValue)
        values.append(recorded)
        values.append(uptime)
      },
      own: { (index, newBefore, values) in
        values.append(last + 1 + Int64(newBefore))
        values.append(ids[index])
        values.append(blob: items[index])
      })
    lastSequence = last + Int64(items.count)
  }

  /// The entries after a sequence, in order; with a partition, those of one user.
  mutating func entries(
    after sequence: Int64, limit: Int, of partition: Partition.ID?, on database: inout Database
  ) throws(EngagementError) -> [LedgerEntry] {
    let limit = SQLValue.integer(max(limit, 0))
    guard let partition else {
      return try database.all(&page, .integer(sequence), limit) { LedgerEntry($0) }
    }
    return try database.all(&ownPage, .integer(sequence), .integer(partition), limit) {
      LedgerEntry($0)
    }
  }

  /// Runs the body with each row after a sequence and up to another, in order, at most `limit` of them.
  func each(
    after sequence: Int64, through last: Int64, limit: Int, on database: inout Database,
    _ body: (borrowing LedgerRow) throws(EngagementError) -> Void
  ) throws(EngagementError) {
    try database.each(
      """
      SELECT \(Self.columns) FROM ledger
      WHERE sequence > ? AND sequence <= ? ORDER BY sequence LIMIT ?
      """, [.integer(sequence), .integer(last), .integer(limit)]
    ) { (row) throws(EngagementError) in try body(LedgerRow(row.copy())) }
  }

  /// The sequence of the last entry that is there, of any user; 0 if there is none.
  mutating func newestSequence(on database: inout Database) throws(EngagementError) -> Int64 {
    try database.first(&last) { $0.integer(0) } ?? 0
  }

  /// Gives a user's events to the user's new partition.
  mutating func move(
    from former: Partition.ID, to new: Partition.ID, on database: inout Database
  ) throws(EngagementError) {
    try database.run(&moving, .integer(new), .integer(former))
    try noteRewriting(of: former, on: &database)
  }

  mutating func erase(
    _ partition: Partition.ID, on database: inout Database
  ) throws(EngagementError) {
    oldest = nil
    try database.run(&erasing, .integer(partition))
    try noteRewriting(of: partition, on: &database)
  }

  /// The last sequence that was given to an event, also if the event is there no more.
  mutating func lastSequence(
    on database: inout Database
  ) throws(EngagementError) -> Int64 {
    if let lastSequence { return lastSequence }
    let last = try database.first(&newest) { $0.integer(0) } ?? 0
    lastSequence = last
    return last
  }

  /// As above, before events are recorded.
  private mutating func beginRecording(
    on database: inout Database
  ) throws(EngagementError) -> Int64 {
    let last = try lastSequence(on: &database)
    lastBefore = lastBefore ?? last
    return last
  }
}

extension LedgerTable {
  // MARK: Eviction

  /// The last sequence before this transaction, which has recorded all that it will.
  mutating func endRecording(on database: inout Database) throws(EngagementError) -> Int64 {
    defer { lastBefore = nil }
    if let lastBefore { return lastBefore }
    return try lastSequence(on: &database)
  }

  /// The oldest event that is there; nil if there is none.
  mutating func oldest(on database: inout Database) throws(EngagementError) -> Place? {
    if let oldest { return oldest }
    oldest = try database.first(&fromOldest) { Place($0) }
    return oldest
  }

  /// When the newest event up to a sequence was recorded, in milliseconds; nil if there is none.
  mutating func newestTime(
    through sequence: Int64, on database: inout Database
  ) throws(EngagementError) -> Int64? {
    try database.first(&newestBefore, .integer(sequence)) { $0.integer(0) }
  }

  /// Deletes the oldest events up to the first that stays, at most so many. Reads no other but that one.
  mutating func evict(
    within bounds: EvictionBounds, limit: Int64, on database: inout Database
  ) throws(EngagementError) -> EvictedEvents {
    var evicted = EvictedEvents()
    var last: Int64?
    var staying: Place?
    try database.each(&fromOldest) { row in
      let place = Place(row)
      guard evicted.count < limit, let reason = bounds.reason(toEvict: place) else {
        staying = place
        return false
      }
      evicted.add(reason)
      last = place.sequence
      return true
    }
    guard let last else { return evicted }
    oldest = staying
    try database.run(&evicting, .integer(last))
    return evicted
  }
}

extension LedgerTable {
  // MARK: Rollups

  mutating func state(on database: inout Database) throws(EngagementError) -> LedgerState {
    let last = try newestSequence(on: &database)
    return LedgerState(
      first: try database.first(&first) { $0.integer(0) } ?? 0, last: last,
      lastID: try id(of: last, on: &database) ?? [],
      rewriting: try database.first(&rewritten) { $0.text(0) } ?? "")
  }

  /// The id of the event with a sequence, as it is stored; nil if there is none.
  mutating func id(
    of sequence: Int64, on database: inout Database
  ) throws(EngagementError) -> [UInt8]? {
    try database.first(&idOf, .integer(sequence)) { $0.bytes(0) }
  }

  /// Runs the body with the sequence, partition, provider and kind of each event.
  func eachCounted(
    _ sequences: Range<Int64>, on database: inout Database, _ body: (borrowing Row) -> Void
  ) throws(EngagementError) {
    try database.each(
      """
      SELECT sequence, partition, provider, type
      FROM ledger WHERE sequence >= ? AND sequence < ? ORDER BY sequence
      """, [.integer(sequences.lowerBound), .integer(sequences.upperBound)]
    ) { (row) throws(EngagementError) in body(row) }
  }

  /// Tells those who have counted the events that some are gone, or are another partition's.
  private mutating func noteRewriting(
    of partition: Partition.ID, on database: inout Database
  ) throws(EngagementError) {
    try database.run(&rewrite, .text("\(partition) \(Milliseconds.nearest(now()))"))
  }

  private static let rewriting = "ledger rewritten"
}

extension LedgerTable.Place {
  fileprivate init(_ row: borrowing Row) {
    self.init(sequence: row.integer(0), recorded: row.integer(1))
  }
}

extension LedgerTable {
  /// What of an event is written in another form than the event has it.
  fileprivate struct StoredParts {
    let id: [UInt8]
    let time: Int64
    let properties: [UInt8]?

    init(of event: EngagementEvent) throws(EngagementError) {
      guard let time = Epoch.milliseconds(of: event.time) else { throw .timelessEvent }
      id = event.id.stored
      self.time = time
      properties = try event.storedProperties()
    }
  }
}

extension EngagementEvent {
  /// Appends the values of the event's own columns but the sequence.
  fileprivate func append(_ parts: LedgerTable.StoredParts, to values: inout Bindings) {
    let owner = item?.id.provider
    values.append(blob: parts.id)
    values.append(kind.rawValue)
    values.append(parts.time)
    values.append(Int64(zoneOffset))
    values.append(session?.rawValue)
    values.append(provider?.rawValue)
    values.append(item?.surface.rawValue)
    // Null if it is the event's own provider.
    values.append(owner == provider ? nil : owner?.rawValue)
    values.append(blob: item?.id.value)
    values.append(item?.container?.rawValue)
    values.append(name)
    values.append(utf8: parts.properties)
  }

  fileprivate func storedProperties() throws(EngagementError) -> [UInt8]? {
    guard !properties.isEmpty else { return nil }
    let bytes = JSON.object(properties).encoded()
    try bytes.requireReadable()
    return bytes
  }
}

extension LedgerEntry {
  /// Reads `LedgerTable.columns`. The handle of an item is not kept here.
  fileprivate init(_ row: borrowing Row) {
    let provider = row.isNull(7) ? nil : ProviderID(row.text(7))
    var item: ItemReference?
    if !row.isNull(10), let owner = row.isNull(9) ? provider : ProviderID(row.text(9)) {
      item = ItemReference(
        ItemID(owner, String(decoding: row.bytes(10), as: UTF8.self)),
        on: Surface(row.text(8)), in: row.isNull(11) ? nil : ContainerID(row.text(11)))
    }
    partition = row.integer(2)
    event = EngagementEvent(
      id: EventID(stored: row.bytes(1)), kind: EngagementEvent.Kind(row.text(3)),
      time: Epoch.date(milliseconds: row.integer(4)) ?? .distantPast,
      zoneOffset: Int(row.integer(5)), session: row.isNull(6) ? nil : SessionID(row.text(6)),
      sequence: row.integer(0), provider: provider, item: item,
      name: row.isNull(12) ? nil : row.text(12),
      properties: (try? JSON(parsing: row.bytes(13)))?.object ?? [:])
    recording =
      row.isNull(14)
      ? nil
      : Recording(
        time: Milliseconds.date(row.integer(14)), uptime: .milliseconds(row.integer(15)))
  }
}
