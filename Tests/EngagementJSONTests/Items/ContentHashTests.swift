import EngagementJSON
import Testing

@Suite("Content hash")
struct ContentHashTests {
  private func content(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ 7) }
  }

  /// Made with a second implementation; they may never change.
  private static let vectors: [(Int, UInt64)] = [
    (0, 0xf08c_3db9_7a4b_660b), (1, 0xb2bf_3bfd_8ab7_94e0), (2, 0x604c_7b24_9874_4e21),
    (7, 0xaac4_ba20_ba14_efad), (8, 0x8e37_d585_5bb6_e713), (9, 0x4b43_5743_6d65_0e63),
    (15, 0x1ac8_14c2_f024_3a09), (16, 0x73d3_0fae_ea1b_bb5e), (17, 0xf437_5012_6062_5527),
    (32, 0x4804_a108_6fb0_35a2), (33, 0x4d38_eaf9_74d7_67df), (48, 0xb572_2d66_1ae2_f92a),
    (63, 0x0771_2e13_8af4_9f29), (64, 0x92f8_08ff_9c34_c210), (65, 0xdfab_3eb7_02be_c537),
    (127, 0xcfde_76b3_8513_2393), (128, 0x4b17_3823_3977_8e8a), (129, 0xfcd3_f351_9acd_9178),
    (640, 0x0927_a990_96bc_150e), (1000, 0x0cb1_e634_d348_4f1e),
  ]

  @Test(
    "the hash of known content never changes",
    arguments: vectors)
  func frozen(count: Int, hash: UInt64) {
    #expect(ContentHash.of(content(count)[...]) == hash)
  }

  @Test("the hash depends on the content and not on its position")
  func place() {
    for count in [0, 1, 5, 8, 12, 16, 20, 40, 64, 70, 200] {
      let content = content(count)
      let hash = ContentHash.of(content[...])
      for shift in 1..<20 {
        let moved = Array(repeating: 0xff, count: shift) + content + [0xff]
        #expect(ContentHash.of(moved[shift..<shift + count]) == hash)
      }
    }
  }

  @Test(
    "flipping any bit changes about half of the bits of the hash",
    arguments: [
      1, 3, 8, 11, 16, 17, 31, 40, 63, 64, 65, 100, 128, 131, 300,
    ])
  func avalanche(count: Int) {
    let content = content(count)
    let hash = ContentHash.of(content[...])
    var changed = 0
    for bit in 0..<count * 8 {
      var flipped = content
      flipped[bit / 8] ^= 1 << UInt8(bit % 8)
      let distance = (ContentHash.of(flipped[...]) ^ hash).nonzeroBitCount
      #expect(distance >= 8)
      changed += distance
    }
    #expect((24...40).contains(changed / (count * 8)))
  }

  @Test("similar contents have different hashes")
  func collisions() {
    var hashes: Set<UInt64> = []
    let count = many(200_000)
    for index in 0..<count {
      hashes.insert(ContentHash.of(Array(#"{"id":"a\#(index)","tt":"Title","v":false}"#.utf8)[...]))
    }
    for length in 0..<2000 {
      hashes.insert(ContentHash.of(Array(repeating: 0, count: length)[...]))
    }
    #expect(hashes.count == count + 2000)
  }
}
