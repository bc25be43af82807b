import EngagementAnalytics
import EngagementCompression
import EngagementFormats
import EngagementModel
import EngagementPlatform

/// A file of exported events, of any format and compression: the first bytes tell which.
final class EventFile {
  let path: String
  private let descriptor: Int32
  private(set) var size = 0
  /// What was passed over, once the file is read.
  private(set) var notes: [String] = []

  private static let block = 256 * 1_024

  init(_ path: String) throws(EngagementError) {
    self.path = path
    descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
    var status = stat()
    guard descriptor >= 0, fstat(descriptor, &status) == 0 else { throw Self.failure(path, errno) }
    guard UInt32(status.st_mode) & UInt32(S_IFMT) == UInt32(S_IFREG) else {
      throw EngagementError(.unreadable, "\(path) is no file.")
    }
    size = Int(status.st_size)
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  private static func failure(_ path: String, _ number: Int32) -> EngagementError {
    EngagementError(
      .unreadable, "\(path) cannot be read.", underlying: String(cString: strerror(number)))
  }

  /// The bytes from an offset on, fewer at the end of the file.
  func bytes(at offset: Int, count: Int) throws(EngagementError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < count {
      let taken = bytes.withUnsafeMutableBytes {
        pread(
          descriptor, $0.baseAddress.map { $0 + filled }, count - filled, off_t(offset + filled))
      }
      if taken < 0, errno == EINTR { continue }
      guard taken >= 0 else { throw Self.failure(path, errno) }
      guard taken > 0 else { break }
      filled += taken
    }
    if filled < count { bytes.removeLast(count - filled) }
    return bytes
  }

  /// The digest of the whole file.
  func digest() throws -> String {
    var hash = SHA256()
    try eachBlock { hash.update($0) }
    return hash.digest().description
  }

  private func eachBlock(_ body: ([UInt8]) throws -> Void) throws {
    var offset = 0
    while true {
      try Task.checkCancellation()
      let bytes = try bytes(at: offset, count: Self.block)
      guard !bytes.isEmpty else { return }
      try body(bytes)
      offset += bytes.count
    }
  }

  /// Hands over each event, or why it is none, with the number of its line; of its row in a Parquet file.
  ///
  /// - Parameters:
  ///   - format: The vendor's format, if the file is one of a vendor.
  ///   - progress: Is told how many bytes were read, without compression; nothing of a Parquet file.
  func read(
    as format: VendorFormat? = nil, telling progress: ((Int) -> Void)? = nil,
    _ body: (Int, DecodedEvent) throws -> Void
  ) throws {
    let beginning = try bytes(at: 0, count: FileKind.longestBeginning)
    if beginning.starts(with: Self.parquet) {
      guard let format else { return try readParquet(body) }
      throw EngagementError(
        .unreadable, "\(path) is Parquet; \(format.table.name) is read as lines of JSON.")
    }
    try refuse(beginning, format)
    let compression = Compression(ofFileBeginningWith: beginning)
    try requireEnding(compression)
    var decoder: (any EventDecoder)? = format.map {
      VendorEventDecoder($0.table, naming: $0.userName)
    }
    var (isAtStart, isAtBeginning, taken) = (true, true, 0)
    func take(_ part: [UInt8]) throws {
      try Task.checkCancellation()
      taken += part.count
      progress?(taken)
      // Spreadsheets write a mark before UTF-8.
      let mark = isAtStart && part.starts(with: Self.byteOrderMark) ? Self.byteOrderMark.count : 0
      let bytes = mark > 0 ? Array(part.dropFirst(mark)) : part
      isAtStart = isAtStart && part.isEmpty
      guard let first = bytes.first else { return }
      if isAtBeginning { try refuse(bytes, format, in: compression) }
      isAtBeginning = false
      if decoder == nil {
        let isNDJSON = first == UInt8(ascii: "{") || FileEnding(of: path).format == .ndjson
        decoder = isNDJSON ? NDJSONDecoder() : CSVDecoder()
      }
      try decoder?.decode(bytes, body)
    }
    if let compression {
      let decompressor = try Decompressor(compression)
      try eachBlock { try decompressor.decompress($0, take) }
      try decompressor.finish()
    } else {
      try eachBlock(take)
    }
    try decoder?.finish(body)
    notes = decoder?.notes ?? []
  }

  /// Throws for a file that is not what its name says: an empty one is no compressed file, either.
  private func requireEnding(_ compression: Compression?) throws(EngagementError) {
    let ending = FileEnding(of: path)
    if ending.format == .parquet {
      throw EngagementError(.unreadable, "\(path) is no Parquet file.")
    }
    if let named = ending.compression, named != compression {
      throw EngagementError(.unreadable, "\(path) is not compressed with \(named).")
    }
  }

  private static let byteOrderMark: [UInt8] = [0xef, 0xbb, 0xbf]
  private static let parquet = Array("PAR1".utf8)

  /// Throws for a file of a kind that has no events.
  private func refuse(
    _ beginning: [UInt8], _ format: VendorFormat?, in compression: Compression? = nil
  ) throws(EngagementError) {
    guard let kind = FileKind(ofFileBeginningWith: beginning) else { return }
    let place = compression.map { ", compressed with \($0)" } ?? ""
    let step = format.map { "\($0.table.name) is read as lines of JSON." } ?? kind.step
    throw EngagementError(.unreadable, "\(path) is \(kind.title)\(place); \(step)")
  }

  private func readParquet(_ body: (Int, DecodedEvent) throws -> Void) throws {
    let decoder = try ParquetDecoder(size: size) { (offset, count) throws(EngagementError) in
      try self.bytes(at: offset, count: count)
    }
    var row = 0
    try decoder.forEachEvent { cells in
      row += 1
      if row % 4_096 == 0 { try Task.checkCancellation() }
      try body(row, DecodedEvent(cells))
    }
    notes = decoder.notes
  }
}
