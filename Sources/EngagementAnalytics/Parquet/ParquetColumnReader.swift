import EngagementCompression
import EngagementModel

/// The cells of one column of a row group, one after another. One page is in memory at a time.
struct ParquetColumnReader {
  private let chunk: ParquetLayout.Chunk
  private let read: ParquetDecoder.Read
  /// Where the next page begins.
  private var position: Int
  private var dictionary: [ParquetDecoder.Cell] = []
  private var hasDictionary = false

  private var page: [UInt8] = []
  private var rowsLeft = 0
  /// Which rows of the page have a value; nil if all have.
  private var levels: RunLengthDecoder?
  /// The values as numbers of the dictionary; nil if the page has the values themselves.
  private var indices: RunLengthDecoder?
  /// Where the next value stands in the page.
  private var valueOffset = 0

  init(_ chunk: ParquetLayout.Chunk, read: @escaping ParquetDecoder.Read) {
    self.chunk = chunk
    self.read = read
    position = chunk.bytes.lowerBound
  }

  mutating func next() throws(EngagementError) -> ParquetDecoder.Cell {
    while rowsLeft == 0 { try readPage() }
    rowsLeft -= 1
    if try levels?.next(in: page) == 0 { return .missing }
    guard let index = try indices?.next(in: page) else {
      return try Self.value(in: page, at: &valueOffset, chunk.column)
    }
    guard index < dictionary.count else { throw damage("the dictionary lacks a value") }
    return dictionary[Int(index)]
  }

  // MARK: Pages

  private mutating func readPage() throws(EngagementError) {
    let (left, end) = (chunk.bytes.upperBound - position, chunk.bytes.upperBound)
    guard left > 0 else { throw damage("it has too few pages") }
    var reader = ThriftReader(try read(position, min(left, Self.longestHeader)))
    let header = try ParquetPageHeader(&reader)
    position += reader.position
    guard header.size >= 0, header.size <= Self.longestPage, header.storedSize >= 0,
      header.storedSize <= end - position
    else { throw damage("a page is too large") }
    let stored = position
    position += header.storedSize
    switch header.content {
    case .index: return
    case .dictionary(let count):
      try readDictionary(try bytes(header, at: stored), count: count)
    case .data(let count, let encoding):
      page = try bytes(header, at: stored)
      try beginPage(count: count, encoding: encoding)
    }
  }

  private func bytes(
    _ header: ParquetPageHeader, at offset: Int
  ) throws(EngagementError) -> [UInt8] {
    let stored = try read(offset, header.storedSize)
    if let checksum = header.checksum, checksum != CRC32.checksum(of: stored) {
      throw damage("a page has another CRC-32 than it says")
    }
    var bytes = stored
    if let compression = chunk.compression {
      bytes = try Self.decompressed(stored, compression, limit: header.size)
    }
    guard bytes.count == header.size else { throw damage("a page has another size than it says") }
    return bytes
  }

  private static func decompressed(
    _ stored: [UInt8], _ compression: Compression, limit: Int
  ) throws(EngagementError) -> [UInt8] {
    let tooLarge = EngagementError.damagedParquet("a page is larger than it says")
    var output: [UInt8] = []
    do {
      let decompressor = try Decompressor(compression)
      try decompressor.decompress(stored) { block in
        guard block.count <= limit - output.count else { throw tooLarge }
        output += block
      }
      try decompressor.finish()
    } catch let error as EngagementError {
      throw error
    } catch {
      throw .damagedParquet("a page cannot be decompressed")
    }
    return output
  }

  private mutating func readDictionary(
    _ bytes: [UInt8], count: Int
  ) throws(EngagementError) {
    guard !hasDictionary else { throw damage("it has two dictionaries") }
    guard bytes.count <= Self.longestDictionary else { throw damage("the dictionary is too large") }
    hasDictionary = true
    var offset = 0
    // Each value takes bytes, so that a count without them ends in an error.
    for _ in 0..<max(count, 0) {
      dictionary.append(try Self.value(in: bytes, at: &offset, chunk.column))
    }
  }

  private mutating func beginPage(count: Int, encoding: Int) throws(EngagementError) {
    guard count >= 0 else { throw damage("a page has no number of events") }
    rowsLeft = count
    valueOffset = 0
    (levels, indices) = (nil, nil)
    if chunk.column.isOptional {
      guard page.count >= 4 else { throw damage("a page is too short") }
      let length = Int(page.littleEndian(UInt32.self, at: 0))
      guard length <= page.count - 4 else { throw damage("a page is too short") }
      levels = RunLengthDecoder(width: 1, from: 4, to: 4 + length)
      valueOffset = 4 + length
    }
    switch ParquetFormat.Encoding(rawValue: encoding) {
    case .plain: return
    case .dictionary, .plainDictionary: break
    case .runLength, nil:
      throw EngagementError(
        .unreadable,
        """
        The column \(chunk.column.column.name) of the Parquet file has an encoding that we do not \
        read. Write the file with plain values and dictionaries.
        """)
    }
    // A page without values may lack the width.
    guard valueOffset < page.count else {
      indices = RunLengthDecoder(width: 0, from: page.count, to: page.count)
      return
    }
    guard page[valueOffset] <= 32 else { throw damage("a number is too wide") }
    indices = RunLengthDecoder(
      width: Int(page[valueOffset]), from: valueOffset + 1, to: page.count)
  }

  private static func value(
    in bytes: [UInt8], at offset: inout Int, _ column: ParquetColumn
  ) throws(EngagementError) -> ParquetDecoder.Cell {
    switch column.column.cellKind.physicalType {
    case .int64:
      guard bytes.count - offset >= 8 else { throw tooShort(column) }
      defer { offset += 8 }
      return column.cell(bytes.littleEndian(Int64.self, at: offset))
    case .byteArray:
      guard bytes.count - offset >= 4 else { throw tooShort(column) }
      let length = Int(bytes.littleEndian(UInt32.self, at: offset))
      guard length <= bytes.count - offset - 4 else { throw tooShort(column) }
      let text = bytes[offset + 4..<offset + 4 + length]
      offset += 4 + length
      guard let cell = column.cell(text) else {
        throw .damagedParquet("the column \(column.column.name) has a text that is no UTF-8")
      }
      return cell
    }
  }

  private static func tooShort(_ column: ParquetColumn) -> EngagementError {
    .damagedParquet("the column \(column.column.name) ends too early")
  }

  private func damage(_ reason: String) -> EngagementError {
    .damagedParquet("in the column \(chunk.column.column.name), \(reason)")
  }

  /// Statistics stand in it, which other programs keep short.
  private static let longestHeader = 64 * 1_024
  /// What DuckDB writes at most, and more.
  private static let longestPage = 128 * 1_024 * 1_024
  /// Other programs end a dictionary at one megabyte. Its values take more room in memory.
  private static let longestDictionary = 16 * 1_024 * 1_024
}
