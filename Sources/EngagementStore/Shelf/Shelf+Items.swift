import EngagementAdapterAPI
import EngagementJSON
import EngagementModel

extension Shelf {
  /// Where an item's bytes went.
  enum Storing {
    case row(Int64)
    case unknown
    case bad(reason: String)
  }

  /// Writes the item where it is new or changed; its row goes to `changed` when it was there.
  mutating func store(
    _ item: RawItem, _ mode: ItemMode, in source: inout Source, noting changed: inout Set<Int64>,
    on database: inout Database
  ) throws(EngagementError) -> Storing {
    if item.fault == nil, let row = source.index?.row(with: item.hash) { return .row(row) }
    var item = item
    if case .patch(let rules) = mode,
      let base = try base(of: item, in: source, on: &database)
    {
      switch base.patched(by: item, rules) {
      case .item(let merged): item = merged
      case .older: return .row(base.row)
      case .bad(let reason): return .bad(reason: reason)
      }
    }
    guard let mapper = source.mapper else { return .unknown }
    switch mapper.read(item) {
    case .unknown: return .unknown
    case .bad(let reason): return .bad(reason: reason)
    case .content(var content):
      if case .replace(let retention) = mode {
        try retain(retention, in: &item, &content, of: source, mapper, on: &database)
      }
      return .row(try write(item, content, in: &source, noting: &changed, on: &database))
    }
  }

  private mutating func write(
    _ item: RawItem, _ content: Content, in source: inout Source,
    noting changed: inout Set<Int64>, on database: inout Database
  ) throws(EngagementError) -> Int64 {
    let owner = try row(of: &source, on: &database)
    let name = content.name
    let bytes = name.bytes
    let seal = source.seal.seal(item.hash, of: bytes)
    let row: Int64
    if let old = source.index?.row(of: name) {
      row = old
      guard source.index?.hash(of: row) != item.hash else { return row }
      try items.update(row, seal, item.bytes, on: &database)
      changed.insert(row)
    } else {
      row = source.index?.nextRow ?? ItemTable.rows(of: owner).lowerBound
      try items.insert(row, of: owner, bytes, seal, item.bytes, on: &database)
    }
    source.index?.note(row, name, item.hash)
    source.contents[row] = content
    return row
  }

  // MARK: Earlier bytes

  /// The bytes that are kept of an item.
  struct Base {
    let row: Int64
    let body: [UInt8]
  }

  private mutating func base(
    of item: RawItem, in source: Source, on database: inout Database
  ) throws(EngagementError) -> Base? {
    guard let id = item.id else { return nil }
    return try base(of: ItemName(id), in: source, on: &database)
  }

  private mutating func base(
    of name: ItemName, in source: Source, on database: inout Database
  ) throws(EngagementError) -> Base? {
    guard let row = source.index?.row(of: name), let found = try items.item(row, on: &database),
      source.seal.verified(found.body, of: found.name, by: found.seal) != nil
    else { return nil }
    return Base(row: row, body: found.body)
  }

  /// Keeps what is only ever set; bytes that lose nothing stay the vendor's own.
  private mutating func retain(
    _ retention: Retention, in item: inout RawItem, _ content: inout Content, of source: Source,
    _ mapper: ItemMapper, on database: inout Database
  ) throws(EngagementError) {
    guard !retention.onlyEverSet.isEmpty,
      let base = try base(of: content.name, in: source, on: &database),
      let kept = base.retained(in: item, retention),
      case .content(let keptContent) = mapper.read(kept)
    else { return }
    item = kept
    content = keptContent
  }
}

extension Shelf.Base {
  enum Patched {
    case item(RawItem)
    /// The patch speaks of an earlier state than the one that is known.
    case older
    case bad(reason: String)
  }

  func patched(by patch: RawItem, _ rules: PatchRules) -> Patched {
    if let fault = patch.fault { return .bad(reason: fault.description) }
    do throws(JSONFault) {
      guard let bytes = try ItemPatch.merged(body[...], with: patch.bytes, by: rules) else {
        return .older
      }
      return .item(RawItem(index: patch.index, bytes: bytes[...]))
    } catch {
      return .bad(reason: error.description)
    }
  }

  /// The item with what must not be taken back; nil where it takes nothing back.
  func retained(in item: RawItem, _ retention: Retention) -> RawItem? {
    guard let old = try? JSONFields(body[...]), let new = try? JSONFields(item),
      retention.onlyEverSet.contains(where: { name in
        old.flag(JSONKey(name)) == true && new.flag(JSONKey(name)) != true
      }),
      let bytes = try? ItemPatch.retaining(body[...], in: item.bytes, by: retention)
    else { return nil }
    return RawItem(index: item.index, bytes: bytes[...])
  }
}
