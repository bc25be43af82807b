import EngagementJSON
import EngagementModel

/// The form of an entry in the journal: a marker, a checksum over the rest, the length, the body.
enum JournalFrame {
  /// Two of its bytes never occur in UTF-8, so no body contains it and the next entry is found
  /// after any damage.
  static let marker: [UInt8] = [0xff, 0xfe, 0x45, 0x6e, 0x67, 0x4b, 0xfe, 0xff]

  /// Limits the cost of a damaged length for the reader.
  static let bodyLimit = 1 << 16

  static func bytes(around body: [UInt8]) throws(EngagementError) -> [UInt8] {
    guard body.count <= bodyLimit else {
      throw EngagementError(.invalidArgument, "The entry is too large for the journal")
    }
    let content = littleEndian(UInt64(body.count), count: 4) + body
    return marker + littleEndian(ContentHash.of(content[...]), count: 8) + content
  }

  /// The sound bodies in their order, and the number of damaged parts. Never fails.
  static func bodies(in bytes: [UInt8]) -> (bodies: [ArraySlice<UInt8>], damaged: Int) {
    var (bodies, damaged): ([ArraySlice<UInt8>], Int) = ([], 0)
    var rest = bytes[...]
    while !rest.isEmpty {
      if let body = body(at: rest) {
        bodies.append(body)
        rest = rest[body.endIndex...]
      } else {
        damaged += 1
        rest = fromNextMarker(rest.dropFirst())
      }
    }
    return (bodies, damaged)
  }

  /// The body of the frame that begins here, if it is sound.
  private static func body(at rest: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    guard rest.starts(with: marker) else { return nil }
    let checksum = rest.dropFirst(marker.count).prefix(8)
    let content = rest.dropFirst(marker.count + 8)
    guard content.count >= 4 else { return nil }
    let count = Int(number(content.prefix(4)))
    guard count <= bodyLimit, content.count >= 4 + count else { return nil }
    let checked = content.prefix(4 + count)
    guard ContentHash.of(checked) == number(checksum) else { return nil }
    return checked.dropFirst(4)
  }

  private static func fromNextMarker(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var rest = bytes
    while let index = rest.firstIndex(of: marker[0]) {
      rest = rest[index...]
      if rest.starts(with: marker) { return rest }
      rest = rest.dropFirst()
    }
    return []
  }

  private static func littleEndian(_ value: UInt64, count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}
