import EngagementAdapterAPI
import EngagementJSON
import EngagementModel
import EngagementPlatform

/// The items of one source in memory, by their rows, so that no item is read or mapped twice.
///
/// The index is read before the first write; reading works without it.
struct SourceItems: Sendable {
  private let checksum: ItemChecksum
  /// Nil if the provider is no longer configured: none of its items is shown.
  private let mapper: ItemMapper?
  private var contents: [Int64: ItemContent] = [:]
  private var index: ItemIndex?
  /// Nil if the items have no content keys. Read with the index.
  private var keys: SourceKeys?

  init(_ checksum: ItemChecksum, mapper: ItemMapper?) {
    self.checksum = checksum
    self.mapper = mapper
    keys = mapper?.keySource.map { _ in SourceKeys() }
  }

  /// The vendor's order; nil if the provider is no longer configured.
  var order: FeedOrder? { mapper?.order }

  /// No item was mapped yet.
  var isEmpty: Bool { contents.isEmpty }

  mutating func reserve(_ count: Int) {
    contents.reserveCapacity(count)
    index?.reserve(count)
  }
}

// MARK: Reading

extension SourceItems {
  /// The item, if it is in memory.
  subscript(_ row: Int64) -> ItemContent? { contents[row] }

  /// The item as its adapter understands it; nil if its bytes differ from their checksum.
  mutating func content(
    of row: Int64, from table: inout ItemTable, on database: inout Database
  ) throws(EngagementError) -> ItemContent? {
    if let content = contents[row] { return content }
    guard let found = try table.item(row, on: &database) else { return nil }
    return load(found)
  }

  /// Reads the rows that are listed in the feed and not in memory.
  mutating func load(
    _ rows: [Int64], in feed: Int64, endingAfter time: Int64, from table: inout ItemTable,
    on database: inout Database
  ) throws(EngagementError) {
    let wanted = Set(rows.filter { contents[$0] == nil })
    // Each statement alone takes locks on the file.
    guard wanted.count > 1 else { return }
    try table.each(in: feed, endingAfter: time, where: wanted.contains, on: &database) { found in
      _ = load(found)
    }
  }

  /// Verifies and maps a row and keeps it in memory; nil if its bytes differ from their checksum.
  private mutating func load(_ found: ItemTable.Found) -> ItemContent? {
    guard let hash = hash(of: found),
      let content = mapper?.content(of: found.body, hash: hash),
      content.name.bytes == found.name
    else { return nil }
    contents[found.row] = content
    return content
  }

  /// The hash of a row's bytes; nil if they differ from their checksum.
  func hash(of found: ItemTable.Found) -> UInt64? {
    checksum.verified(found.body, of: found.name, by: found.seal)
  }

  /// The item in a verified row; nil if the adapter does not understand it any more.
  func content(of found: ItemTable.Found, hash: UInt64) -> ItemContent? {
    contents[found.row] ?? mapper?.content(of: found.body, hash: hash)
  }

  /// How the item stands in a feed.
  mutating func membership(
    of row: Int64, at place: Int64, from table: inout ItemTable, on database: inout Database
  ) throws(EngagementError) -> Membership {
    guard let mapper, let content = try content(of: row, from: &table, on: &database) else {
      return Membership(at: place)
    }
    return Membership(content, at: place, in: mapper.order)
  }
}

// MARK: The index

extension SourceItems {
  var isIndexed: Bool { index != nil }

  /// The item's row, according to the index.
  func row(of name: ItemKey) -> Int64? { index?.row(of: name) }

  /// The item's row; nil if the source has no such item.
  func row(
    of name: ItemKey, in source: Int64?, from table: inout ItemTable, on database: inout Database
  ) throws(EngagementError) -> Int64? {
    if let index { return index.row(of: name) }
    guard let source else { return nil }
    return try table.row(of: name, in: source, on: &database)
  }

  /// Reads the names and the hashes of all items, and their content keys.
  mutating func readIndex(
    of source: Int64, from tables: inout ItemTables, on database: inout Database
  ) throws(EngagementError) {
    let known = contents
    let found = try tables.items.hashes(
      of: source, by: checksum, on: &database, isVerified: { known[$0] != nil })
    var index = ItemIndex(ItemTable.rows(of: source))
    index.reserve(found.count)
    for (item, name, hash) in found { index.note(item, name, hash) }
    self.index = index
    if keys != nil { keys = SourceKeys(try tables.copies.keys(of: source, on: &database)) }
  }
}

// MARK: Writing

extension SourceItems {
  /// What became of an item that a vendor sent.
  enum Outcome {
    case row(Int64)
    /// The adapter does not know this kind of item.
    case unknown
    case bad(reason: String)
  }

  /// What a list of items has written.
  struct Written {
    /// The rows of items that were there before.
    var changed: Set<Int64> = []
    var added: AddedItems
  }

  /// Writes the item if it is new or changed, and notes it.
  mutating func store(
    _ item: RawItem, _ mode: ItemMode, of source: Int64, noting written: inout Written,
    in table: inout ItemTable, on database: inout Database
  ) throws(EngagementError) -> Outcome {
    if item.fault == nil, let row = index?.row(with: item.hash) { return .row(row) }
    var item = item
    if let rules = mode.patchRules, let id = item.id,
      let (row, earlier) = try earlier(ItemKey(id), in: &table, on: &database)
    {
      switch earlier.patched(by: item, rules) {
      case .item(let merged): item = merged
      case .older: return .row(row)
      case .bad(let reason): return .bad(reason: reason)
      }
    }
    guard let mapper else { return .unknown }
    switch mapper.read(item) {
    case .unknown: return .unknown
    case .bad(let reason): return .bad(reason: reason)
    case .content(var content):
      if let retention = mode.retention {
        try retain(retention, in: &item, &content, mapper, from: &table, on: &database)
      }
      return .row(
        try write(item, content, of: source, noting: &written, in: &table, on: &database))
    }
  }

  mutating func delete(
    _ row: Int64, in table: inout ItemTable, on database: inout Database
  ) throws(EngagementError) {
    try table.delete(row, on: &database)
    index?.forget(row)
    contents[row] = nil
    keys?.forget(row)
  }

  private mutating func write(
    _ item: RawItem, _ content: ItemContent, of source: Int64, noting written: inout Written,
    in table: inout ItemTable, on database: inout Database
  ) throws(EngagementError) -> Int64 {
    let name = content.name
    let bytes = name.bytes
    let seal = checksum.checksum(item.hash, of: bytes)
    let row: Int64
    let isNew: Bool
    if let old = index?.row(of: name) {
      (row, isNew) = (old, false)
      guard index?.hash(of: row) != item.hash else { return row }
      try noteKeyFault(of: content, insteadOf: row, from: &table, on: &database)
      try table.update(row, seal, item.bytes, on: &database)
      written.changed.insert(row)
    } else {
      (row, isNew) = (index?.nextRow ?? ItemTable.rows(of: source).lowerBound, true)
      try noteKeyFault(of: content, from: &table, on: &database)
      try table.insert(row, of: source, bytes, seal, item.bytes, on: &database)
      written.added.append(bytes)
    }
    keys?.note(content, at: row, isNew: isNew)
    index?.note(row, name, item.hash)
    contents[row] = content
    return row
  }

  /// The bytes of the item that are in the cache.
  private func earlier(
    _ name: ItemKey, in table: inout ItemTable, on database: inout Database
  ) throws(EngagementError) -> (row: Int64, item: EarlierItem)? {
    guard let row = index?.row(of: name), let found = try table.item(row, on: &database),
      hash(of: found) != nil
    else { return nil }
    return (row, EarlierItem(body: found.body))
  }

  /// Keeps members that stay true once they were true. The vendor's own bytes stay if they take
  /// nothing back.
  private func retain(
    _ retention: Retention, in item: inout RawItem, _ content: inout ItemContent,
    _ mapper: ItemMapper, from table: inout ItemTable, on database: inout Database
  ) throws(EngagementError) {
    guard !retention.onlyEverSet.isEmpty,
      let earlier = try earlier(content.name, in: &table, on: &database),
      let kept = earlier.item.retained(in: item, retention),
      case .content(let keptContent) = mapper.read(kept)
    else { return }
    item = kept
    content = keptContent
  }
}

// MARK: Contents

extension SourceItems {
  var hasKeys: Bool { keys != nil }

  /// Writes which items are copies of other contents than before, and returns what has changed since it
  /// was last asked; nil if nothing has.
  mutating func takeContentNews(
    of source: ItemSourceKey, _ row: Int64, _ overlays: SourceOverlays, at now: Date,
    in table: inout ContentCopyTable, on database: inout Database
  ) throws(EngagementError) -> ContentNews? {
    guard let news = keys?.takeNews(), !news.isEmpty, let keys else { return nil }
    for (item, change) in news.rows.sorted(by: { $0.key < $1.key }) {
      try table.set(
        change.new, of: item, in: row, of: source.partition, at: now, on: &database)
    }
    return ContentNews(news, of: source, row: row, overlays) { keys.count(of: $0) }
  }

  /// Gives every item the key that it has now, as if the vendor had sent it anew.
  mutating func remakeKeys(
    of source: Int64, from table: inout ItemTable, on database: inout Database
  ) throws(EngagementError) {
    for found in try table.all(of: source, on: &database, read: { $0 }) {
      guard let hash = hash(of: found), let content = content(of: found, hash: hash) else {
        continue
      }
      keys?.note(content, at: found.row, isNew: true)
      if let fault = mapper?.keyFault(of: content) { keys?.note(fault) }
    }
  }

  /// Notes a wrong key, unless the item had as wrong a key before.
  private mutating func noteKeyFault(
    of content: ItemContent, insteadOf row: Int64? = nil, from table: inout ItemTable,
    on database: inout Database
  ) throws(EngagementError) {
    guard let fault = mapper?.keyFault(of: content) else { return }
    if let row, let former = try self.content(of: row, from: &table, on: &database),
      mapper?.keyFault(of: former) == fault
    {
      return
    }
    keys?.note(fault)
  }
}

extension ItemMode {
  /// What a complete list keeps of the items that it leaves out; nil for a list that is not
  /// complete.
  var retention: Retention? {
    switch self {
    case .replace(let retention): retention
    case .put, .patch: nil
    }
  }

  /// How members are laid over earlier ones; nil for whole items.
  var patchRules: PatchRules? {
    switch self {
    case .patch(let rules): rules
    case .replace, .put: nil
    }
  }
}
