import EngagementModel

/// The properties of an action: its number, its user and a checksum over both.
enum Payload {
  static func make(_ number: Int, of user: String) -> JSONObject {
    let padding = padding(number)
    return [
      "n": .integer(Int64(number)), "user": .string(user), "padding": .string(padding),
      "sum": .string(sum(number, user, padding)),
    ]
  }

  /// One byte to a few hundred bytes, with characters of two and four bytes.
  private static func padding(_ number: Int) -> String {
    String(repeating: ["a", "é", "😀", "\\", "\""][number % 5], count: 1 + number * 37 % 100)
  }

  private static func sum(_ number: Int, _ user: String, _ padding: String) -> String {
    checksum(of: Array("\(number)|\(user)|\(padding)".utf8))
  }

  /// The checksum as eight digits.
  static func checksum(of bytes: [UInt8]) -> String {
    let sum = crc32(of: bytes)
    let digits = String(sum, radix: 16)
    return String(repeating: "0", count: 8 - digits.count) + digits
  }

  /// The checksum of zlib and of Ethernet.
  private static func crc32(of bytes: [UInt8]) -> UInt32 {
    var sum = ~UInt32(0)
    for byte in bytes {
      sum ^= UInt32(byte)
      for _ in 0..<8 { sum = sum & 1 == 1 ? (sum >> 1) ^ 0xedb8_8320 : sum >> 1 }
    }
    return ~sum
  }
}
