import EngagementAnalytics
import EngagementCompression
import EngagementModel
import TestSupport
import Testing

/// The bytes that are written. What others read in them is for `ParquetReadersTests`.
@Suite struct ParquetEncoderTests {
  private static let codecs: [Compression?] = [nil, .gzip, .zstd]

  /// How often a text occurs in the bytes.
  private static func occurrences(of text: String, in bytes: [UInt8]) -> Int {
    let text = Array(text.utf8)
    return bytes.indices.dropLast(text.count - 1).count { index in
      bytes[index] == text[0] && bytes[index..<index + text.count] == text[...]
    }
  }

  private static func hex(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  @Test("X14: a file of two events is the same bytes in every release")
  func golden() {
    let rows = [
      ParquetSamples.row([
        .id: .text("a"), .source: .text("s"), .type: .text("x"), .time: .time(1),
        .sequence: .integer(1), .data: .json("{}"),
      ]),
      ParquetSamples.row([
        .id: .text("b"), .source: .text("s"), .type: .text("y"), .time: .time(-1),
        .sequence: .integer(2),
      ]),
    ]
    let file = ParquetSamples.file(rows)
    #expect(Self.hex(file) == ParquetGolden.twoEvents)
  }

  @Test("X14: a Parquet file without events has a footer and no row group")
  func empty() throws {
    let file = ParquetSamples.file([])
    #expect(file.prefix(4) == Array("PAR1".utf8)[...])
    #expect(file.suffix(4) == Array("PAR1".utf8)[...])
    let length = file.dropLast(4).suffix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
    #expect(file.count == 4 + length + 8)
    #expect(try ParquetSamples.events(in: file).isEmpty)
  }

  @Test("X14: a Parquet file is the same, however often its bytes are taken", arguments: codecs)
  func taken(compression: Compression?) {
    let rows = ParquetSamples.ledger(1_000, seed: 4)
    let encoder = ParquetEncoder(compressedBy: compression, groupSize: 9_000)
    let file = ParquetSamples.file(rows, by: encoder, takingEvery: .max)
    for count in [1, 7, 64, 500] {
      #expect(ParquetSamples.file(rows, by: encoder, takingEvery: count) == file)
    }
  }

  @Test("X14: a column that repeats its values has each once in a row group")
  func dictionary() throws {
    let rows = (0..<2_000).map { index in
      ParquetSamples.row([.id: .text("\(index)"), .user: .text("person-\(index % 10)-")])
    }
    let file = ParquetSamples.file(rows)
    for user in 0..<10 { #expect(Self.occurrences(of: "person-\(user)-", in: file) == 1) }
    #expect(try ParquetSamples.events(in: file) == rows)
  }

  @Test("X14: a column that does not repeat its values has them as they are", arguments: codecs)
  func plain(compression: Compression?) throws {
    // The dictionary is dropped after its trial, in the middle of a row group.
    let rows = (0..<6_000).map { index in
      ParquetSamples.row([
        .id: .text("\(index)"), .user: .text("person-\(index < 500 ? 0 : index)-"),
        .name: index % 3 == 0 ? .missing : .text("name-\(index)-"),
      ])
    }
    let file = ParquetSamples.file(rows, by: ParquetEncoder(compressedBy: compression))
    #expect(try ParquetSamples.events(in: file) == rows)
    guard compression == nil else { return }
    #expect(Self.occurrences(of: "person-0-", in: file) == 500)
    #expect(Self.occurrences(of: "person-5999-", in: file) == 1)
  }

  @Test("X14: compression makes a Parquet file smaller, and never larger")
  func smaller() {
    let rows = ParquetSamples.ledger(5_000, seed: 11)
    let size = ParquetSamples.file(rows).count
    for compression in Compression.allCases {
      let encoder = ParquetEncoder(compressedBy: compression)
      #expect(ParquetSamples.file(rows, by: encoder).count < size * 3 / 4)
      let one = [ParquetSamples.row([.id: .text("a")])]
      #expect(ParquetSamples.file(one, by: encoder).count <= ParquetSamples.file(one).count)
    }
  }

  @Test("X14: large texts end a row group early, so that few bytes wait in memory")
  func large() throws {
    var encoder = ParquetEncoder()
    encoder.begin()
    var waiting = 0
    for index in 0..<20 {
      let text = Array(repeating: UInt8(index), count: 1_000_000)
      for cell in ParquetSamples.row([.id: .text("a"), .data: .json(text)]) {
        cell.write(to: &encoder)
      }
      waiting += text.count
      encoder.endEvent()
      if encoder.bytes.count > 4 { waiting = 0 }
      #expect(encoder.bytes.count < 4_000_000 && waiting < 3_000_000)
      encoder.takeBytes()
    }
  }

  @Test("X14: a cell of another kind than its column's is missing, and so is one that is not given")
  func otherKind() throws {
    var encoder = ParquetEncoder()
    encoder.begin()
    encoder.integer(1)
    encoder.text("source")
    encoder.json("{}".utf8.span.bytes)
    encoder.missing()
    encoder.text("1970")
    encoder.time(5)
    encoder.endEvent()
    encoder.finish()
    let wanted = ParquetSamples.row([
      .source: .text("source"), .type: .text("{}"), .sequence: .integer(5),
    ])
    #expect(try ParquetSamples.events(in: encoder.bytes) == [wanted])
  }

  @Test("X14: a row group ends after 65,536 events, and the next follows")
  func manyRows() throws {
    let rows = (0..<70_000).map { index in
      ParquetSamples.row([.id: .text(""), .name: .text("\(index % 30_000)")])
    }
    #expect(try ParquetSamples.events(in: ParquetSamples.file(rows)) == rows)
  }
}
