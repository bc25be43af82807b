import EngagementHTTP
import EngagementModel
import Foundation
import TestSupport
import Testing

@Suite("Retry-After")
struct RetryAfterTests {
  /// Sun, 06 Nov 1994 08:49:37 GMT.
  private static let now = Date(timeIntervalSince1970: 784_111_777)

  @Test(
    "seconds are clamped to between one second and six hours",
    arguments: [
      ("0", 1), ("1", 1), ("2", 2), ("120", 120), ("21600", 21_600), ("21601", 21_600), ("007", 7),
      (" 5\t", 5), ("9223372036854775807", 21_600), ("9223372036854775808", 21_600),
      (String(repeating: "9", count: 400), 21_600), (String(repeating: "0", count: 400), 1),
    ])
  func seconds(_ value: String, _ seconds: Int) {
    #expect(RetryAfter.delay(value, now: Self.now) == .seconds(seconds))
  }

  @Test(
    "all three HTTP date forms are read",
    arguments: [
      ("Sun, 06 Nov 1994 08:50:37 GMT", 60), ("Sunday, 06-Nov-94 08:50:37 GMT", 60),
      ("Sun Nov  6 08:50:37 1994", 60), ("Sun, 06 Nov 1994 08:49:37 GMT", 1),
      ("Sun, 06 Nov 1994 08:49:36 GMT", 1), ("Sat, 06 Nov 1993 08:49:37 GMT", 1),
      ("Sun, 06 Nov 1994 10:49:37 GMT", 7_200), ("Mon, 07 Nov 1994 08:49:37 GMT", 21_600),
      ("Fri, 31 Dec 9999 23:59:59 GMT", 21_600), ("Mon, 01 Jan 0001 00:00:00 GMT", 1),
      ("Thu, 29 Feb 1996 00:00:00 GMT", 21_600), ("Sun Nov 16 08:49:37 1994", 21_600),
      // A server's idea of the weekday does not make its date another.
      ("Mon, 06 Nov 1994 08:50:37 GMT", 60), ("Sun, 06 Nov 1994 08:49:60 GMT", 23),
      // Two digits that would be more than 50 years ahead have passed: 1945, but 2044.
      ("Monday, 06-Nov-45 08:49:37 GMT", 1), ("Monday, 06-Nov-44 08:49:37 GMT", 21_600),
    ])
  func dates(_ value: String, _ seconds: Int) {
    #expect(RetryAfter.delay(value, now: Self.now) == .seconds(seconds))
  }

  @Test("a two-digit year is read correctly near the turn of a century")
  func century() {
    let eve = Date(timeIntervalSince1970: 946_684_799)
    #expect(RetryAfter.delay("Saturday, 01-Jan-00 00:01:00 GMT", now: eve) == .seconds(61))
  }

  @Test("a fraction of a second is rounded up")
  func roundingUp() {
    let now = Self.now + 0.25
    #expect(RetryAfter.delay("Sun, 06 Nov 1994 08:49:47 GMT", now: now) == .seconds(10))
  }

  @Test(
    "any other value gives no delay",
    arguments: [
      "", " ", "-1", "+1", "1.5", "1,5", "0x10", "1e3", "1s", "1 2", "١٢", "soon", "null", "-0",
      "1\r\n", "1\0", "Sun, 06 Nov 1994 08:50:37", "Sun, 06 Nov 1994 08:50:37 UTC",
      "Sun, 06 Nov 1994 08:50:37 +0000", "sun, 06 nov 1994 08:50:37 gmt",
      "Sun, 6 Nov 1994 08:50:37 GMT",
      "Sun,  06 Nov 1994 08:50:37 GMT", "Sun 06 Nov 1994 08:50:37 GMT",
      "Xyz, 06 Nov 1994 08:50:37 GMT",
      "Sun, 31 Nov 1994 08:50:37 GMT", "Sun, 29 Feb 1995 08:50:37 GMT",
      "Sun, 00 Nov 1994 08:50:37 GMT",
      "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:37 GMT",
      "Sun, 06 Nov 1994 08:50:61 GMT",
      "Sun, 06 Nov 1994 8:50:37 GMT", "Sun, 06 Nov 94 08:50:37 GMT",
      "Sun, 06 Nov 19994 08:50:37 GMT",
      "Sun, 06-Nov-94 08:50:37 GMT", "Sunday, 06-Nov-1994 08:50:37 GMT",
      "Sunday, 06 Nov 94 08:50:37 GMT",
      "Sun Nov 6 08:50:37 1994", "Sun Nov 06  08:50:37 1994", "Sun Nov  16 08:50:37 1994",
      "Sun Nov  6 08:50:37 1994 GMT", "1994-11-06T08:50:37Z", "Sun, 06 Nov 1994 08:50:37 GMT GMT",
    ])
  func garbage(_ value: String) { #expect(RetryAfter.delay(value, now: Self.now) == nil) }

  // The arguments are numbers since Foundation traps when it prints some of these dates.
  @Test(
    "any clock value, even infinity or NaN, gives no delay or one in range",
    arguments: [0, 1e11, -1e11, 1e300, -1e300, .infinity, -.infinity, .nan] as [Double])
  func clocks(_ seconds: Double) {
    let now = Date(timeIntervalSince1970: seconds)
    #expect(RetryAfter.delay("5", now: now) == .seconds(5))
    for value in ["Sun, 06 Nov 1994 08:50:37 GMT", "Sunday, 06-Nov-94 08:50:37 GMT"] {
      let delay = RetryAfter.delay(value, now: now)
      #expect(delay.map(RetryAfter.range.contains) != false)
    }
  }

  @Test("random and corrupted values give no delay or one in range", arguments: UInt64(1)...8)
  func never(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let valid = [
      "Sun, 06 Nov 1994 08:50:37 GMT", "Sunday, 06-Nov-94 08:50:37 GMT", "Sun Nov  6 08:50:37 1994",
      "120",
    ]
    for _ in 0..<2_000 {
      var bytes = Array(random.pick(valid).utf8)
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        bytes[Int.random(in: bytes.indices, using: &random)] =
          random.chance(50)
          ? UInt8.random(in: 0x20...0x7e, using: &random)
          : UInt8.random(in: .min ... .max, using: &random)
      }
      if random.chance(20) { bytes = random.bytes(Int.random(in: 0...40, using: &random)) }
      let delay = RetryAfter.delay(String(decoding: bytes, as: UTF8.self), now: Self.now)
      #expect(delay.map(RetryAfter.range.contains) != false)
    }
  }

  @Test("a response uses its first readable value")
  func responses() throws {
    var response = HTTPResponse(429)
    #expect(response.retryAfter(now: Self.now) == nil)
    try response.headers.append("retry-after", "soon")
    try response.headers.append("Retry-After", "30")
    try response.headers.append("Retry-After", "60")
    #expect(response.retryAfter(now: Self.now) == .seconds(30))
  }
}
