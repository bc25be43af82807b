import EngagementModel

/// What the footer says of a column chunk.
struct ParquetChunk {
  let type: ParquetFormat.PhysicalType
  let codec: ParquetFormat.Codec
  let hasDictionary: Bool
  let rows: Int
  let missing: Int
  let size: ParquetSize
  /// Where the chunk begins in the file.
  let offset: Int
  /// Where its data page begins.
  let dataOffset: Int
  /// The smallest and the largest number.
  let range: ClosedRange<Int64>?

  private var encodings: [ParquetFormat.Encoding] {
    hasDictionary ? [.plain, .runLength, .dictionary] : [.plain, .runLength]
  }

  func write(_ column: EventColumn, to group: inout ThriftWriter) {
    group.element { chunk in
      // Newer editions of the specification want 0 here.
      chunk.int64(0, 2)
      chunk.structure(3) { write(column, metadata: &$0) }
    }
  }

  private func write(_ column: EventColumn, metadata: inout ThriftWriter) {
    metadata.int32(type.rawValue, 1)
    metadata.list(of: .int32, count: encodings.count, 2)
    for encoding in encodings { metadata.element(encoding.rawValue) }
    metadata.list(of: .binary, count: 1, 3)
    metadata.element(column.name.utf8)
    metadata.int32(codec.rawValue, 4)
    metadata.int64(rows, 5)
    metadata.int64(size.uncompressed, 6)
    metadata.int64(size.stored, 7)
    metadata.int64(dataOffset, 9)
    if hasDictionary { metadata.int64(offset, 11) }
    metadata.structure(12) { statistics in
      statistics.int64(missing, 3)
      guard let range else { return }
      statistics.binary(Self.bytes(of: range.upperBound), 5)
      statistics.binary(Self.bytes(of: range.lowerBound), 6)
    }
  }

  private static func bytes(of value: Int64) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(littleEndian: value)
    return bytes
  }
}

/// What a file ends with: the schema, and where each column chunk is.
struct ParquetFooter: Sendable {
  /// The row groups so far, as they will stand there. It is all that grows with the file: about one
  /// kilobyte for a row group.
  private var groups = ThriftWriter()
  private var groupCount = 0
  private var rows = 0

  mutating func append(_ chunks: [ParquetChunk], rows: Int) {
    groups.element { group in
      group.list(of: .structure, count: chunks.count, 1)
      for (column, chunk) in zip(EventColumn.allCases, chunks) { chunk.write(column, to: &group) }
      group.int64(chunks.reduce(0) { $0 + $1.size.uncompressed }, 2)
      group.int64(rows, 3)
    }
    groupCount += 1
    self.rows += rows
  }

  /// Writes the footer, its length and the magic.
  func write(to output: inout ExportBuffer) {
    var footer = ThriftWriter()
    footer.element { file in
      file.int32(2, 1)
      file.list(of: .structure, count: 1 + EventColumn.allCases.count, 2)
      file.element { root in
        root.binary("event".utf8, 4)
        root.int32(EventColumn.allCases.count, 5)
      }
      for column in EventColumn.allCases { file.element { Self.write(column, to: &$0) } }
      file.int64(rows, 3)
      file.list(of: .structure, count: groupCount, 4)
      file.elements(groups)
      file.binary(Self.author.utf8, 6)
      file.list(of: .structure, count: EventColumn.allCases.count, 7)
      // The statistics of each column are in the order of its type.
      for _ in EventColumn.allCases { file.element { $0.structure(1) { _ in } } }
    }
    var length: [UInt8] = []
    length.append(littleEndian: UInt32(truncatingIfNeeded: footer.bytes.count))
    output.append(footer.bytes)
    output.append(length + ParquetFormat.magic)
  }

  /// An element of the schema. It says what the column is twice, as old readers know only the
  /// converted type.
  private static func write(_ column: EventColumn, to element: inout ThriftWriter) {
    element.int32(column.cellKind.physicalType.rawValue, 1)
    element.int32(optional, 3)
    element.binary(column.name.utf8, 4)
    switch column.cellKind {
    case .text:
      element.int32(0, 6)
      element.structure(10) { $0.structure(1) { _ in } }
    case .json:
      element.int32(19, 6)
      element.structure(10) { $0.structure(12) { _ in } }
    case .time:
      element.int32(9, 6)
      element.structure(10) { logical in
        logical.structure(8) { timestamp in
          timestamp.bool(true, 1)
          timestamp.structure(2) { unit in unit.structure(1) { _ in } }
        }
      }
    case .integer:
      element.int32(18, 6)
      element.structure(10) { logical in
        logical.structure(10) { integer in
          integer.int8(64, 1)
          integer.bool(true, 2)
        }
      }
    }
  }

  private static let optional = 1
  private static let author = "EngagementKit"
}
