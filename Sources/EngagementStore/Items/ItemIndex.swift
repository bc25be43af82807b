/// The names, rows and hashes of a source's items, without their bodies: enough to see which of a
/// list's items are new or changed.
struct ItemIndex: Sendable {
  private var rows: [ItemKey: Int64] = [:]
  private var rowsByHash: [UInt64: Int64] = [:]
  private var known: [Int64: Known] = [:]
  /// The id for the next new item.
  private(set) var nextRow: Int64

  private struct Known {
    let name: ItemKey
    let hash: UInt64?
  }

  /// An empty index for items with those ids.
  init(_ rows: ClosedRange<Int64>) { nextRow = rows.lowerBound + 1 }

  mutating func reserve(_ count: Int) {
    rows.reserveCapacity(count)
    rowsByHash.reserveCapacity(count)
    known.reserveCapacity(count)
  }

  /// The item with exactly that body.
  func row(with hash: UInt64) -> Int64? { rowsByHash[hash] }

  func row(of name: ItemKey) -> Int64? { rows[name] }

  func hash(of row: Int64) -> UInt64? { known[row]?.hash }

  /// Sets the contents of a row. Without a hash its body is damaged, and the next item of that name
  /// replaces it.
  mutating func note(_ row: Int64, _ name: ItemKey, _ hash: UInt64?) {
    if let old = known.updateValue(Known(name: name, hash: hash), forKey: row) {
      forgetHash(old.hash, of: row)
    }
    rows[name] = row
    if let hash { rowsByHash[hash] = row }
    nextRow = max(nextRow, row &+ 1)
  }

  mutating func forget(_ row: Int64) {
    guard let old = known.removeValue(forKey: row) else { return }
    forgetHash(old.hash, of: row)
    if rows[old.name] == row { rows[old.name] = nil }
  }

  private mutating func forgetHash(_ hash: UInt64?, of row: Int64) {
    if let hash, rowsByHash[hash] == row { rowsByHash[hash] = nil }
  }
}
