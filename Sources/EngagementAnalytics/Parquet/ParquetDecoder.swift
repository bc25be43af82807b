public import EngagementModel

/// Reads events from a Parquet file: one of `ParquetEncoder`, or one with the same columns that another
/// program has written with plain values or dictionaries, uncompressed or by GZIP or ZSTD.
///
/// A file is not trusted. One that is damaged or has what this type does not read gives an
/// `unreadable` error. At most one page of each column is in memory at a time.
public struct ParquetDecoder {
  /// One value of an event.
  public enum Cell: Sendable {
    case missing
    case text(String)
    case integer(Int64)
    /// Milliseconds since 1970, within the years 0000 to 9999.
    case time(Int64)
    /// What the file has as JSON. It is UTF-8; whether it is JSON, the caller has to verify.
    case json(String)
  }

  /// Returns that many bytes of the file from an offset on. The range is within the file.
  public typealias Read =
    (_ offset: Int, _ count: Int) throws(EngagementError) -> [UInt8]

  private let layout: ParquetLayout
  private let read: Read

  /// How many events the file has.
  public var count: Int { layout.rows }

  /// Sentences on columns that are passed over, or that the file lacks.
  public var notes: [String] { layout.notes }

  /// Reads the footer.
  ///
  /// - Parameter size: How many bytes the file has.
  public init(size: Int, read: @escaping Read) throws(EngagementError) {
    let exactly: Read = { (offset, count) throws(EngagementError) in
      let bytes = try read(offset, count)
      guard bytes.count == count else { throw .damagedParquet("it ends too early") }
      return bytes
    }
    self.read = exactly
    let (magic, tail) = (ParquetFormat.magic, 4 + ParquetFormat.magic.count)
    guard size >= magic.count + tail, try exactly(0, magic.count) == magic else { throw Self.other }
    let ending = try exactly(size - tail, tail)
    guard ending.suffix(magic.count) == magic[...] else { throw Self.other }
    let length = Int(ending.littleEndian(UInt32.self, at: 0))
    guard length <= size - magic.count - tail else {
      throw .damagedParquet("the footer is larger than the file")
    }
    let end = size - tail - length
    layout = try ParquetLayout(try exactly(end, length), end: end)
  }

  /// Hands over each event as a cell for each `EventColumn` in order. A column that the file lacks is
  /// missing in all.
  public func forEachEvent(
    _ body: ([Cell]) throws -> Void
  ) throws {
    for group in layout.groups {
      var readers = group.chunks.map { chunk in
        chunk.map { ParquetColumnReader($0, read: read) }
      }
      var cells: [Cell] = []
      for _ in 0..<group.rows {
        cells.removeAll(keepingCapacity: true)
        for index in readers.indices { cells.append(try readers[index]?.next() ?? .missing) }
        try body(cells)
      }
    }
  }

  private static let other = EngagementError(
    .unreadable, "The file is no Parquet file: it does not begin and end with PAR1.")
}
