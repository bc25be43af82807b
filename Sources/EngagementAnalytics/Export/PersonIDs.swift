import EngagementFormats

/// The ids of people, found in texts and numbers.
package struct PersonIDs: Sendable {
  /// In small letters, by their first bytes, so that a text is looked at once for all of them.
  private var parts: [UInt32: [[UInt8]]] = [:]
  private var texts: Set<[UInt8]> = []
  private var digits: Set<[UInt8]> = []
  private var numbers: Set<Double> = []

  package init(_ ids: [String]) {
    for id in ids where !id.isEmpty {
      let text = Self.comparable(id)
      texts.insert(text)
      if let start = Self.start(of: text, at: 0) { parts[start, default: []].append(text) }
      ContactText.digits(of: id).map { _ = digits.insert($0) }
      Double(id).map { _ = numbers.insert($0) }
    }
  }

  /// In small letters, each composed in one way.
  private static func comparable(_ text: String) -> [UInt8] {
    NFC.bytes(of: text.lowercased())
  }

  /// A shorter id is found only where it is the whole text: others would have it by chance.
  private static let leastPart = 3

  private static func start(of text: [UInt8], at index: Int) -> UInt32? {
    guard index + leastPart <= text.count else { return nil }
    return UInt32(text[index]) << 16 | UInt32(text[index + 1]) << 8 | UInt32(text[index + 2])
  }

  func isIn(_ text: String) -> Bool {
    guard !texts.isEmpty else { return false }
    let bytes = Self.comparable(text)
    let trimmed = bytes.drop { $0 <= 0x20 }.reversed().drop { $0 <= 0x20 }.reversed()
    if texts.contains(Array(trimmed)) { return true }
    if !digits.isEmpty, let number = ContactText.digits(of: text), digits.contains(number) {
      return true
    }
    return bytes.indices.contains { index in
      guard let start = Self.start(of: bytes, at: index), let ids = parts[start] else {
        return false
      }
      return ids.contains { Self.isWhole($0, in: bytes, at: index) }
    }
  }

  func areNumber(_ number: Double, _ text: String) -> Bool {
    numbers.contains(number) || ContactText.digits(of: text).map(digits.contains) == true
  }

  /// Whether the id stands there with neither a letter nor a digit beside it.
  private static func isWhole(_ id: [UInt8], in text: [UInt8], at start: Int) -> Bool {
    let end = start + id.count
    guard end <= text.count, text[start..<end] == id[...] else { return false }
    return !isWord(beside: text[..<start].suffix(longestCharacter), isAfter: false)
      && !isWord(beside: text[end...].prefix(longestCharacter), isAfter: true)
  }

  /// The most bytes of a character.
  private static let longestCharacter = 4

  /// Scripts without small and large letters put no space between words.
  private static func isWord(beside bytes: ArraySlice<UInt8>, isAfter: Bool) -> Bool {
    let text = String(decoding: bytes, as: UTF8.self).unicodeScalars
    guard let scalar = isAfter ? text.first : text.last else { return false }
    return scalar.isASCII
      ? "0"..."9" ~= scalar || "a"..."z" ~= scalar : scalar.properties.isCased
  }
}
