import EngagementJSON

/// The checksum of a row's columns. Each column is added with its length.
struct RowChecksum {
  private var bytes: [UInt8] = []

  init(reservingCapacity capacity: Int) { bytes.reserveCapacity(capacity) }

  /// The checksum of nothing at all.
  static let ofNothing = RowChecksum(reservingCapacity: 0).value

  /// The value that the row stores.
  var value: UInt64 { ContentHash.of(bytes[...]) }

  mutating func add(_ number: Int64) {
    for shift in stride(from: 0, to: 64, by: 8) {
      bytes.append(UInt8(truncatingIfNeeded: number >> shift))
    }
  }

  mutating func add(_ text: String) { add(count: text.utf8.count, text.utf8) }

  /// A column that may be NULL, which is not the same as empty.
  mutating func add(_ column: [UInt8]?) {
    guard let column else { return add(-1) }
    add(count: column.count, column)
  }

  private mutating func add(count: Int, _ content: some Sequence<UInt8>) {
    add(Int64(count))
    bytes.append(contentsOf: content)
  }
}
