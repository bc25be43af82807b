import EngagementFormats
import Foundation
import TestSupport
import Testing

@Suite("Sequences of version 7 UUIDs")
struct UUIDv7SequenceTests {
  private func milliseconds(of uuid: UUID) -> UInt64 { uuid.bits.high >> 16 }
  private func count(of uuid: UUID) -> UInt64 { uuid.bits.high & 0xfff }

  @Test("the first id of a millisecond starts at a random count with a clear top bit")
  func newMillisecond() throws {
    var sequence = UUIDv7Sequence()
    let date = try #require(Epoch.date(milliseconds: 1_645_557_742_000))
    let uuid = sequence.next(at: date, random: (.max, 0x18c4_dc0c_0c07_398f))
    #expect(uuid.text == "017f22e2-79b0-77ff-98c4-dc0c0c07398f")
  }

  @Test("ids within a millisecond count up and keep the caller's last 62 bits")
  func oneMillisecond() throws {
    var sequence = UUIDv7Sequence()
    let date = try #require(Epoch.date(milliseconds: 1_645_557_742_000))
    let texts = [UInt64.max, 0, 7].map { sequence.next(at: date, random: (5, $0)).text }
    #expect(
      texts == [
        "017f22e2-79b0-7005-bfff-ffffffffffff", "017f22e2-79b0-7006-8000-000000000000",
        "017f22e2-79b0-7007-8000-000000000007",
      ])
  }

  @Test("a full count moves one millisecond ahead until the clock catches up")
  func fullCount() throws {
    var sequence = UUIDv7Sequence()
    let now = try #require(Epoch.date(milliseconds: 1_000))
    let ids = (0..<2_050).map { _ in sequence.next(at: now, random: (0x7ff, 0)) }
    #expect(ids.map(milliseconds(of:)) == Array(repeating: 1_000, count: 2_049) + [1_001])
    #expect(ids.suffix(2).map(count(of:)) == [0xfff, 0x7ff])

    let next = try #require(Epoch.date(milliseconds: 1_001))
    #expect(milliseconds(of: sequence.next(at: next, random: (0, 0))) == 1_001)
    let later = try #require(Epoch.date(milliseconds: 1_002))
    #expect(milliseconds(of: sequence.next(at: later, random: (0, 0))) == 1_002)
  }

  @Test("ids keep increasing when the clock goes back")
  func clockGoesBack() throws {
    var sequence = UUIDv7Sequence()
    let ids = try [5_000, 4_999, 0, 5_000, 5_001].map { (now: Int64) in
      sequence.next(at: try #require(Epoch.date(milliseconds: now)), random: (0, 0))
    }
    #expect(ids.map(milliseconds(of:)) == [5_000, 5_000, 5_000, 5_000, 5_001])
    #expect(ids.map(count(of:)) == [0, 1, 2, 3, 0])
  }

  @Test("ids increase as text and as bits under any clock and any random numbers")
  func increasing() {
    var random = SeededGenerator(seed: 12)
    var sequence = UUIDv7Sequence()
    var clock = 1_700_000_000.0
    let ids = (0..<20_000).map { _ in
      clock += Double.random(in: -0.002...0.0022, using: &random)
      return sequence.next(
        at: Date(timeIntervalSince1970: clock), random: (random.next(), random.next()))
    }
    #expect(zip(ids, ids.dropFirst()).allSatisfy { $0.text < $1.text })
    #expect(zip(ids, ids.dropFirst()).allSatisfy { $0.bits < $1.bits })
    #expect(ids.allSatisfy { $0.bits.high >> 12 & 0xf == 7 && $0.bits.low >> 62 == 0b10 })
  }

  @Test("invalid times still give increasing ids")
  func noTimes() {
    var sequence = UUIDv7Sequence()
    let seconds: [Double] = [.nan, -.infinity, -1, 0, 1, .nan, .infinity, 1e300, .nan]
    let ids = seconds.map {
      sequence.next(at: Date(timeIntervalSince1970: $0), random: (.max, .max)).text
    }
    #expect(zip(ids, ids.dropFirst()).allSatisfy { $0 < $1 })
  }
}
