import EngagementPlatform

/// The different values of a column chunk. Each has a number, from 0 on.
struct ParquetDictionary: Sendable {
  /// The values one after another, as a page has them.
  private(set) var bytes: [UInt8] = []
  /// Where each value begins, after its length.
  private var starts: [UInt32] = []
  private var hashes: [UInt32] = []
  /// A hash table with open addressing: the high half of the hash, and one more than the value's
  /// number; 0 for none.
  private var slots: [UInt32]
  /// How many bytes stand before a value for its length.
  private let prefixSize: Int

  init(_ type: ParquetFormat.PhysicalType) {
    slots = Array(repeating: 0, count: Self.smallest)
    prefixSize =
      switch type {
      case .int64: 0
      case .byteArray: 4
      }
  }

  var count: Int { starts.count }

  /// How many bytes the values may take without more memory.
  var room: Int { bytes.capacity }

  mutating func removeAll(keepingRoom: Bool = true) {
    guard count > 0 || !keepingRoom else { return }
    bytes.removeAll(keepingCapacity: keepingRoom)
    starts.removeAll(keepingCapacity: true)
    hashes.removeAll(keepingCapacity: true)
    for index in slots.indices { slots[index] = 0 }
  }

  /// The number of a value; nil if the dictionary lacks it.
  func number(of value: RawSpan) -> UInt16? { number(of: value, hash: Self.hash(value)) }

  /// The number of a value, which is new if need be. Nil if the dictionary takes no more values.
  mutating func add(_ value: RawSpan) -> UInt16? {
    let hash = Self.hash(value)
    if let number = number(of: value, hash: hash) { return number }
    guard count < Self.limit else { return nil }
    if count * 2 >= slots.count { growSlots() }
    guard let slot = freeSlot(for: hash) else { return nil }
    let number = UInt16(count)
    slots[slot] = Self.slot(hash, number)
    hashes.append(hash)
    if prefixSize > 0 { bytes.append(littleEndian: UInt32(value.byteCount)) }
    starts.append(UInt32(bytes.count))
    bytes.append(value)
    return number
  }

  /// Appends the values of those numbers as a page has them.
  func expand(_ numbers: [UInt16], to output: inout [UInt8]) {
    let bytes = bytes.span.bytes
    for number in numbers {
      let start = Int(starts[Int(number)])
      output.append(bytes.extracting(start - prefixSize..<end(of: Int(number))))
    }
  }

  private func end(of number: Int) -> Int {
    number + 1 < starts.count ? Int(starts[number + 1]) - prefixSize : bytes.count
  }

  private func number(of value: RawSpan, hash: UInt32) -> UInt16? {
    let mask = slots.count - 1
    var slot = Int(hash) & mask
    for _ in 0..<Self.longestProbe {
      let entry = slots[slot]
      if entry == 0 { return nil }
      if (entry ^ hash) >> 16 == 0, has(value, at: Int(entry & 0xffff) - 1) {
        return UInt16(truncatingIfNeeded: entry) &- 1
      }
      slot = (slot + 1) & mask
    }
    return nil
  }

  private func has(_ value: RawSpan, at number: Int) -> Bool {
    let start = Int(starts[number])
    guard end(of: number) - start == value.byteCount else { return false }
    return unsafe bytes.withUnsafeBytes { bytes in
      unsafe value.withUnsafeBytes { value in
        guard let bytes = bytes.baseAddress, let value = value.baseAddress else { return true }
        return unsafe memcmp(bytes + start, value, end(of: number) - start) == 0
      }
    }
  }

  private func freeSlot(for hash: UInt32) -> Int? {
    let mask = slots.count - 1
    var slot = Int(hash) & mask
    for _ in 0..<Self.longestProbe {
      if slots[slot] == 0 { return slot }
      slot = (slot + 1) & mask
    }
    return nil
  }

  private mutating func growSlots() {
    slots = Array(repeating: 0, count: slots.count * 2)
    let mask = slots.count - 1
    for (number, hash) in hashes.enumerated() {
      var slot = Int(hash) & mask
      while slots[slot] != 0 { slot = (slot + 1) & mask }
      slots[slot] = Self.slot(hash, UInt16(number))
    }
  }

  private static func slot(_ hash: UInt32, _ number: UInt16) -> UInt32 {
    hash & 0xffff_0000 | UInt32(number) + 1
  }

  private static func hash(_ value: RawSpan) -> UInt32 {
    var state = UInt64(value.byteCount)
    var offset = 0
    while offset &+ 8 <= value.byteCount {
      let word = unsafe value.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
      state = mixed(state ^ word)
      offset &+= 8
    }
    if offset < value.byteCount {
      var rest: UInt64 = 0
      while offset < value.byteCount {
        rest = rest << 8 | UInt64(unsafe value.unsafeLoad(fromByteOffset: offset, as: UInt8.self))
        offset &+= 1
      }
      state = mixed(state ^ rest)
    }
    return UInt32(truncatingIfNeeded: state ^ state >> 32)
  }

  @inline(__always)
  private static func mixed(_ value: UInt64) -> UInt64 {
    let product = (value ^ 0x9e37_79b9_7f4a_7c15).multipliedFullWidth(by: 0xd6e8_feb8_6659_fd93)
    return product.high ^ product.low
  }

  private static let smallest = 256
  /// A slot keeps a number in 16 bits.
  private static let limit = 65_535
  /// A search ends here, whatever values somebody has chosen.
  private static let longestProbe = 256
}
