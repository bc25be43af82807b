/// Writes numbers of eight bytes, the lowest byte first, and bytes with their count before them.
struct BinaryWriter {
  private(set) var bytes: [UInt8] = []

  mutating func append(_ value: UInt64) {
    unsafe withUnsafeBytes(of: value.littleEndian) { unsafe bytes.append(contentsOf: $0) }
  }

  mutating func append(_ value: Int64) { append(UInt64(bitPattern: value)) }

  mutating func append(_ value: Int) { append(Int64(value)) }

  mutating func append(_ text: [UInt8]) {
    append(text.count)
    bytes += text
  }
}

/// Reads what a writer wrote. What is missing reads as zero, and `isSound` is false from then on.
struct BinaryReader {
  private let bytes: [UInt8]
  private var position = 0
  private(set) var isSound = true

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { position == bytes.count }

  mutating func unsigned() -> UInt64 {
    guard isSound, bytes.count - position >= 8 else { return fail(0) }
    defer { position += 8 }
    return UInt64(
      littleEndian: unsafe bytes.span.bytes.unsafeLoadUnaligned(
        fromByteOffset: position, as: UInt64.self))
  }

  mutating func integer() -> Int64 { Int64(bitPattern: unsigned()) }

  /// A number of things of which each takes at least so many bytes.
  mutating func count(ofAtLeast size: Int) -> Int {
    let count = integer()
    guard count >= 0, count <= (bytes.count - position) / size else { return fail(0) }
    return Int(count)
  }

  mutating func text() -> [UInt8] {
    let count = count(ofAtLeast: 1)
    defer { position += count }
    return Array(bytes[position..<position + count])
  }

  /// Notes that what was read makes no sense.
  mutating func refuse() { isSound = false }

  private mutating func fail<Value>(_ value: Value) -> Value {
    isSound = false
    return value
  }
}
