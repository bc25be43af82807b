import EngagementAnalytics
import EngagementCompression
import EngagementModel
import TestSupport
import Testing

/// Files of ours, read back.
@Suite struct ParquetDecoderTests {
  private static let codecs: [Compression?] = [nil, .gzip, .zstd]

  private static func expectRoundTrip(_ rows: [[EventCell]], by encoder: ParquetEncoder) throws {
    let read = try ParquetSamples.events(in: ParquetSamples.file(rows, by: encoder))
    try #require(read.count == rows.count)
    for (index, row) in rows.enumerated() {
      let wanted = row.map(ParquetSamples.exported)
      guard read[index] != wanted else { continue }
      Issue.record("event \(index) is \(read[index]), not \(wanted)")
      return
    }
  }

  @Test("X14: every text comes back from Parquet as it was")
  func texts() throws {
    let texts = EventEncoderTests.texts + EventEncoderTests.formulas
    try Self.expectRoundTrip(
      texts.map { ParquetSamples.row(.text($0)) }, by: ParquetEncoder())
  }

  @Test("X14: bytes that are no UTF-8, and zero bytes, become U+FFFD in Parquet")
  func repaired() throws {
    for bytes in [[0x61, 0xff, 0x62], [0x61, 0xc3], [0xed, 0xa0, 0x80], [0x61, 0, 0x62]]
      as [[UInt8]]
    {
      let rows = [ParquetSamples.row(.text(bytes)), ParquetSamples.row(.text(bytes))]
      try Self.expectRoundTrip(rows, by: ParquetEncoder())
    }
  }

  @Test("X14: the least and the greatest numbers and times come back from Parquet")
  func extremes() throws {
    try Self.expectRoundTrip(ParquetSamples.extremes, by: ParquetEncoder())
  }

  @Test("X14: events without any value come back from Parquet", arguments: [1, 7, 8, 9, 70_000])
  func missing(count: Int) throws {
    let row = ParquetSamples.row([:])
    try Self.expectRoundTrip(Array(repeating: row, count: count), by: ParquetEncoder())
  }

  @Test("X14: random events come back from Parquet", arguments: codecs)
  func random(compression: Compression?) throws {
    for size in [1, 1_000, 20_000, 2_000_000] {
      let rows = ParquetSamples.ledger(Effort.share(of: size == 1 ? 50 : 12_000), seed: 7)
      try Self.expectRoundTrip(
        rows, by: ParquetEncoder(compressedBy: compression, groupSize: size))
    }
  }

  @Test("X14: a column with a gap at any place comes back from Parquet", arguments: 1...20)
  func gaps(count: Int) throws {
    for gap in 0..<count {
      let rows = (0..<count).map { index in
        ParquetSamples.row([
          .id: .text("\(index)"), .user: index == gap ? .missing : .text("u"),
          .uptime: index == gap ? .integer(1) : .missing,
        ])
      }
      try Self.expectRoundTrip(rows, by: ParquetEncoder())
    }
  }

  @Test("X14: a reader of events asks for no more than a page at a time")
  func pieces() throws {
    let file = ParquetSamples.file(
      ParquetSamples.ledger(3_000, seed: 3), by: ParquetEncoder(groupSize: 20_000))
    let decoder = try ParquetDecoder(size: file.count) { offset, count in
      #expect(offset >= 0 && count >= 0 && offset + count <= file.count)
      #expect(count <= max(64 * 1_024, file.count / 4))
      return Array(file[offset..<offset + count])
    }
    #expect(decoder.count == 3_000)
    try decoder.forEachEvent { cells throws(EngagementError) in
      #expect(cells.count == EventColumn.allCases.count)
    }
  }
}
