import EngagementFormats

/// What is the same for all copies of one content: the first 128 bits of a digest, so that no text of a
/// vendor or an author is kept with it.
package struct ContentKey: Hashable, Sendable {
  private let high: UInt64
  private let low: UInt64

  /// What the digest is made of. Equal texts of two domains give two keys.
  private enum Domain: String {
    case key, print, item
  }

  /// Why an item has no key.
  package enum Absence: String, Error, CaseIterable {
    case missing, noText, empty, tooLong
  }

  /// The longest text that is a key, in bytes.
  package static let maximumLength = 1_000

  /// The key of a text that the application has chosen.
  init(of value: JSON?) throws(Absence) {
    guard let value, value != .null else { throw .missing }
    guard let text = value.string else { throw .noText }
    guard !text.isEmpty else { throw .empty }
    guard text.utf8.count <= Self.maximumLength else { throw .tooLong }
    self.init(.key, [text])
  }

  /// The fingerprint of what a user sees. An absent part is as an empty one.
  init(ofParts parts: [String?]) throws(Absence) {
    guard parts.contains(where: { $0?.isEmpty == false }) else { throw .missing }
    self.init(.print, parts.map { $0 ?? "" })
  }

  /// A key for an item without one, which no other item has.
  package init(of item: ItemID, on surface: Surface) {
    self.init(.item, [item.provider.rawValue, surface.rawValue, item.value])
  }

  private init(_ domain: Domain, _ texts: [String]) {
    var hash = SHA256()
    hash.update(domain.rawValue)
    for text in texts {
      // The length stands before each further text, so that no two lists give one message.
      hash.update(texts.count == 1 ? "\0" : "\0\(text.utf8.count)\0")
      hash.update(text)
    }
    (high, low) = hash.leadingBits()
  }

  /// The key as the cache has it.
  package init?(bytes: [UInt8]) {
    guard bytes.count == 16 else { return nil }
    func number(_ part: ArraySlice<UInt8>) -> UInt64 { part.reduce(0) { $0 << 8 | UInt64($1) } }
    (high, low) = (number(bytes[..<8]), number(bytes[8...]))
  }

  /// The 16 bytes of the key.
  package var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(16)
    for part in 0..<16 {
      let word = part < 8 ? high : low
      bytes.append(UInt8(truncatingIfNeeded: word >> (56 - UInt64(part % 8) * 8)))
    }
    return bytes
  }

  // A part of a digest is as good as all of it, and hashing is most of the time of a look-up.
  package func hash(into hasher: inout Hasher) { hasher.combine(low) }
}
