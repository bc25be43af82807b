import EngagementAnalytics
import EngagementCompression
import EngagementModel

/// A format with a compression, and events in it.
struct ExportedFile {
  let format: Format
  let compression: Compression?

  enum Format: CaseIterable {
    case ndjson, csv, parquet
  }

  static let all = Format.allCases.flatMap { format in
    [nil, .gzip, .zstd].map { ExportedFile(format: format, compression: $0) }
  }

  /// Every format, with a compression that the number chooses.
  static func all(compressedBy number: Int) -> [ExportedFile] {
    let compression: Compression? = [nil, .gzip, .zstd][number % 3]
    return Format.allCases.map { ExportedFile(format: $0, compression: compression) }
  }

  // MARK: Writing

  func bytes(of rows: [EventRecord]) -> [UInt8] {
    switch format {
    case .ndjson: compressed(written(rows, by: NDJSONEncoder()))
    case .csv: compressed(written(rows, by: CSVEncoder()))
    case .parquet: written(rows, by: ParquetEncoder(compressedBy: compression))
    }
  }

  private func written(_ rows: [EventRecord], by encoder: some EventEncoder) -> [UInt8] {
    var (encoder, bytes) = (encoder, [UInt8]())
    encoder.begin()
    for (index, row) in rows.enumerated() {
      row.send(to: &encoder)
      guard index.isMultiple(of: 3) else { continue }
      bytes += encoder.bytes
      encoder.takeBytes()
    }
    encoder.finish()
    return bytes + encoder.bytes
  }

  private func compressed(_ bytes: [UInt8]) -> [UInt8] {
    guard let compression else { return bytes }
    do {
      let compressor = try Compressor(compression)
      return try compressor.compress(bytes) + compressor.finish()
    } catch {
      // No bytes make a compressor fail; the fuzzer takes a trap for a finding.
      fatalError("\(error)")
    }
  }

  // MARK: Reading

  /// What is in the bytes, and what was wrong with the events that are none. Nil if the file is none.
  func events(in bytes: [UInt8], cutAt size: Int) -> (rows: [EventRecord], faults: [String])? {
    var (rows, faults): ([EventRecord], [String]) = ([], [])
    func take(_ event: DecodedEvent) {
      switch event {
      case .event(let row): rows.append(row)
      case .fault(let fault): faults.append(fault)
      }
    }
    do {
      switch format {
      case .ndjson: try read(bytes, cutAt: size, by: NDJSONDecoder(), take)
      case .csv: try read(bytes, cutAt: size, by: CSVDecoder(), take)
      case .parquet:
        let decoder = try ParquetDecoder(size: bytes.count) { offset, count in
          Array(bytes.dropFirst(offset).prefix(count))
        }
        try decoder.forEachEvent { take(DecodedEvent($0)) }
      }
    } catch {
      return nil
    }
    return (rows, faults)
  }

  private func read(
    _ bytes: [UInt8], cutAt size: Int, by decoder: some EventDecoder,
    _ take: (DecodedEvent) -> Void
  ) throws {
    var decoder = decoder
    func read(_ plain: [UInt8]) throws {
      for start in stride(from: 0, to: plain.count, by: size) {
        decoder.decode(Array(plain[start..<min(start + size, plain.count)])) { take($1) }
      }
    }
    if let compression {
      let decompressor = try Decompressor(compression)
      for start in stride(from: 0, to: bytes.count, by: size) {
        try decompressor.decompress(Array(bytes[start..<min(start + size, bytes.count)]), read)
      }
      try decompressor.finish()
    } else {
      try read(bytes)
    }
    decoder.finish { take($1) }
  }

  // MARK: The oracle

  /// What a reader gets for an event: a time outside the years 0000 to 9999 is missing, a text is UTF-8
  /// without zero bytes, and a CSV has one sign for an empty text and none.
  func readable(_ row: EventRecord) -> [EventRecord.Cell] {
    EventColumn.allCases.map { column in
      switch row[column] {
      case .time(let time) where !(-62_167_219_200_000...253_402_300_799_999).contains(time):
        return .missing
      case .text(let bytes):
        if bytes.isEmpty, format == .csv { return .missing }
        let text = Array(String(decoding: bytes, as: UTF8.self).utf8)
        let parts = text.split(separator: 0, omittingEmptySubsequences: false)
        return .text(Array(parts.joined(separator: [0xef, 0xbf, 0xbd])))
      case let cell: return cell
      }
    }
  }
}

extension EventRecord {
  var cells: [Cell] { EventColumn.allCases.map { self[$0] } }
}
