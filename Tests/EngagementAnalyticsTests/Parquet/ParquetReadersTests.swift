import EngagementAnalytics
import EngagementCompression
import EngagementModel
import Foundation
import TestSupport
import Testing

/// A Python that has pyarrow and DuckDB, if the environment names one.
private let python = ProcessInfo.processInfo.environment["ENGAGEMENT_PYTHON"]

/// Files of ours, read by pyarrow and DuckDB, and files of theirs.
@Suite(.enabled(if: python != nil, "ENGAGEMENT_PYTHON names no python with pyarrow and duckdb"))
struct ParquetReadersTests {
  private static let codecs: [Compression?] = [nil, .gzip, .zstd]

  /// A folder that is removed with what is in it.
  private static func inFolder<Value>(_ body: (URL) throws -> Value) throws -> Value {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder)
  }

  /// What a script beside this file prints.
  private static func run(_ script: String, _ arguments: [String]) throws -> String {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    let (ending, output) = try ChildProcess.run(
      python ?? "", [folder.appending(path: script).path] + arguments)
    #expect(ending.status == 0)
    return output.trimmingCharacters(in: .newlines)
  }

  /// What the two readers say of a file, once every cell has been compared.
  private static func report(_ rows: [[EventCell]], by encoder: ParquetEncoder) throws -> String {
    try inFolder { folder in
      let (file, expected) = (folder.appending(path: "x.parquet"), folder.appending(path: "cells"))
      try Data(ParquetSamples.file(rows, by: encoder)).write(to: file)
      try Data(lines(rows)).write(to: expected)
      let names = EventColumn.allCases.map(\.name).joined(separator: ",")
      return try run("read_parquet.py", [file.path, expected.path, names])
    }
  }

  private static func lines(_ rows: [[EventCell]]) -> [UInt8] {
    var lines: [UInt8] = []
    for row in rows {
      for cell in row {
        switch ParquetSamples.exported(cell) {
        case .missing: lines += "-".utf8
        case .integer(let value), .time(let value): lines += String(value).utf8
        case .text(let bytes), .json(let bytes):
          lines.append(UInt8(ascii: "x"))
          for byte in bytes { lines += [digits[Int(byte >> 4)], digits[Int(byte & 15)]] }
        }
        lines.append(UInt8(ascii: " "))
      }
      lines.append(UInt8(ascii: "\n"))
    }
    return lines
  }

  private static let digits = Array("0123456789abcdef".utf8)

  @Test("X14: pyarrow and DuckDB read every cell of 100,000 events", arguments: codecs)
  func manyEvents(compression: Compression?) throws {
    let report = try Self.report(
      ParquetSamples.ledger(100_000, seed: 14), by: ParquetEncoder(compressedBy: compression))
    let codecs =
      switch compression {
      case nil: "UNCOMPRESSED"
      case .gzip: "GZIP UNCOMPRESSED"
      case .zstd: "UNCOMPRESSED ZSTD"
      }
    #expect(
      report == "100000 rows, 9 groups, EngagementKit, \(codecs), PLAIN RLE RLE_DICTIONARY")
  }

  @Test("X14: pyarrow and DuckDB read hostile texts and extreme numbers", arguments: codecs)
  func hostile(compression: Compression?) throws {
    let broken: [[UInt8]] = [
      [0x61, 0xff, 0x62], [0x61, 0xc3], [0xed, 0xa0, 0x80], [0x61, 0, 0x62],
    ]
    let long = Array(String(repeating: "é", count: 500_000).utf8)
    let texts = (EventEncoderTests.texts + EventEncoderTests.formulas).map { Array($0.utf8) }
    let rows = (texts + broken + [long]).map { ParquetSamples.row(.text($0)) }
    let encoder = ParquetEncoder(compressedBy: compression)
    let report = try Self.report(rows + ParquetSamples.extremes, by: encoder)
    #expect(report.hasPrefix("\(rows.count + 5) rows, "))
  }

  @Test("X14: pyarrow and DuckDB read files of no event, one, and one without values")
  func few() throws {
    for rows in [[], [ParquetSamples.row(.text("one"))], [ParquetSamples.row([:])]] {
      let report = try Self.report(rows, by: ParquetEncoder())
      #expect(report.hasPrefix("\(rows.count) rows, \(rows.count) groups, "))
    }
  }

  @Test("X14: pyarrow and DuckDB read each number of rows in a group", arguments: 1...12)
  func groups(count: Int) throws {
    let rows = ParquetSamples.ledger(count * 3 + 1, seed: UInt64(count))
    let report = try Self.report(rows, by: ParquetEncoder(groupSize: count * 150))
    #expect(report.hasPrefix("\(rows.count) rows, "))
  }

  @Test("X14: files that pyarrow and DuckDB wrote are read or refused with a reason")
  func foreign() throws {
    let texts = EventEncoderTests.texts.map { ParquetSamples.row(.text($0)) }
    let rows = ParquetSamples.ledger(3_000, seed: 9) + texts
    try Self.inFolder { folder in
      let source = folder.appending(path: "source")
      let copies = folder.appending(path: "copies")
      try FileManager.default.createDirectory(at: copies, withIntermediateDirectories: true)
      try Data(ParquetSamples.file(rows)).write(to: source)
      #expect(try Self.run("rewrite_parquet.py", [source.path, copies.path]) == "")
      let names = try FileManager.default.contentsOfDirectory(atPath: copies.path)
      #expect(Set(names) == Set(Self.readable).union(Self.refused.keys))
      for name in Self.readable {
        let file = Array(try Data(contentsOf: copies.appending(path: name)))
        #expect(try ParquetSamples.events(in: file) == rows, "\(name)")
      }
      for (name, reason) in Self.refused {
        let file = Array(try Data(contentsOf: copies.appending(path: name)))
        let error = #expect(throws: EngagementError.self) {
          try ParquetSamples.events(in: file)
        }
        #expect(error?.message.contains(reason) == true, "\(name)")
      }
    }
  }

  private static let readable = [
    "duckdb-gzip", "duckdb-uncompressed", "duckdb-zstd", "pyarrow-groups", "pyarrow-gzip",
    "pyarrow-none", "pyarrow-ns", "pyarrow-plain", "pyarrow-shuffled", "pyarrow-us",
    "pyarrow-zstd",
  ]
  private static let refused = [
    "duckdb-snappy": "is compressed by SNAPPY. Write the file with ZSTD",
    "pyarrow-snappy": "is compressed by SNAPPY. Write the file with ZSTD",
    "pyarrow-delta": "has an encoding that we do not read",
    "pyarrow-twice": "has the column name twice; leave out one of the two",
    "pyarrow-pages2": "has data pages of version 2",
  ]
}
