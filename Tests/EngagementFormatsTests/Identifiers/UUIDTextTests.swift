import EngagementFormats
import Foundation
import TestSupport
import Testing

@Suite("UUID text")
struct UUIDTextTests {
  @Test(
    "text in either case is read and printed in lower case",
    arguments: [
      "017F22E2-79B0-7CC3-98C4-DC0C0C07398F", "f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
      "00000000-0000-0000-0000-000000000000", "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF",
      "C232aB00-9414-11Ec-b3C8-9F6bDECED846",
    ])
  func text(_ text: String) throws {
    let uuid = try #require(UUID(text: text))
    #expect(uuid.text == text.lowercased())
    #expect(uuid == UUID(uuidString: text))
    #expect(UUID(text: Array(text.utf8).span.bytes) == uuid)
  }

  @Test(
    "text that is not a UUID gives nil",
    arguments: [
      "", "017f22e2", "017f22e279b07cc398c4dc0c0c07398f", "017f22e2-79b0-7cc3-98c4-dc0c0c07398",
      "017f22e2-79b0-7cc3-98c4-dc0c0c07398f0", "017f22e2-79b0-7cc3-98c4-dc0c0c07398g",
      "017f22e27-9b0-7cc3-98c4-dc0c0c07398f", "017f22e2-79b0-7cc3-98c4_dc0c0c07398f",
      "{017f22e2-79b0-7cc3-98c4-dc0c0c07398f}", "urn:uuid:017f22e2-79b0-7cc3-98c4-dc0c0c07398f",
      "017f22e2-79b0-7cc3-98c4-dc0c0c0739 f", "017f22e2-79b0-7cc3-98c4-dc0c0c0739\0f",
      "------------------------------------", "017f22e2-79b0-7cc3-98c4-dc0c0c0739é",
    ])
  func noText(_ text: String) {
    #expect(UUID(text: text) == nil)
  }

  @Test("random UUIDs read and print as in Foundation")
  func foundation() {
    var random = SeededGenerator(seed: 10)
    let wrong = (0..<1_000).map { _ in UUID(bits: (random.next(), random.next())) }
      .filter { $0.text != $0.uuidString.lowercased() || UUID(text: $0.uuidString) != $0 }
    #expect(wrong.isEmpty)
  }

  @Test("the bits of a UUID keep their order")
  func bits() {
    let uuid = UUID(bits: (0x017f_22e2_79b0_7cc3, 0x98c4_dc0c_0c07_398f))
    #expect(uuid.text == "017f22e2-79b0-7cc3-98c4-dc0c0c07398f")
    #expect(uuid.bits == (0x017f_22e2_79b0_7cc3, 0x98c4_dc0c_0c07_398f))
  }

  @Test("a buffer receives all characters or none", arguments: [0, 35, 36, 40])
  func buffer(_ capacity: Int) {
    let uuid = UUID(bits: (0x017f_22e2_79b0_7cc3, 0x98c4_dc0c_0c07_398f))
    let written = [UInt8](capacity: capacity) { output in
      #expect(uuid.write(to: &output) == (capacity >= 36))
    }
    #expect(String(decoding: written, as: UTF8.self) == (capacity >= 36 ? uuid.text : ""))
  }

  @Test("damaged text never traps, and accepted text prints its own digits")
  func damage() {
    var random = SeededGenerator(seed: 11)
    var wrong: [String] = []
    for _ in 0..<3_000 {
      let bytes = random.damaged("017f22e2-79b0-7cc3-98c4-dc0c0c07398f")
      guard let uuid = UUID(text: bytes.span.bytes) else { continue }
      let text = String(decoding: bytes, as: UTF8.self)
      if uuid.text != text.lowercased() { wrong.append(text) }
    }
    #expect(wrong.isEmpty)
  }
}
