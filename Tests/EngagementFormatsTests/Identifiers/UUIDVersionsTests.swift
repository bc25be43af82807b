import EngagementFormats
import Foundation
import Testing

@Suite("UUID versions")
struct UUIDVersionsTests {
  @Test("version 7 matches the vector of RFC 9562, appendix A.6")
  func version7() throws {
    let date = try #require(ISO8601.date(from: "2022-02-22T14:22:22.00-05:00"))
    let uuid = UUID(version7: date, random: (0xcc3, 0x18c4_dc0c_0c07_398f))
    #expect(uuid.text == "017f22e2-79b0-7cc3-98c4-dc0c0c07398f")
  }

  @Test("version 8 matches the time-based vector of RFC 9562, appendix B.1")
  func version8() {
    let uuid = UUID(version8: (0x2489_e9ad_2ee2_0e00, 0x0ec9_32d5_f691_81c0))
    #expect(uuid.text == "2489e9ad-2ee2-8e00-8ec9-32d5f69181c0")
  }

  @Test("version 8 matches the name-based vector of RFC 9562, appendix B.2")
  func version8OfName() throws {
    let space = try #require(Hex.bytes(from: "6ba7b8109dad11d180b400c04fd430c8"))
    let digest = SHA256.digest(of: space + Array("www.example.com".utf8))
    #expect(UUID(version8: digest).text == "5c146b14-3c52-8afd-938a-375d0df1fbf6")
  }

  @Test(
    "version and variant bits are fixed, whatever the other bits are",
    arguments: [
      (0, "00000000-0000-7000-8000-000000000000", "00000000-0000-8000-8000-000000000000"),
      (.max, "00000000-0000-7fff-bfff-ffffffffffff", "ffffffff-ffff-8fff-bfff-ffffffffffff"),
    ] as [(UInt64, String, String)])
  func fixedBits(_ bits: UInt64, _ version7: String, _ version8: String) {
    let epoch = Date(timeIntervalSince1970: 0)
    #expect(UUID(version7: epoch, random: (bits, bits)).text == version7)
    #expect(UUID(version8: (bits, bits)).text == version8)
  }

  @Test(
    "version 7 uses the nearest time that it can hold",
    arguments: [
      (-1, "00000000-0000"), (-.infinity, "00000000-0000"), (.nan, "00000000-0000"),
      (0.001, "00000000-0001"), (253_402_300_799.999, "e677d21f-dbff"),
      (253_402_300_800, "e677d21f-dbff"), (.infinity, "e677d21f-dbff"), (1e300, "e677d21f-dbff"),
    ] as [(Double, String)])
  func clamped(_ seconds: Double, _ prefix: String) {
    let uuid = UUID(version7: Date(timeIntervalSince1970: seconds), random: (0, 0))
    #expect(uuid.text == prefix + "-7000-8000-000000000000")
  }
}
