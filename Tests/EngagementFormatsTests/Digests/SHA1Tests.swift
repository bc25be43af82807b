import EngagementFormats
import Testing

@Suite("SHA-1")
struct SHA1Tests {
  @Test(
    "digests match the text vectors of FIPS 180-4",
    arguments: [
      ("", "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
      ("abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
      (
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "84983e441c3bd26ebaae4aa1f95129e5e54670f1"
      ),
      (
        "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqr"
          + "lmnopqrsmnopqrstnopqrstu",
        "a49b2446a02c645bf419f995b67091253a04a259"
      ),
    ])
  func text(_ text: String, _ digest: String) {
    #expect(Hex.text(of: SHA1.digest(of: text)) == digest)
  }

  @Test(
    "digests match the short byte vectors of NIST",
    arguments: [
      ("36", "c1dfd96eea8cc2b62785275bca38ac261256e278"),
      ("195a", "0a1c2d555bbe431ad6288af5a54f93e0449c9232"),
      ("df4bd2", "bf36ed5d74727dfd5d7854ec6b1d49468d8ee8aa"),
      ("549e959e", "b78bae6d14338ffccfd5d5b5674a275f6ef9c717"),
      ("7e3d7b3eada98866", "24a2c34b976305277ce58c2f42d5092031572520"),
    ])
  func bytes(_ message: String, _ digest: String) throws {
    let bytes = try #require(Hex.bytes(from: message))
    #expect(Hex.text(of: SHA1.digest(of: bytes)) == digest)
  }

  @Test(
    "digests match known values on both sides of a block boundary",
    arguments: [
      (55, "c1c8bbdc22796e28c0e15163d20899b65621d65a"),
      (56, "c2db330f6083854c99d4b5bfb6e8f29f201be699"),
      (63, "03f09f5b158a7a8cdad920bddc29b81c18a551f5"),
      (64, "0098ba824b5c16427bd7a1122a5a442a25ec644d"),
      (65, "11655326c708d70319be2610e8a57d9a5b959d3b"),
      (1_000_000, "34aa973cd4c4daa4f61eeb2bdbad27316534016f"),
    ])
  func blocks(_ count: Int, _ digest: String) {
    let message = [UInt8](repeating: UInt8(ascii: "a"), count: count)
    #expect(Hex.text(of: SHA1.digest(of: message)) == digest)
  }

  @Test("the digest matches the handshake of RFC 6455, section 1.3")
  func handshake() {
    let key = "dGhlIHNhbXBsZSBub25jZQ==" + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
    #expect(Base64.text(of: SHA1.digest(of: key)) == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
  }
}
