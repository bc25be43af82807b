import TestSupport

extension SeededGenerator {
  /// The UTF-8 bytes of a text with one to three of them changed, added or removed.
  mutating func damaged(_ text: String) -> [UInt8] {
    var bytes = Array(text.utf8)
    for _ in 0..<Int.random(in: 1...3, using: &self) {
      let place = Int.random(in: 0...bytes.count, using: &self)
      let byte = likely.randomElement(using: &self) ?? 0
      switch Int.random(in: 0..<3, using: &self) {
      case 0: bytes.insert(byte, at: place)
      case 1 where place < bytes.count: bytes.remove(at: place)
      case 2 where place < bytes.count: bytes[place] = byte
      default: bytes.append(byte)
      }
    }
    return bytes
  }

  private var likely: [UInt8] {
    Array("0123456789+-:.,TtZzPWDHMSabF=/_ \0".utf8) + [0x80, 0xc3, 0xff]
  }
}
