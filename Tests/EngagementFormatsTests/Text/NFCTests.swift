import EngagementFormats
import Foundation
import Testing

@Suite("Normalization form C")
struct NFCTests {
  @Test(
    "X11: texts in NFC are the vectors of Python",
    arguments: [
      ("", ""), ("user-1", "757365722d31"), ("e\u{301}", "c3a9"), ("A\u{30a}", "c385"),
      ("\u{212b}", "c385"), ("\u{2126}", "cea9"),
      ("\u{1112}\u{1161}\u{11ab}\u{1100}\u{116e}\u{11a8}", "ed959ceab5ad"),
      ("a\u{323}\u{302}", "e1baad"), ("a\u{302}\u{323}", "e1baad"), ("\u{958}", "e0a495e0a4bc"),
      ("q\u{307}\u{323}", "71cca3cc87"), ("\u{1d15e}", "f09d8597f09d85a5"),
      ("\u{344}", "cc88cc81"), ("\u{fb01}", "efac81"), ("\u{1e9b}\u{323}", "e1ba9bcca3"),
    ])
  func vectors(text: String, bytes: String) {
    #expect(Hex.text(of: NFC.bytes(of: text)) == bytes)
  }

  /// The digests of NFC over all of Unicode 14, each scalar with the text behind it, as `unicodedata`
  /// of Python 3.11 gives them.
  @Test(
    "X11: texts in NFC are the vectors of Python, for every scalar of Unicode 14 and pairs of them",
    arguments: [
      ("", "13e56d036f8a496e6953c57952af667cc26070963a50661356cb356ff0dec826"),
      ("\u{301}", "6434e9c614e749aad72d7f13c2fafc90fe57a5cbce125395984c30c972a11a2f"),
      ("\u{323}", "ad1fbde63d9de7f1c35dfa995551b1de7bd485401c6fd3adc02b6cc6768e4c38"),
      ("\u{345}", "8cc3c6ced1d58c9413b275a415e340665928e2485361f4cd0ca4b98609eef244"),
      ("\u{1161}", "371aeec9a9d55006c577dbfba2c13e82a1bb9a756265e395010801306173d31e"),
      ("\u{11a8}", "7d4f345f0ed766470cd60a07a447f5d104119bb70e61db1e8132d8c06bd6dc6f"),
      ("\u{338}", "7138e16afcb3c1a2f6700f9b471a27d8c4fb7db9d0620897461c01fe699fe91a"),
      ("\u{3099}", "166784126ded2e68e064e11e481b1e105af9449ee942ee66175ad07ca76a23af"),
      ("a", "f9385237b336805589d7d6feee88bdc9bd2f50b4673eb09ff92d92d29147a35a"),
    ])
  func scalars(following: String, digest: String) {
    var hash = SHA256()
    for scalar in Self.assigned {
      hash.update(NFC.bytes(of: String(scalar) + following) + [0])
    }
    #expect(hash.digest().description == digest)
  }

  @Test("X11: texts in NFC are those of Foundation, for every assigned scalar and pairs of them")
  func foundation() {
    var differing: [String] = []
    for scalar in Self.assigned {
      let pairs = ["\(scalar)\u{301}", "\(scalar)\u{323}"]
      // Foundation on Linux takes U+10041 in front of a mark for U+0041. Python's vectors have the pairs
      // of all planes.
      let isInFirstPlane = scalar.value <= 0xffff
      for text in [String(scalar)] + (isInFirstPlane ? pairs : []) {
        let other = text.precomposedStringWithCanonicalMapping
        if NFC.bytes(of: text) != Array(other.utf8) { differing.append(text) }
      }
    }
    #expect(differing.map { Hex.text(of: Array($0.utf8)) } == [])
  }

  /// The scalars of Unicode 14.
  private static let assigned: [Unicode.Scalar] = (0..<0x110000 as Range<UInt32>)
    .compactMap { Unicode.Scalar($0) }
    .filter { scalar in
      guard scalar.properties.generalCategory != .unassigned, let age = scalar.properties.age
      else { return false }
      return age.major <= 14
    }
}
