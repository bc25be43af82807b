import EngagementCompression
import EngagementModel

/// The numbers that the specification of Apache Parquet gives to what we write and read.
enum ParquetFormat {
  /// What a file begins and ends with.
  static let magic = Array("PAR1".utf8)

  enum PhysicalType: Int {
    case int64 = 2
    case byteArray = 6
  }

  enum Encoding: Int {
    case plain = 0
    /// Indices into a dictionary, as old files name them.
    case plainDictionary = 2
    /// Run lengths and packed bits, for levels.
    case runLength = 3
    /// Indices into a dictionary.
    case dictionary = 8
  }

  enum Codec: Int {
    case uncompressed = 0
    case snappy = 1
    case gzip = 2
    case lzo = 3
    case brotli = 4
    case lz4 = 5
    case zstd = 6
    case lz4Raw = 7

    init(_ compression: Compression) {
      switch compression {
      case .gzip: self = .gzip
      case .zstd: self = .zstd
      }
    }

    /// How the specification spells it.
    var name: String {
      switch self {
      case .uncompressed: "UNCOMPRESSED"
      case .snappy: "SNAPPY"
      case .gzip: "GZIP"
      case .lzo: "LZO"
      case .brotli: "BROTLI"
      case .lz4: "LZ4"
      case .zstd: "ZSTD"
      case .lz4Raw: "LZ4_RAW"
      }
    }
  }

  enum PageKind: Int {
    case data = 0
    case index = 1
    case dictionary = 2
    case dataV2 = 3
  }
}

extension EventColumn {
  /// What the cells of a column are.
  enum CellKind {
    case text
    case json
    case integer
    case time

    var physicalType: ParquetFormat.PhysicalType {
      switch self {
      case .text, .json: .byteArray
      case .integer, .time: .int64
      }
    }
  }

  var cellKind: CellKind {
    switch self {
    case .time, .recordedTime: .time
    case .sequence, .uptime, .zoneOffset: .integer
    case .data: .json
    case .id, .source, .type, .subject, .user, .session, .provider, .surface, .container, .name:
      .text
    }
  }

  /// Whether two events often have the same value.
  var repeatsValues: Bool {
    switch self {
    case .id, .time, .sequence, .recordedTime, .uptime: false
    case .source, .type, .subject, .zoneOffset, .user, .session, .provider, .surface, .container,
      .name, .data:
      true
    }
  }
}
