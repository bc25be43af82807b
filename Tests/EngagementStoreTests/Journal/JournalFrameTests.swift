import Foundation
import TestSupport
import Testing

@testable import EngagementStore

private let texts = ["", "a", "{}", String(repeating: "x", count: 300), "\u{1f600}\0\u{7f}"]

private func frames(_ texts: [String] = texts) throws -> [UInt8] {
  try texts.flatMap { try JournalFrame.bytes(around: Array($0.utf8)) }
}

private func read(_ bytes: [UInt8]) -> (texts: [String], damaged: Int) {
  let found = JournalFrame.bodies(in: bytes)
  return (found.bodies.map { String(decoding: $0, as: UTF8.self) }, found.damaged)
}

@Suite struct JournalFrameTests {
  @Test("framed bodies are read back in order")
  func roundTrip() throws {
    #expect(try read(frames()) == (texts, 0))
    #expect(read([]) == ([], 0))
  }

  @Test("a truncated journal keeps every whole entry before the cut")
  func cuts() throws {
    let bytes = try frames()
    var ends = [0]
    for text in texts { ends.append(ends[ends.count - 1] + 20 + text.utf8.count) }
    for count in 0...bytes.count {
      let whole = ends.lastIndex { $0 <= count } ?? 0
      let found = read(Array(bytes.prefix(count)))
      #expect(found.texts == Array(texts.prefix(whole)), "\(count) bytes")
      #expect(found.damaged == (ends.contains(count) ? 0 : 1), "\(count) bytes")
    }
  }

  @Test("a flipped bit loses only the entry that contains it")
  func flips() throws {
    let bytes = try frames()
    for bit in 0..<(bytes.count * 8) {
      var damaged = bytes
      damaged[bit / 8] ^= 1 << UInt8(bit % 8)
      let found = read(damaged)
      #expect(found.damaged > 0, "bit \(bit)")
      #expect(found.texts.count == texts.count - 1, "bit \(bit)")
      #expect(found.texts.allSatisfy(texts.contains), "bit \(bit)")
    }
  }

  @Test("an entry after any garbage is found", arguments: 0..<300)
  func rubbish(seed: UInt64) throws {
    var numbers = SeededGenerator(seed: seed)
    var bytes: [UInt8] = []
    for _ in 0..<Int(numbers.next() % 400) {
      // Whole and partial markers are likely, to mislead the reader.
      let pick = numbers.next()
      switch pick % 8 {
      case 0: bytes += JournalFrame.marker
      case 1: bytes += JournalFrame.marker.prefix(Int(pick >> 8) % 8)
      default: bytes.append(UInt8(truncatingIfNeeded: pick >> 16))
      }
    }
    let found = read(bytes + [0] + (try frames(["kept"])))
    #expect(found.texts.last == "kept")
    #expect(found.damaged > 0)
  }

  @Test("a body over the limit is refused, and one at the limit is accepted")
  func large() throws {
    let largest = [UInt8](repeating: 0x20, count: JournalFrame.bodyLimit)
    #expect(JournalFrame.bodies(in: try JournalFrame.bytes(around: largest)).bodies.count == 1)
    #expect(throws: (any Error).self) { try JournalFrame.bytes(around: largest + [0x20]) }
  }

  @Test("a megabyte of markers is read in one pass", .timeLimit(.minutes(20)))
  func markers() {
    let bytes = Array(repeatElement(JournalFrame.marker, count: 131_072).joined())
    #expect(JournalFrame.bodies(in: bytes).damaged == 131_072)
  }
}
