import EngagementAnalytics
import EngagementCompression
import EngagementModel
import TestSupport
import Testing

/// Files that are damaged on purpose. A trap ends the tests.
@Suite struct ParquetDamageTests {
  private static let codecs: [Compression?] = [nil, .gzip, .zstd]

  /// A small file with dictionaries, plain values, gaps and two row groups.
  private static func small(_ compression: Compression?) -> [UInt8] {
    ParquetSamples.file(
      ParquetSamples.ledger(24, seed: 2),
      by: ParquetEncoder(compressedBy: compression, groupSize: 2_400))
  }

  /// Whether the file was read; if not, the error was the one that the type promises.
  private static func isRead(_ file: [UInt8]) -> Bool {
    do {
      _ = try ParquetSamples.events(in: file)
      return true
    } catch let error as EngagementError {
      #expect(error.code == .unreadable)
      #expect(error.message.hasSuffix("."))
    } catch {
      Issue.record("another error: \(error)")
    }
    return false
  }

  @Test("X14: a Parquet file that ends too early is unreadable", arguments: codecs)
  func cut(compression: Compression?) {
    let file = Self.small(compression)
    #expect(Self.isRead(file))
    for count in 0..<file.count { #expect(!Self.isRead(Array(file.prefix(count)))) }
  }

  @Test("X14: a changed byte of a Parquet file gives an error or events", arguments: codecs)
  func changed(compression: Compression?) {
    let file = Self.small(compression)
    var generator = SeededGenerator(seed: 5)
    for index in file.indices {
      var changes: Set<UInt8> = [0, 1, 0x7f, 0x80, 0xff, file[index] ^ 1, file[index] &+ 1]
      changes.insert(UInt8(truncatingIfNeeded: generator.next()))
      for byte in Effort.some(of: changes.sorted()) where byte != file[index] {
        var damaged = file
        damaged[index] = byte
        _ = Self.isRead(damaged)
      }
    }
  }

  @Test("X14: several changed bytes of a Parquet file give an error or events")
  func manyChanged() {
    var generator = SeededGenerator(seed: 6)
    let file = Self.small(nil)
    for _ in 0..<Effort.share(of: 20_000) {
      var damaged = file
      for _ in 0..<1 + generator.below(4) {
        damaged[generator.below(file.count)] = UInt8(truncatingIfNeeded: generator.next())
      }
      if generator.chance(30) {
        damaged.removeSubrange(0..<generator.below(file.count))
        damaged.replaceSubrange(0..<min(4, damaged.count), with: "PAR1".utf8)
      }
      _ = Self.isRead(damaged)
    }
  }

  @Test("X14: bytes that are no Parquet file are unreadable")
  func foreign() {
    var generator = SeededGenerator(seed: 8)
    let magic = Array("PAR1".utf8)
    #expect(!Self.isRead([]))
    #expect(!Self.isRead(magic + magic))
    #expect(!Self.isRead(magic + [0, 0, 0, 0] + magic))
    #expect(!Self.isRead(magic + [0xff, 0xff, 0xff, 0xff] + magic))
    for _ in 0..<2_000 {
      let footer = generator.bytes(generator.below(40))
      let length = [UInt8(footer.count), 0, 0, 0]
      #expect(!Self.isRead(magic + footer + length + magic))
    }
  }

  @Test("X14: a reader that brings too few bytes gives an error")
  func short() throws {
    let file = Self.small(nil)
    var error: EngagementError?
    do {
      _ = try ParquetDecoder(size: file.count) { offset, count in
        Array(file[offset..<offset + count].dropLast())
      }
    } catch let thrown { error = thrown }
    #expect(error?.message == "The Parquet file is damaged: it ends too early.")
  }
}
