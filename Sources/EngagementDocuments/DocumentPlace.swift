import EngagementModel

/// Finds the line of a member in a document that was read before, so that it is sound JSON.
struct DocumentPlace {
  private let bytes: [UInt8]
  private var offset = 0

  /// The line of the member's key, counted from 1; nil if there is no such member.
  static func line(of path: [String], in bytes: [UInt8]) -> Int? {
    var place = DocumentPlace(bytes: bytes)
    for name in path {
      guard place.enter(name) else { return nil }
    }
    return bytes[..<place.offset].count { $0 == UInt8(ascii: "\n") } + 1
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  /// Moves from the start of an object to the key of its member, and from there into the member the
  /// next time.
  private mutating func enter(_ name: String) -> Bool {
    skipToObject()
    guard next == UInt8(ascii: "{") else { return false }
    offset += 1
    while offset < bytes.count {
      skipSpace()
      guard next == UInt8(ascii: "\"") else { return false }
      let start = offset
      let key = string()
      if key == name {
        offset = start
        return true
      }
      skipSpace()
      offset += 1
      skipValue()
      skipSpace()
      guard next == UInt8(ascii: ",") else { return false }
      offset += 1
    }
    return false
  }

  /// Passes the key and the colon that the last call stopped at, if any.
  private mutating func skipToObject() {
    skipSpace()
    guard next == UInt8(ascii: "\"") else { return }
    _ = string()
    skipSpace()
    offset += 1
    skipSpace()
  }

  private var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

  private mutating func skipSpace() {
    while let byte = next, byte <= 0x20 { offset += 1 }
  }

  /// Passes a string and returns its text.
  private mutating func string() -> String? {
    let start = offset
    skipString()
    return try? Document.parse(Array(bytes[start..<offset])).string
  }

  /// Passes a value, to the comma or the bracket behind it.
  private mutating func skipValue() {
    var depth = 0
    while let byte = next {
      let (opens, closes) = ("{[".utf8.contains(byte), "}]".utf8.contains(byte))
      if depth == 0, closes || byte == UInt8(ascii: ",") { return }
      if byte == UInt8(ascii: "\"") {
        skipString()
      } else {
        depth += opens ? 1 : closes ? -1 : 0
        offset += 1
      }
    }
  }

  private mutating func skipString() {
    offset += 1
    while let byte = next, byte != UInt8(ascii: "\"") {
      offset += byte == UInt8(ascii: "\\") ? 2 : 1
    }
    offset = min(offset + 1, bytes.count)
  }
}
