import EngagementFormats
import EngagementModel
import EngagementPlatform

/// The users of the cache with their consents, and the present user.
struct PartitionTable: ~Copyable {
  private var logging = Statement("UPDATE partition SET created = created + ? WHERE id = ?")
  private var byUser = Statement(
    "SELECT id FROM partition WHERE environment = ? AND user = ?")
  private var byID = Statement(
    "SELECT environment, user, consent FROM partition WHERE id = ?")
  private var creation = Statement("SELECT created FROM partition WHERE id = ?")
  private var everyone = Statement("SELECT id, environment, user FROM partition ORDER BY id")
  private var insertion = Statement(
    "INSERT INTO partition (environment, user, consent, created) VALUES (?, ?, ?, ?)")
  private var consentUpdate = Statement("UPDATE partition SET consent = ? WHERE id = ?")
  private var deletion = Statement("DELETE FROM partition WHERE id = ?")
  private var lastID = Statement("SELECT seq FROM sqlite_sequence WHERE name = 'partition'")
  private var lastIDUpdate = Statement(
    "UPDATE sqlite_sequence SET seq = ? WHERE name = 'partition'")
  private var idUpdate = Statement("UPDATE partition SET id = ? WHERE id = ?")
  private var setting = Statement("SELECT value FROM setting WHERE name = ?")
  private var purges = Statement(
    "SELECT name, value FROM setting WHERE name GLOB '\(purgePrefix)*' ORDER BY name")
  private var settingDeletion = Statement("DELETE FROM setting WHERE name = ?")
  private var settingUpdate = Statement(
    """
    INSERT INTO setting (name, value) VALUES (?, ?)
    ON CONFLICT (name) DO UPDATE SET value = excluded.value
    """)

  private var known: [Partition.ID: Known] = [:]

  /// A user of the cache and their consent.
  struct Known {
    let partition: Partition
    let consent: Consent
  }

  mutating func forgetMemory() { known = [:] }

  mutating func partition(
    of user: User, in environment: String, on database: inout Database
  ) throws(EngagementError) -> Partition? {
    try user.requireName()
    let id = try database.first(&byUser, .text(environment), .blob(user.stored)) { $0.integer(0) }
    return id.map { Partition(id: $0, environment: environment, user: user) }
  }

  /// The id of the last partition that was made; 0 if there was none yet.
  mutating func newest(on database: inout Database) throws(EngagementError) -> Partition.ID {
    try database.first(&lastID) { $0.integer(0) } ?? 0
  }

  mutating func all(on database: inout Database) throws(EngagementError) -> [Partition] {
    try database.all(&everyone) {
      Partition(id: $0.integer(0), environment: $0.text(1), user: User(stored: $0.bytes(2)))
    }
  }

  /// The environments of the partitions that have events with these sequences; of all if it is nil.
  func environments(
    of sequences: Range<Int64>?, on database: inout Database
  ) throws(EngagementError) -> [Partition.ID: [UInt8]] {
    let range = sequences.map { [$0.lowerBound, $0.upperBound] } ?? []
    let condition =
      "WHERE id IN (SELECT partition FROM ledger WHERE sequence >= ? AND sequence < ?)"
    var found: [Partition.ID: [UInt8]] = [:]
    var shared: [[UInt8]: [UInt8]] = [:]
    try database.each(
      "SELECT id, environment FROM partition " + (range.isEmpty ? "" : condition),
      range.map { .integer($0) }
    ) { (row) throws(EngagementError) in
      let environment = row.bytes(1)
      // One array for all of an environment: those are compared at once.
      let kept = shared[environment] ?? environment
      shared[environment] = kept
      found[row.integer(0)] = kept
    }
    return found
  }

  mutating func insert(
    _ user: User, in environment: String, at now: Date, on database: inout Database
  ) throws(EngagementError) {
    try database.run(
      &insertion, .text(environment), .blob(user.stored), .text(Consent.unknown.rawValue),
      .integer(now.storedMilliseconds))
  }

  /// The user with the id; nil if the user was erased.
  mutating func find(
    _ id: Partition.ID, on database: inout Database
  ) throws(EngagementError) -> Known? {
    if let found = known[id] { return found }
    let found = try database.first(&byID, .integer(id)) { (row) throws(EngagementError) in
      Known(
        partition: Partition(
          id: id, environment: row.text(0), user: User(stored: row.bytes(1))),
        // An unreadable consent allows nothing.
        consent: Consent(rawValue: row.text(2)) ?? .denied)
    }
    known[id] = found
    return found
  }

  /// As above; throws `notFound` for an erased user, so that nothing is written for them later.
  @discardableResult
  mutating func require(
    _ partition: Partition, on database: inout Database
  ) throws(EngagementError) -> Known {
    guard let found = try find(partition.id, on: &database), found.partition == partition else {
      throw .erasedUser
    }
    return found
  }

  /// When the partition was made.
  mutating func created(
    _ id: Partition.ID, on database: inout Database
  ) throws(EngagementError) -> Date? {
    try database.first(&creation, .integer(id)) { Milliseconds.date($0.integer(0)).writable }
  }

  mutating func setConsent(
    _ consent: Consent, of partition: Partition, on database: inout Database
  ) throws(EngagementError) {
    known[partition.id] = nil
    try database.run(&consentUpdate, .text(consent.rawValue), .integer(partition.id))
  }

  mutating func delete(
    _ id: Partition.ID, on database: inout Database
  ) throws(EngagementError) {
    known[id] = nil
    try database.run(&deletion, .integer(id))
  }

  /// Writes the user's row as it is, so that the log has it beside the rows that belong to it.
  mutating func log(
    _ partition: Partition, on database: inout Database
  ) throws(EngagementError) {
    // SQLite does not write a page on which nothing has changed.
    for step in [1, -1] as [Int64] {
      try database.run(&logging, .integer(step), .integer(partition.id))
    }
  }

  // MARK: Who is present

  mutating func presentUser(
    in environment: String, on database: inout Database
  ) throws(EngagementError) -> User {
    let id = try database.first(&setting, .text(Self.presentUser(environment))) { $0.text(0) }
    return id.flatMap { $0.isEmpty ? nil : User(UserID($0)) } ?? .anonymous
  }

  /// Whether the last user has signed out or was erased; false while a user is signed in.
  mutating func hasSignedOut(
    in environment: String, on database: inout Database
  ) throws(EngagementError) -> Bool {
    try database.first(&setting, .text(Self.presentUser(environment))) { $0.text(0) } == ""
  }

  mutating func setPresentUser(
    _ user: User, in environment: String, on database: inout Database
  ) throws(EngagementError) {
    let id = user.id?.rawValue ?? ""
    try database.run(&settingUpdate, .text(Self.presentUser(environment)), .text(id))
    try setIntroduction(isDue: false, in: environment, on: &database)
  }

  private static func presentUser(_ environment: String) -> String { "user \(environment)" }

  /// Whether vendors are to be told again who is present: the cache that knew what they know was damaged.
  mutating func isIntroductionDue(
    in environment: String, on database: inout Database
  ) throws(EngagementError) -> Bool {
    try database.first(&setting, .text(Self.introduction(environment))) { $0.text(0) } != nil
  }

  mutating func setIntroduction(
    isDue: Bool, in environment: String, on database: inout Database
  ) throws(EngagementError) {
    let name = SQLValue.text(Self.introduction(environment))
    if isDue {
      try database.run(&settingUpdate, name, .text("due"))
    } else {
      try database.run(&settingDeletion, name)
    }
  }

  private static func introduction(_ environment: String) -> String {
    "introduction \(environment)"
  }

  // MARK: Content keys

  /// By what the content keys of the user's items were made; nil if there are none.
  mutating func contentKeys(
    of partition: Partition.ID, on database: inout Database
  ) throws(EngagementError) -> String? {
    try database.first(&setting, .text("\(Self.keysPrefix)\(partition)")) { $0.text(0) }
  }

  mutating func setContentKeys(
    _ sources: String?, of partition: Partition.ID, on database: inout Database
  ) throws(EngagementError) {
    let name = SQLValue.text("\(Self.keysPrefix)\(partition)")
    if let sources {
      try database.run(&settingUpdate, name, .text(sources))
    } else {
      try database.run(&settingDeletion, name)
    }
  }

  private static let keysPrefix = "content keys "

  // MARK: Users who left nothing behind

  /// Gives a user without rows a new id, and returns it.
  mutating func renew(
    _ id: Partition.ID, on database: inout Database
  ) throws(EngagementError) -> Partition.ID {
    known[id] = nil
    let new = (try database.first(&lastID) { $0.integer(0) } ?? id) + 1
    try database.run(&idUpdate, .integer(new), .integer(id))
    // SQLite counts only ids that it has given itself.
    try database.run(&lastIDUpdate, .integer(new))
    return new
  }

  mutating func setPurgeRest(
    _ rest: PurgeRest?, of partition: Partition.ID, on database: inout Database
  ) throws(EngagementError) {
    let name = SQLValue.text("\(Self.purgePrefix)\(partition)")
    if let rest {
      try database.run(&settingUpdate, name, .text(rest.rawValue))
    } else {
      try database.run(&settingDeletion, name)
    }
  }

  /// The users of whom something may be left after their purge.
  mutating func unfinishedPurges(
    on database: inout Database
  ) throws(EngagementError) -> [(Partition.ID, PurgeRest)] {
    try database.all(&purges) { ($0.text(0), $0.text(1)) }.compactMap { (name, rest) in
      guard let id = Partition.ID(name.dropFirst(Self.purgePrefix.count)),
        let rest = PurgeRest(rawValue: rest)
      else { return nil }
      return (id, rest)
    }
  }

  private static let purgePrefix = "purge "
}

/// What may be left of a user whom the cache has purged.
package enum PurgeRest: String, Sendable {
  /// Secrets and files, and bytes in the log.
  case besideCache
  /// Bytes in the log alone.
  case log
}
