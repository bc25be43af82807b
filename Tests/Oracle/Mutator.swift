import TestSupport

/// Damages documents as networks, vendors and attackers do. The same seed gives the same documents.
public struct Mutator: Sendable {
  var random: SeededGenerator

  public init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  /// A document of the corpus after one to three changes.
  public mutating func next() -> [UInt8] {
    var bytes = random.pick(Corpus.samples).bytes
    let changes = [1, 1, 1, 2, 2, 3]
    for _ in 0..<random.pick(changes) { change(&bytes) }
    return bytes
  }

  /// Changes of values are more frequent than changes of bytes, because most of the latter only
  /// break the grammar.
  private mutating func change(_ bytes: inout [UInt8]) {
    switch random.below(20) {
    case 0, 1: flip(&bytes)
    case 2: bytes.removeSubrange(random.part(of: bytes))
    case 3: insert(&bytes)
    case 4: duplicate(&bytes)
    case 5: bytes.removeLast(random.below(bytes.count))
    case 6: splice(&bytes)
    case 7: nest(&bytes)
    case 8, 9: swapTokens(&bytes)
    case 10, 11, 12: copyKey(&bytes)
    case 13, 14, 15: escape(&bytes)
    default: replaceValue(&bytes)
    }
  }
}

// MARK: Bytes

extension Mutator {
  /// Bytes with a meaning for parsers: structure, escapes, control characters, parts of UTF-8.
  private static let telling: [UInt8] =
    Array(#"{}[]:,"\/ntufbr0123456789+-.eE "#.utf8)
    + [0x00, 0x09, 0x0a, 0x1f, 0x7f, 0x80, 0xbf, 0xc0, 0xc3, 0xe2, 0xed, 0xef, 0xf0, 0xf4, 0xff]

  private mutating func flip(_ bytes: inout [UInt8]) {
    guard !bytes.isEmpty else { return }
    let index = random.below(bytes.count)
    if random.below(2) == 0 {
      bytes[index] ^= 1 << UInt8(random.below(8))
    } else {
      bytes[index] = random.pick(Self.telling)
    }
  }

  private mutating func insert(_ bytes: inout [UInt8]) {
    let new = (0...random.below(4)).map { _ in random.pick(Self.telling) }
    bytes.insert(contentsOf: new, at: random.below(bytes.count + 1))
  }

  private mutating func duplicate(_ bytes: inout [UInt8]) {
    let part = Array(bytes[random.part(of: bytes)])
    bytes.insert(contentsOf: part, at: random.below(bytes.count + 1))
  }

  /// Replaces a part of the document with a part of another document.
  private mutating func splice(_ bytes: inout [UInt8]) {
    let other = random.pick(Corpus.samples).bytes
    bytes.replaceSubrange(random.part(of: bytes), with: other[random.part(of: other)])
  }
}

// MARK: Tokens

extension Mutator {
  private mutating func swapTokens(_ bytes: inout [UInt8]) {
    let tokens = Tokens.find(in: bytes)
    guard tokens.count > 1 else { return }
    let pair = [random.pick(tokens).range, random.pick(tokens).range]
      .sorted { $0.lowerBound < $1.lowerBound }
    guard pair[0] != pair[1] else { return }
    let (first, second) = (Array(bytes[pair[0]]), Array(bytes[pair[1]]))
    bytes.replaceSubrange(pair[1], with: first)
    bytes.replaceSubrange(pair[0], with: second)
  }

  private mutating func replaceValue(_ bytes: inout [UInt8]) {
    let values = Tokens.find(in: bytes).filter { $0.isValue && !$0.isKey }
    guard !values.isEmpty else { return }
    let new = random.below(3) == 0 ? number() : random.pick(Interesting.values)
    bytes.replaceSubrange(random.pick(values).range, with: new)
  }

  /// A number, with or without a fraction and an exponent.
  private mutating func number() -> [UInt8] {
    var text = ["", "-"][random.below(2)] + digits(20)
    if random.below(2) == 0 { text += "." + digits(20) }
    if random.below(2) == 0 { text += "e\(random.below(700) - 350)" }
    return Array(text.utf8)
  }

  private mutating func digits(_ most: Int) -> String {
    let digits = String((0..<1 + random.below(most)).map { _ in random.pick(Array("0123456789")) })
    return random.below(8) == 0 ? digits : "\(1 + random.below(9))" + digits.dropFirst()
  }

  /// Replaces a key with another one. If both are in the same object, it now has a duplicate key.
  private mutating func copyKey(_ bytes: inout [UInt8]) {
    let keys = Tokens.find(in: bytes).filter(\.isKey)
    guard let place = keys.indices.randomElement(using: &random) else { return }
    let distance = random.below(4) == 0 ? random.below(keys.count) : random.below(3)
    let other = keys[max(0, place - 1 - distance)]
    bytes.replaceSubrange(keys[place].range, with: Array(bytes[other.range]))
  }

  /// Replaces a letter with its own escape, which must change nothing, or with an escape on which
  /// parsers differ.
  private mutating func escape(_ bytes: inout [UInt8]) {
    let strings = Tokens.find(in: bytes).filter { $0.isValue && $0.range.count > 2 }
    guard !strings.isEmpty else { return }
    let token = random.pick(strings).range
    let index = token.lowerBound + 1 + random.below(token.count - 2)
    let letter = bytes[index] < 0x80 ? bytes[index] : UInt8(ascii: "x")
    let code = String(letter, radix: 16)
    let same = Array("\\u00\(code.count == 1 ? "0" : "")\(code)".utf8)
    let new = random.below(2) == 0 ? same : random.pick(Interesting.escapes)
    bytes.replaceSubrange(index..<index + 1, with: new)
  }

  /// Nests a value in a number of containers near one of the depth limits.
  private mutating func nest(_ bytes: inout [UInt8]) {
    let values = Tokens.find(in: bytes).filter { $0.isValue && !$0.isKey }
    guard !values.isEmpty else { return }
    let place = random.pick(values).range
    let levels = random.pick([1, 2, 55 + random.below(12), 55 + random.below(12), 2_050])
    let object = random.below(3) == 0
    let opening = Array(
      repeatElement(object ? Array(#"{"k":"#.utf8) : [0x5b], count: levels).joined())
    let closing = Array(repeating: object ? UInt8(ascii: "}") : UInt8(ascii: "]"), count: levels)
    bytes.insert(contentsOf: closing, at: place.upperBound)
    bytes.insert(contentsOf: opening, at: place.lowerBound)
  }
}
