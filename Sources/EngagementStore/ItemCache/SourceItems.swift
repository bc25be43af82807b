import EngagementAdapterAPI
import EngagementJSON
import EngagementModel

/// The items of one source in memory, by their rows, so that no item is read or mapped twice.
///
/// The index is read before the first write; reading works without it.
struct SourceItems: Sendable {
  private let checksum: ItemChecksum
  /// Nil if the provider is no longer configured: none of its items is shown.
  private let mapper: ItemMapper?
  private var contents: [Int64: ItemContent] = [:]
  private var index: ItemIndex?

  init(_ checksum: ItemChecksum, mapper: ItemMapper?) {
    self.checksum = checksum
    self.mapper = mapper
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

  /// Reads the names and the hashes of all items.
  mutating func readIndex(
    of source: Int64, from table: inout ItemTable, on database: inout Database
  ) throws(EngagementError) {
    let known = contents
    let found = try table.hashes(
      of: source, by: checksum, on: &database, isVerified: { known[$0] != nil })
    var index = ItemIndex(ItemTable.rows(of: source))
    index.reserve(found.count)
    for (item, name, hash) in found { index.note(item, name, hash) }
    self.index = index
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
  }

  private mutating func write(
    _ item: RawItem, _ content: ItemContent, of source: Int64, noting written: inout Written,
    in table: inout ItemTable, on database: inout Database
  ) throws(EngagementError) -> Int64 {
    let name = content.name
    let bytes = name.bytes
    let seal = checksum.checksum(item.hash, of: bytes)
    let row: Int64
    if let old = index?.row(of: name) {
      row = old
      guard index?.hash(of: row) != item.hash else { return row }
      try table.update(row, seal, item.bytes, on: &database)
      written.changed.insert(row)
    } else {
      row = index?.nextRow ?? ItemTable.rows(of: source).lowerBound
      try table.insert(row, of: source, bytes, seal, item.bytes, on: &database)
      written.added.append(bytes)
    }
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
