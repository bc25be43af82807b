import EngagementCompression
import EngagementModel

/// What the footer of a file says of the columns that we know.
struct ParquetLayout {
  /// Where the values of a column are within a row group.
  struct Chunk {
    let column: ParquetColumn
    /// Nil if its pages are not compressed.
    let compression: Compression?
    /// Its pages, from the first byte to the one after the last.
    let bytes: Range<Int>
  }

  struct Group {
    let rows: Int
    /// By the number of the column; nil for a column that the file lacks.
    let chunks: [Chunk?]
  }

  private(set) var rows = 0
  private(set) var groups: [Group] = []
  /// What of the columns is passed over.
  let notes: [String]

  /// - Parameters:
  ///   - footer: Without its length.
  ///   - end: Where the footer begins, and what it speaks of ends.
  init(_ footer: [UInt8], end: Int) throws(EngagementError) {
    var (columns, groups, rows): ([ParquetColumn]?, [RawGroup], Int?) = (nil, [], nil)
    var foreign = ForeignNames()
    var reader = ThriftReader(footer)
    try reader.structure { (reader, field) throws(EngagementError) in
      if field.number == 2 {
        let found = try ParquetColumn.columns(in: &reader, field)
        (columns, foreign) = (found.known, found.foreign)
      } else if field.number == 3 {
        rows = try reader.integer(field)
      } else if field.number == 4 {
        try reader.structures(field) { (reader) throws(EngagementError) in
          groups.append(try RawGroup(&reader))
        }
      } else {
        return false
      }
      return true
    }
    guard let columns, let rows else { throw .damagedParquet("the footer lacks the columns") }
    let lacking = EventColumn.allCases.filter { column in !columns.contains { $0.column == column }
    }
    notes = [foreign.note("columns"), EventColumn.note(ofFileWithout: lacking)].compactMap(\.self)
    for group in groups {
      self.groups.append(try group.checked(columns, end: end))
      // A file has more bytes than that for an event, which has an id of its own.
      guard let group = self.groups.last, group.rows <= end * Self.mostRows - self.rows else {
        throw .damagedParquet("it has too few bytes for its events")
      }
      self.rows += group.rows
    }
    guard self.rows == rows else { throw .damagedParquet("the row groups lack some events") }
  }

  /// How many events a byte may stand for.
  private static let mostRows = 1_024
}

/// A row group as the footer has it.
private struct RawGroup {
  var rows = -1
  var chunks: [RawChunk] = []

  init(_ reader: inout ThriftReader) throws(EngagementError) {
    var (rows, chunks): (Int, [RawChunk]) = (-1, [])
    try reader.structure { (reader, field) throws(EngagementError) in
      if field.number == 1 {
        try reader.structures(field) { (reader) throws(EngagementError) in
          chunks.append(try RawChunk(&reader))
        }
      } else if field.number == 3 {
        rows = try reader.integer(field)
      } else {
        return false
      }
      return true
    }
    (self.rows, self.chunks) = (rows, chunks)
  }

  func checked(_ columns: [ParquetColumn], end: Int) throws(EngagementError) -> ParquetLayout.Group
  {
    guard rows >= 0 else { throw .damagedParquet("a row group has no number of events") }
    var known: [ParquetLayout.Chunk?] = EventColumn.allCases.map { _ in nil }
    for column in columns {
      let name = Array(column.column.name.utf8)
      guard let chunk = chunks.first(where: { $0.path == [name] }) else {
        throw .damagedParquet("a row group lacks the column \(column.column.name)")
      }
      known[column.column.rawValue] = try chunk.checked(column, rows: rows, end: end)
    }
    return ParquetLayout.Group(rows: rows, chunks: known)
  }
}

/// A column chunk as the footer has it.
private struct RawChunk {
  var path: [[UInt8]] = []
  private var codec = -1
  private var values = -1
  private var size = -1
  private var dataOffset = -1
  private var dictionaryOffset: Int?

  init(_ reader: inout ThriftReader) throws(EngagementError) {
    var chunk = self
    try reader.structure { (reader, field) throws(EngagementError) in
      guard field.number == 3 else { return false }
      try reader.structure(field) { (reader, field) throws(EngagementError) in
        try chunk.read(field, by: &reader)
      }
      return true
    }
    self = chunk
  }

  private mutating func read(
    _ field: ThriftReader.Field, by reader: inout ThriftReader
  ) throws(EngagementError) -> Bool {
    switch Metadata(rawValue: field.number) {
    case .path: path = try reader.binaries(field)
    case .codec: codec = try reader.integer(field)
    case .values: values = try reader.integer(field)
    case .size: size = try reader.integer(field)
    case .dataOffset: dataOffset = try reader.integer(field)
    case .dictionaryOffset: dictionaryOffset = try reader.integer(field)
    case nil: return false
    }
    return true
  }

  private enum Metadata: Int {
    case path = 3
    case codec = 4
    case values = 5
    case size = 7
    case dataOffset = 9
    case dictionaryOffset = 11
  }

  func checked(
    _ column: ParquetColumn, rows: Int, end: Int
  ) throws(EngagementError) -> ParquetLayout.Chunk {
    let name = column.column.name
    guard values == rows else { throw .damagedParquet("the column \(name) lacks some events") }
    guard let codec = ParquetFormat.Codec(rawValue: codec) else {
      throw .damagedParquet("the column \(name) has an unknown compression")
    }
    let compression = try Self.compression(of: name, codec)
    // Some writers have 0 for no dictionary.
    let start = dictionaryOffset.flatMap { $0 > 0 && $0 < dataOffset ? $0 : nil } ?? dataOffset
    guard start >= ParquetFormat.magic.count, start <= end, size >= 0, size <= end - start else {
      throw .damagedParquet("the column \(name) is not within the file")
    }
    return ParquetLayout.Chunk(
      column: column, compression: compression, bytes: start..<start + size)
  }

  private static func compression(
    of name: String, _ codec: ParquetFormat.Codec
  ) throws(EngagementError) -> Compression? {
    switch codec {
    case .uncompressed: return nil
    case .gzip: return .gzip
    case .zstd: return .zstd
    case .snappy, .lzo, .brotli, .lz4, .lz4Raw:
      throw EngagementError(
        .unreadable,
        """
        The column \(name) of the Parquet file is compressed by \(codec.name). Write the file with \
        ZSTD, with GZIP or without compression.
        """)
    }
  }
}
