import EngagementCompression
import EngagementModel

/// One page of a column chunk.
struct ParquetPage {
  enum Content {
    case dictionary
    case data(ParquetFormat.Encoding)
  }

  private let content: Content
  /// How many values are in it, with the missing ones.
  private let count: Int
  /// How many bytes it has before it is compressed.
  private let size: Int
  /// The bytes in the file.
  private let parts: [[UInt8]]

  init(_ content: Content, count: Int, parts: [[UInt8]]) {
    self.init(content, count: count, size: parts.reduce(0) { $0 + $1.count }, parts: parts)
  }

  private init(_ content: Content, count: Int, size: Int, parts: [[UInt8]]) {
    self.content = content
    self.count = count
    self.size = size
    self.parts = parts
  }

  /// How many bytes it has in the file, without the header.
  var storedSize: Int { parts.reduce(0) { $0 + $1.count } }

  func compressed(by compressor: Compressor) throws(EngagementError) -> ParquetPage {
    try compressor.restart()
    var pieces: [[UInt8]] = []
    for part in parts { pieces.append(try compressor.compress(part)) }
    pieces.append(try compressor.finish())
    return ParquetPage(content, count: count, size: size, parts: pieces)
  }

  /// Appends the header and the bytes; returns the size before and after compression.
  func write(to output: inout ExportBuffer) -> ParquetSize {
    let header = header()
    output.append(header)
    for part in parts { output.append(part) }
    return ParquetSize(uncompressed: header.count + size, stored: header.count + storedSize)
  }

  private func header() -> [UInt8] {
    var header = ThriftWriter()
    header.element { header in
      switch content {
      case .dictionary:
        header.int32(ParquetFormat.PageKind.dictionary.rawValue, 1)
        header.int32(size, 2)
        header.int32(storedSize, 3)
        header.structure(7) { page in
          page.int32(count, 1)
          page.int32(ParquetFormat.Encoding.plain.rawValue, 2)
        }
      case .data(let encoding):
        header.int32(ParquetFormat.PageKind.data.rawValue, 1)
        header.int32(size, 2)
        header.int32(storedSize, 3)
        header.structure(5) { page in
          page.int32(count, 1)
          page.int32(encoding.rawValue, 2)
          page.int32(ParquetFormat.Encoding.runLength.rawValue, 3)
          page.int32(ParquetFormat.Encoding.runLength.rawValue, 4)
        }
      }
    }
    return header.bytes
  }
}

/// What compresses the pages of a row group. One compressor is faster than one for each page.
struct ParquetCodec {
  let number: ParquetFormat.Codec
  let compressor: Compressor

  init(_ compression: Compression) throws(EngagementError) {
    number = ParquetFormat.Codec(compression)
    compressor = try Compressor(compression)
  }
}

/// How many bytes something has, with the headers of its pages.
struct ParquetSize {
  var uncompressed = 0
  var stored = 0

  static func += (total: inout Self, more: Self) {
    total.uncompressed += more.uncompressed
    total.stored += more.stored
  }
}
