import EngagementFormats
import Testing

@Suite("SHA-256")
struct SHA256Tests {
  @Test(
    "digests match the text vectors of FIPS 180-4",
    arguments: [
      ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
      ),
      (
        "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqr"
          + "lmnopqrsmnopqrstnopqrstu",
        "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
      ),
    ])
  func text(_ text: String, _ digest: String) {
    #expect(SHA256.digest(of: text).description == digest)
  }

  @Test(
    "digests match the NIST byte vectors on both sides of each block boundary",
    arguments: [
      ([0xbd], 1, "68325720aabd7c82f30f554b313d0570c95accbb7dc4b5aae11204c08ffe732b"),
      (
        [0xc9, 0x8c, 0x8e, 0x55], 1,
        "7abc22c0ae5af26ce93dbb94433a0e0b2e119d014f8e7f65bd56c61ccccd9504"
      ),
      ([0], 55, "02779466cdec163811d078815c633f21901413081449002f24aa3e80f0b88ef7"),
      ([0], 56, "d4817aa5497628e7c77e6b606107042bbba3130888c5f47a375e6179be789fbb"),
      ([0], 57, "65a16cb7861335d5ace3c60718b5052e44660726da4cd13bb745381b235a1785"),
      ([0], 64, "f5a5fd42d16a20302798ef6ed309979b43003d2320d9f0e8ea9831a92759fb4b"),
      ([0], 1_000, "541b3e9daa09b20bf85fa273e5cbd3e80185aa4ec298e765db87742b70138a53"),
      ([0x41], 1_000, "c2e686823489ced2017f6059b8b239318b6364f6dcd835d0a519105a1eadd6e4"),
      ([0x55], 1_005, "f4d62ddec0f3dd90ea1380fa16a5ff8dc4c54b21740650f24afc4120903552b0"),
      ([0], 1_000_000, "d29751f2649b32ff572b5e0a9f541ea660a50f94ff0beedfb0b692b924cc8025"),
    ] as [([UInt8], Int, String)])
  func bytes(_ bytes: [UInt8], _ count: Int, _ digest: String) {
    let message = Array(repeatElement(bytes, count: count).joined())
    #expect(SHA256.digest(of: message).description == digest)
  }

  @Test("a million letters in pieces of 1,000 bytes give the published digest")
  func million() {
    var hash = SHA256()
    let piece = [UInt8](repeating: UInt8(ascii: "a"), count: 1_000)
    for _ in 0..<1_000 { hash.update(piece) }
    #expect(
      hash.digest().description
        == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
  }

  @Test(
    "a message in any pieces has the digest of the whole", arguments: [0, 1, 55, 63, 64, 65, 200])
  func pieces(_ length: Int) {
    let message = (0..<length).map { UInt8($0) }
    let whole = SHA256.digest(of: message)
    for first in 0...length {
      for second in [first, (first + length) / 2, length] {
        var hash = SHA256()
        hash.update(Array(message[..<first]))
        hash.update(Array(message[first..<second]))
        hash.update(Array(message[second...]))
        #expect(hash.digest() == whole)
      }
    }
  }

  @Test("a digest can be taken midway, and copies continue independently")
  func copies() {
    var hash = SHA256()
    hash.update(Array("a".utf8))
    var copy = hash
    #expect(hash.digest() == SHA256.digest(of: "a"))
    hash.update(Array("bc".utf8))
    copy.update(Array("bd".utf8))
    #expect(hash.digest() == SHA256.digest(of: "abc"))
    #expect(copy.digest() == SHA256.digest(of: "abd"))
  }

  @Test("the bytes and the prefix of a digest match its text")
  func views() {
    let digest = SHA256.digest(of: "abc")
    #expect(Hex.text(of: digest.bytes) == digest.description)
    #expect(digest.prefix == 0xba78_16bf_8f01_cfea)
  }

  @Test("X11: the leading bits are those of the digest", arguments: ["", "abc", "Zoë", "user-1"])
  func leading(text: String) {
    var hash = SHA256()
    hash.update(text)
    #expect(hash.leadingBits() == SHA256.digest(of: text).leadingBits)
    #expect(hash.leadingBits().high == SHA256.digest(of: text).prefix)
    hash.update(text)
    #expect(hash.leadingBits() == SHA256.digest(of: text + text).leadingBits)
  }
}
