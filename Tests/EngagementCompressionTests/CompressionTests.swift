import EngagementCompression
import EngagementModel
import Foundation
import TestSupport
import Testing

@Suite struct CompressionTests {
  /// Bytes that compress and bytes that do not.
  private static let samples: [[UInt8]] = {
    var state: UInt64 = 1
    let noise = (0..<300_000).map { _ -> UInt8 in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return UInt8(truncatingIfNeeded: state >> 33)
    }
    let text = Array(String(repeating: "engage.card.impression,braze/42\r\n", count: 40_000).utf8)
    return [[], [7], noise, text, Array(repeating: 0, count: 3_000_000)]
  }()

  private static func compressed(
    _ bytes: [UInt8], _ compression: Compression, piece: Int = .max
  ) throws -> [UInt8] {
    let compressor = try Compressor(compression)
    var output: [UInt8] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      output += try compressor.compress(Array(rest.prefix(piece)))
      rest = rest.dropFirst(piece)
    }
    return try output + compressor.finish()
  }

  private static func decompressed(
    _ bytes: [UInt8], _ compression: Compression, piece: Int = .max
  ) throws -> [UInt8] {
    let decompressor = try Decompressor(compression)
    var output: [UInt8] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      try decompressor.decompress(Array(rest.prefix(piece))) { block in
        #expect(block.count <= Decompressor.blockSize)
        output += block
      }
      rest = rest.dropFirst(piece)
    }
    try decompressor.finish()
    return output
  }

  private static let damage = EngagementError(.unreadable, "The compressed data is damaged.")
  private static let cut = EngagementError(.unreadable, "The compressed data ends too early.")

  @Test(
    "X14: a compressor that begins again gives the bytes of a new one",
    arguments: Compression.allCases)
  func restart(compression: Compression) throws {
    let compressor = try Compressor(compression)
    for sample in Self.samples where !sample.isEmpty {
      try compressor.restart()
      _ = try compressor.compress(Array(sample.prefix(1_000)))
      try compressor.restart()
      let bytes = try compressor.compress(sample) + compressor.finish()
      #expect(bytes == (try Self.compressed(sample, compression)))
    }
  }

  @Test(
    "X14: what was compressed comes back, however the calls cut it", arguments: Compression.allCases
  )
  func roundTrip(compression: Compression) throws {
    for sample in Self.samples {
      for piece in [997, 65_536, Int.max] {
        let bytes = try Self.compressed(sample, compression, piece: piece)
        #expect(bytes == (try Self.compressed(sample, compression)))
        #expect(try Self.decompressed(bytes, compression, piece: piece) == sample)
        #expect(Compression(ofFileBeginningWith: bytes) == compression)
      }
    }
    #expect(Compression(ofFileBeginningWith: Array("{\"specversion\"".utf8)) == nil)
  }

  @Test("X14: zcat and zstd read what was compressed", arguments: Compression.allCases)
  func tools(compression: Compression) throws {
    for sample in Self.samples {
      let name = "engagement-compression-\(UUID())" + compression.suffix
      let file = FileManager.default.temporaryDirectory.appendingPathComponent(name)
      defer { try? FileManager.default.removeItem(at: file) }
      try Data(Self.compressed(sample, compression)).write(to: file)
      let words =
        switch compression {
        case .gzip: ["zcat", file.path]
        case .zstd: ["zstd", "-dcq", file.path]
        }
      let process = try ChildProcess("/usr/bin/env", words, output: .pipe)
      #expect(try Array(process.output?.readToEnd() ?? Data()) == sample)
      #expect(process.wait().status == 0)
    }
  }

  @Test("X14: streams that follow one another are one", arguments: Compression.allCases)
  func streams(compression: Compression) throws {
    let two = try Self.compressed([1, 2], compression) + Self.compressed([3], compression)
    for piece in [1, 5, Int.max] {
      #expect(try Self.decompressed(two, compression, piece: piece) == [1, 2, 3])
    }
  }

  @Test("X14: a cut file is said to end too early, at every place", arguments: Compression.allCases)
  func cut(compression: Compression) throws {
    let whole = try Self.compressed(Array("one two three".utf8), compression)
    for count in 0..<whole.count {
      #expect(throws: Self.cut) {
        try Self.decompressed(Array(whole.prefix(count)), compression)
      }
    }
  }

  @Test("X14: no change of a byte is read as something else", arguments: Compression.allCases)
  func damaged(compression: Compression) throws {
    let sample = Array("one two three one two three".utf8)
    let whole = try Self.compressed(sample, compression)
    for index in whole.indices {
      var bytes = whole
      bytes[index] ^= 0x41
      do {
        // A byte that only describes the file, such as the kind of machine, may be another.
        #expect(try Self.decompressed(bytes, compression) == sample, "byte \(index)")
      } catch let error as EngagementError {
        #expect(error == Self.damage || error == Self.cut)
      }
    }
  }

  @Test("X14: compressing nothing changes no byte of the stream", arguments: Compression.allCases)
  func nothing(compression: Compression) throws {
    for pieces: [[UInt8]] in [[], [[1, 2, 3]]] {
      let plain = try Compressor(compression)
      let other = try Compressor(compression)
      var (first, second): ([UInt8], [UInt8]) = ([], [])
      second += try other.compress([])
      for piece in pieces {
        first += try plain.compress(piece)
        second += try other.compress(piece)
        second += try other.compress([])
      }
      first += try plain.finish()
      second += try other.finish()
      #expect(first == second)
    }
  }
}
