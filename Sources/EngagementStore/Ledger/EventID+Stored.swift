import EngagementFormats
import EngagementModel
import EngagementPlatform

extension EventID {
  /// The bytes that stand for the id: the 16 of a UUID in lower case, the text of any other.
  ///
  /// A text of 16 bytes gets one more that no text has, so that each id has its own bytes.
  var stored: [UInt8] {
    let upper = UInt8(ascii: "A")...UInt8(ascii: "F")
    if let uuid = UUID(text: rawValue), !rawValue.utf8.contains(where: upper.contains) {
      return StoredBits.bytes(uuid.bits)
    }
    let bytes = Array(rawValue.utf8)
    return bytes.count == 16 ? bytes + [0xff] : bytes
  }

  init(stored bytes: [UInt8]) {
    if let bits = StoredBits.bits(bytes) {
      self.init(UUID(bits: bits).text)
    } else {
      self.init(String(decoding: bytes.last == 0xff ? bytes.dropLast() : bytes[...], as: UTF8.self))
    }
  }
}
