import EngagementJSON
import EngagementModel
import Testing

@testable import EngagementStore

@Suite struct ItemChecksumTests {
  private static let owners: [(Partition, ProviderID, Surface)] = [
    (Partition(id: 1, environment: "a", user: "u"), "p", .cards),
    (Partition(id: 1, environment: "b", user: "u"), "p", .cards),
    (Partition(id: 1, environment: "a", user: "v"), "p", .cards),
    (Partition(id: 1, environment: "a", user: ""), "p", .cards),
    (Partition(id: 1, environment: "a", user: .anonymous), "p", .cards),
    (Partition(id: 1, environment: "a", user: "u"), "q", .cards),
    (Partition(id: 1, environment: "a", user: "u"), "p", .inbox),
    (Partition(id: 1, environment: "a", user: "u\",\"p"), "", .cards),
    (Partition(id: 1, environment: "a", user: "caf\u{e9}"), "p", .cards),
    (Partition(id: 1, environment: "a", user: "cafe\u{301}"), "p", .cards),
  ]

  private let body = Array(#"{"id":"x"}"#.utf8)

  @Test("a checksum verifies for one owner and one name only")
  func owners() {
    let hash = ContentHash.of(body[...])
    var seals: Set<Int64> = []
    for (partition, provider, surface) in Self.owners {
      let owner = ItemChecksum(partition, provider, surface)
      for name in ["x", "y", "", "xx"] {
        let seal = owner.checksum(hash, of: Array(name.utf8))
        #expect(owner.verified(body, of: Array(name.utf8), by: seal) == hash)
        #expect(owner.verified(body, of: Array("z".utf8), by: seal) == nil)
        seals.insert(seal)
      }
    }
    #expect(seals.count == Self.owners.count * 4)
  }

  @Test("a checksum does not depend on the partition's row id")
  func number() {
    let partition = Partition(id: 7, environment: "a", user: "u")
    let same = Partition(id: 8, environment: "a", user: "u")
    let hash = ContentHash.of(body[...])
    #expect(
      ItemChecksum(partition, "p", .cards).checksum(hash, of: [1])
        == ItemChecksum(same, "p", .cards).checksum(hash, of: [1]))
  }

  @Test("a known item keeps the checksum that existing databases store")
  func frozen() {
    let owner = ItemChecksum(
      Partition(id: 1, environment: "production", user: "u-1"), "braze", .cards)
    let seal = owner.checksum(ContentHash.of(body[...]), of: Array("x".utf8))
    #expect(seal == Self.known)
  }

  private static let known: Int64 = 2_775_847_570_446_489_471

  @Test("G9: a body with any flipped bit fails its checksum")
  func flips() {
    let owner = ItemChecksum(Partition(id: 1, environment: "a", user: "u"), "p", .cards)
    let body = Array(repeating: self.body, count: 20).flatMap(\.self)
    let seal = owner.checksum(ContentHash.of(body[...]), of: [1, 2, 3])
    for bit in 0..<body.count * 8 {
      var flipped = body
      flipped[bit / 8] ^= 1 << (bit % 8)
      #expect(owner.verified(flipped, of: [1, 2, 3], by: seal) == nil)
    }
  }
}
