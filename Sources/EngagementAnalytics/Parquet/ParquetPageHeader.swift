import EngagementModel

/// What stands before a page.
struct ParquetPageHeader {
  enum Content {
    case data(count: Int, encoding: Int)
    case dictionary(count: Int)
    case index
  }

  let content: Content
  let size: Int
  /// The size in the file.
  let storedSize: Int
  /// The CRC-32 of the bytes in the file; nil if the writer gives none.
  let checksum: UInt32?

  init(_ reader: inout ThriftReader) throws(EngagementError) {
    var (kind, size, storedSize, count, encoding) = (-1, -1, -1, -1, -1)
    var checksum: UInt32?
    try reader.structure { (reader, field) throws(EngagementError) in
      switch Part(rawValue: field.number) {
      case .kind: kind = try reader.integer(field)
      case .size: size = try reader.integer(field)
      case .storedSize: storedSize = try reader.integer(field)
      case .checksum: checksum = UInt32(truncatingIfNeeded: try reader.integer(field))
      case .dataPage, .dictionaryPage:
        try reader.structure(field) { (reader, field) throws(EngagementError) in
          if field.number == 1 {
            count = try reader.integer(field)
          } else if field.number == 2 {
            encoding = try reader.integer(field)
          } else {
            return false
          }
          return true
        }
      case nil: return false
      }
      return true
    }
    content =
      switch ParquetFormat.PageKind(rawValue: kind) {
      case .data: .data(count: count, encoding: encoding)
      case .dictionary: .dictionary(count: count)
      case .index: .index
      case .dataV2: throw Self.newer
      case nil: throw .damagedParquet("a page is of no known kind")
      }
    (self.size, self.storedSize, self.checksum) = (size, storedSize, checksum)
  }

  private enum Part: Int {
    case kind = 1
    case size = 2
    case storedSize = 3
    case checksum = 4
    case dataPage = 5
    case dictionaryPage = 7
  }

  private static let newer = EngagementError(
    .unreadable, "The Parquet file has data pages of version 2. Write it with version 1.")
}
