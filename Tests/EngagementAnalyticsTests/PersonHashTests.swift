import EngagementAnalytics
import Testing

/// The vectors of RFC 4231.
@Suite struct PersonHashTests {
  @Test(
    "X14: a person's hash is HMAC-SHA-256 of the id",
    arguments: [
      (
        Array(repeating: 0x0b, count: 20) as [UInt8], "Hi There",
        "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
      ),
      (
        Array("Jefe".utf8), "what do ya want for nothing?",
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
      ),
      (
        Array(repeating: 0xaa, count: 131),
        "Test Using Larger Than Block-Size Key - Hash Key First",
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
      ),
    ])
  func vectors(key: [UInt8], text: String, hash: String) {
    #expect(PersonHash(key: key).text(of: text) == hash)
  }
}
