import EngagementAdapterAPI
import EngagementModel

/// What the pages of a damaged cache have of pending rows, users and counts. Each record is known by the
/// kinds of its columns.
struct SalvagedRows {
  /// The users by their ids.
  private(set) var users: [Partition.ID: User] = [:]
  /// The present user of each environment.
  private(set) var presentUsers: [String: EngagementModel.User] = [:]
  /// The highest number of each table.
  private(set) var sequences: [String: Int64] = [:]
  private(set) var counts: [TransactionSummary.Counter: Int64] = [:]
  /// Without it, a person of earlier exports would be another one in later ones.
  private(set) var exportSalt: String?
  /// The rows whose checksum is right.
  private(set) var rows: [StoredRow] = []
  private(set) var values: SalvagedValues
  /// Whether the file has a table of ours.
  private(set) var hasSchema = false
  /// Whether the file has a table or an index that no release up to this one makes.
  private var hasNewerSchema = false
  /// Whether every page was readable.
  private(set) var isWhole = false

  struct User {
    let partition: Partition
    let consent: Consent
    let created: Int64
  }

  /// - Parameter values: The beginnings of the names of the kit's values that are saved.
  init(_ images: PageImages, values prefixes: [String] = []) {
    values = SalvagedValues(prefixes)
    var candidates: [StoredRow] = []
    isWhole = PageRecords(images).readAll { record in
      if record.row == nil {
        noteIndex(record)
      } else if let row = StoredRow(record) {
        candidates.append(row)
      } else {
        noteTable(record)
      }
    }
    let sound = candidates.filter { row in
      users[row.partition].map { row.isSound(for: $0.partition) } ?? false
    }
    if sound.count < candidates.count { isWhole = false }
    // A page that was cut off and used again may leave a row twice.
    var known: Set<[UInt8]> = []
    rows = sound.filter { known.insert($0.key + $0.provider.rawValue.utf8).inserted }
    for row in sound { sequences["outbox"] = max(sequences["outbox"] ?? 0, row.id) }
    for id in users.keys { sequences["partition"] = max(sequences["partition"] ?? 0, id) }
  }

  /// Whether a refused file is a damaged cache of ours.
  ///
  /// Another program's file has no record of ours, or is a sound database with other tables. A newer
  /// version's file has other tables, or a version that a release can have.
  static func areOurs(_ images: PageImages, refusedWith error: EngagementError) -> Bool {
    guard let first = images.page(1) else { return images.isCut }
    let found = SalvagedRows(images)
    guard error.code == .newerSchema else {
      return found.hasSchema
        || !first.starts(with: PageImages.signature)
          && !(found.users.isEmpty && found.rows.isEmpty && found.counts.isEmpty)
    }
    return found.hasSchema && isImplausible(first, besideNewer: found.hasNewerSchema)
  }

  /// Whether no release can have written the version in the header: one bit of ours is flipped beside
  /// our own tables, it is beyond all counting, or another field beside it is wrong too: one that is
  /// always the same, or the change counter, which SQLite writes twice.
  private static func isImplausible(_ header: [UInt8], besideNewer isNewer: Bool) -> Bool {
    let version = header[60..<64].reduce(0) { $0 << 8 | Int64($1) }
    let isFlipped = (version ^ Schema.migrations.newest).nonzeroBitCount == 1 && !isNewer
    return isFlipped || version > 0xffff
      || header[56..<60] != [0, 0, 0, 1] || header[64..<68].contains { $0 != 0 }
      || header[72..<92].contains { $0 != 0 } || header[48..<52].contains { $0 != 0 }
      || header[24..<28] != header[92..<96]
  }

  private mutating func noteTable(_ record: PageRecord) {
    switch record.fields.count {
    case 2: noteSetting(record)
    case 5: noteUser(record)
    default: break
    }
  }

  private mutating func noteUser(_ record: PageRecord) {
    if let name = record.text(1), let sql = record.text(4), let kind = record.text(0),
      ["table", "index"].contains(kind)
    {
      let isOurs = Schema.makes(sql)
      if isOurs, name == "outbox" { hasSchema = true }
      if !isOurs, !name.hasPrefix("sqlite_") { hasNewerSchema = true }
      return
    }
    guard let id = record.row, record.isNull(0), let environment = record.text(1),
      case .blob(let user) = record.fields[2], let text = record.text(3),
      let consent = Consent(rawValue: text), let created = record.integer(4)
    else { return }
    users[id] = User(
      partition: Partition(id: id, environment: environment, user: .init(stored: user)),
      consent: consent == .denied ? .denied : .unknown, created: created)
  }

  /// The present user of an environment, or the highest number of a table.
  private mutating func noteSetting(_ record: PageRecord) {
    guard let name = record.text(0) else { return }
    if name == ExportTable.saltName { exportSalt = record.text(1) ?? exportSalt }
    if let user = record.text(1), !user.isEmpty, name.hasPrefix("user ") {
      presentUsers[String(name.dropFirst(5))] = .init(UserID(user))
    }
    // More than that, and there would soon be no number left.
    if let highest = record.integer(1), Self.counted.contains(name),
      (0...Int64(UInt32.max)).contains(highest)
    {
      sequences[name] = max(sequences[name] ?? 0, highest)
    }
  }

  /// The tables whose numbers are never given twice.
  private static let counted: Set<String> = [
    "campaign_queue", "campaign_report", "ledger", "outbox", "partition",
  ]

  private mutating func noteIndex(_ record: PageRecord) {
    values.note(record)
    guard record.fields.count == 3, let number = record.integer(2), number >= 0 else { return }
    if case .blob(let user) = record.fields[1], let environment = record.text(0) {
      // The index of users, for one whose own row is damaged.
      if users[number] == nil {
        users[number] = User(
          partition: Partition(id: number, environment: environment, user: .init(stored: user)),
          consent: .unknown, created: 0)
      }
    } else if let provider = record.text(0), let name = record.text(1),
      DeliveryCountTable.names.contains(name)
    {
      counts[TransactionSummary.Counter(provider: ProviderID(provider), name: name)] = number
    }
  }
}

extension StoredRow {
  /// A record with the columns of the outbox, in their order in the file.
  fileprivate init?(_ record: PageRecord) {
    guard record.fields.count == 17, let id = record.row, record.isNull(0),
      case .blob(let key) = record.fields[1], let partition = record.integer(2),
      let provider = record.text(3), let kind = record.text(4), let body = record.bytes(5),
      let analytics = record.integer(9), let accepted = record.integer(11),
      let attempts = record.integer(12), let waited = record.integer(13),
      let seal = record.integer(16)
    else { return nil }
    self.init(
      id: id, key: key, partition: partition, provider: ProviderID(provider), kind: kind,
      body: body, action: record.bytes(6), event: record.bytes(7), surface: record.text(8),
      analytics: analytics, accepted: accepted,
      progress: Progress(
        attempts: attempts, waited: waited, batch: record.integer(14),
        batchKey: record.bytes(15)), seal: UInt64(bitPattern: seal))
  }
}
