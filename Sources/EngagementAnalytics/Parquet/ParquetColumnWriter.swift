import EngagementCompression
import EngagementModel

/// The cells of one column in the row group that is being written.
struct ParquetColumnWriter: Sendable {
  private let type: ParquetFormat.PhysicalType
  private let mayUseDictionary: Bool
  /// How many cells have a value.
  private var valueCount = 0
  /// A bit for each row up to the last that lacks a value: whether the row has one.
  private var presence: [UInt8] = []
  private var usesDictionary: Bool
  /// How many row groups do without a dictionary, because the last one did not pay.
  private var plainGroups = 0
  private var dictionary: ParquetDictionary
  /// The numbers of the values, with a dictionary.
  private var indices: [UInt16] = []
  /// The values as they are, without a dictionary.
  private var values: [UInt8] = []
  private var range: ClosedRange<Int64>?

  init(_ column: EventColumn) {
    type = column.cellKind.physicalType
    mayUseDictionary = column.repeatsValues
    usesDictionary = mayUseDictionary
    dictionary = ParquetDictionary(type)
  }

  /// How many bytes wait to be written.
  var size: Int { values.count + dictionary.bytes.count + indices.count * 2 }

  /// How many bytes may wait without more memory.
  var room: Int { values.capacity + dictionary.room }

  // MARK: Cells

  mutating func appendMissing(row: Int) {
    while presence.count <= row >> 3 { presence.append(0xff) }
    presence[row >> 3] &= ~(1 << UInt8(row & 7))
  }

  mutating func append(_ text: RawSpan, isVerified: Bool, row: Int) {
    guard type == .byteArray, text.byteCount <= Self.longestText else {
      return appendMissing(row: row)
    }
    // What the dictionary has is sound.
    if usesDictionary, let number = dictionary.number(of: text) {
      indices.append(number)
      valueCount += 1
    } else if isVerified || TextFacts(text).isSound {
      append(text)
    } else {
      let repaired = text.repaired
      append(repaired.span.bytes)
    }
  }

  mutating func append(_ integer: Int64, row: Int) {
    guard type == .int64 else { return appendMissing(row: row) }
    let (lower, upper) = (range?.lowerBound ?? integer, range?.upperBound ?? integer)
    range = min(lower, integer)...max(upper, integer)
    unsafe withUnsafeBytes(of: integer.littleEndian) { bytes in
      append(unsafe RawSpan(_unsafeBytes: bytes))
    }
  }

  private mutating func append(_ value: RawSpan) {
    valueCount += 1
    if usesDictionary {
      if let number = dictionary.add(value), isWorthwhile {
        indices.append(number)
        return
      }
      dropDictionary()
    }
    if type == .byteArray { values.append(littleEndian: UInt32(value.byteCount)) }
    values.append(value)
  }

  /// A dictionary pays if a value comes twice on average; the first ones say nothing yet.
  private var isWorthwhile: Bool {
    dictionary.count <= Self.trial || dictionary.count * 2 <= valueCount
  }

  private mutating func dropDictionary() {
    dictionary.expand(indices, to: &values)
    dictionary.removeAll()
    indices.removeAll(keepingCapacity: true)
    usesDictionary = false
    plainGroups = Self.pause
  }

  // MARK: Pages

  /// Writes the chunk of the column and returns what the footer says of it.
  func write(
    rows: Int, compressedBy codec: ParquetCodec?, to output: inout ExportBuffer, at offset: Int
  ) -> ParquetChunk {
    var (pages, usedCodec) = (pages(rows: rows), ParquetFormat.Codec.uncompressed)
    // A chunk that is no smaller stays as it is. So does one if the library of the format fails.
    if let codec,
      let compressed = try? pages.map({ try $0.compressed(by: codec.compressor) }),
      compressed.reduce(0, { $0 + $1.storedSize }) < pages.reduce(0, { $0 + $1.storedSize })
    {
      (pages, usedCodec) = (compressed, codec.number)
    }
    var size = ParquetSize()
    var dataOffset = offset
    for page in pages {
      dataOffset = offset + size.stored
      size += page.write(to: &output)
    }
    return ParquetChunk(
      type: type, codec: usedCodec, hasDictionary: pages.count > 1, rows: rows,
      missing: rows - valueCount, size: size, offset: offset, dataOffset: dataOffset, range: range)
  }

  private func pages(rows: Int) -> [ParquetPage] {
    var levels = RunLengthEncoder(width: 1)
    if valueCount == rows || valueCount == 0 {
      levels.appendRun(of: valueCount == 0 ? 0 : 1, count: rows)
    } else {
      let unmentioned = (rows + 7) / 8 - presence.count
      var groups = presence + Array(repeating: 0xff, count: unmentioned)
      if rows % 8 > 0 { groups[groups.count - 1] &= 1 << UInt8(rows % 8) - 1 }
      levels.appendGroups(groups)
    }
    var head: [UInt8] = []
    head.append(littleEndian: UInt32(levels.bytes.count))
    head += levels.bytes
    guard dictionary.count > 0 else {
      return [ParquetPage(.data(.plain), count: rows, parts: [head, values])]
    }
    // Some readers do not take a width of 0.
    let width = max(1, Int.bitWidth - (dictionary.count - 1).leadingZeroBitCount)
    var numbers = RunLengthEncoder(width: width)
    numbers.append(indices)
    head.append(UInt8(width))
    return [
      ParquetPage(.dictionary, count: dictionary.count, parts: [dictionary.bytes]),
      ParquetPage(.data(.dictionary), count: rows, parts: [head, numbers.bytes]),
    ]
  }

  /// Begins the next chunk.
  mutating func reset(keepingRoom: Bool) {
    valueCount = 0
    range = nil
    presence.removeAll(keepingCapacity: true)
    indices.removeAll(keepingCapacity: true)
    values.removeAll(keepingCapacity: keepingRoom)
    dictionary.removeAll(keepingRoom: keepingRoom)
    if plainGroups > 0 { plainGroups -= 1 }
    usesDictionary = mayUseDictionary && plainGroups == 0
  }

  /// Three bytes for one, and a page of a row group is still shorter than its header can say.
  private static let longestText = 512 * 1_024 * 1_024
  private static let trial = 1_024
  private static let pause = 16
}
