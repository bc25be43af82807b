public import EngagementCompression
import EngagementFormats
public import EngagementModel

/// Apache Parquet. A column that lacks a value in an event has null there.
///
/// Events wait in memory until they make a row group of about one megabyte. `bytes` is empty for that
/// long.
public struct ParquetEncoder: EventEncoder {
  private var output = ExportBuffer()
  /// How many bytes have been taken.
  private var taken = 0
  private let compression: Compression?
  private let groupSize: Int
  private var columns = EventColumn.allCases.map { ParquetColumnWriter($0) }
  private var column = 0
  private var rows = 0
  private var footer = ParquetFooter()

  /// Compresses each page on its own, so that a reader can read some columns and skip the others.
  public init(compressedBy compression: Compression? = nil) {
    self.init(compressedBy: compression, groupSize: 1_024 * 1_024)
  }

  package init(compressedBy compression: Compression? = nil, groupSize: Int) {
    self.compression = compression
    self.groupSize = groupSize
  }

  public var bytes: [UInt8] { output.bytes }

  public mutating func takeBytes() {
    taken += output.bytes.count
    if output.bytes.capacity <= mostRoom { output.removeAll() } else { output = ExportBuffer() }
  }

  public mutating func begin() { output.append(ParquetFormat.magic) }

  public mutating func missing() {
    columns[column].appendMissing(row: rows)
    column += 1
  }

  public mutating func text(_ text: RawSpan) {
    columns[column].append(text, isVerified: false, row: rows)
    column += 1
  }

  public mutating func integer(_ value: Int64) {
    columns[column].append(value, row: rows)
    column += 1
  }

  public mutating func time(_ milliseconds: Int64) {
    guard Epoch.range.contains(milliseconds) else { return missing() }
    integer(milliseconds)
  }

  public mutating func json(_ json: RawSpan) {
    columns[column].append(json, isVerified: true, row: rows)
    column += 1
  }

  public mutating func endEvent() {
    while column < columns.count { missing() }
    column = 0
    rows += 1
    if rows == Self.mostRows || size >= groupSize { writeGroup() }
  }

  public mutating func finish() {
    if rows > 0 { writeGroup() }
    footer.write(to: &output)
  }

  private mutating func writeGroup() {
    let codec = compression.flatMap { try? ParquetCodec($0) }
    var chunks: [ParquetChunk] = []
    for column in columns {
      chunks.append(
        column.write(
          rows: rows, compressedBy: codec, to: &output, at: taken + output.bytes.count))
    }
    footer.append(chunks, rows: rows)
    rows = 0
    // Columns that were large one after another would add up.
    let keepsRoom = columns.reduce(0) { $0 + $1.room } <= mostRoom
    for index in columns.indices { columns[index].reset(keepingRoom: keepsRoom) }
  }

  /// How many bytes wait to be written.
  private var size: Int { columns.reduce(0) { $0 + $1.size } }

  /// A column's room is up to twice what it needs.
  private var mostRoom: Int { 3 * groupSize }

  /// An index into a dictionary takes 16 bits.
  private static let mostRows = 65_536
}
