import EngagementModel

/// Reads a structure by the compact protocol of Apache Thrift. Nothing is taken on trust: what does
/// not fit in the bytes is damage.
struct ThriftReader {
  private let bytes: [UInt8]
  private(set) var position = 0
  private var depth = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// A field whose value comes next.
  struct Field {
    let number: Int
    fileprivate let kind: UInt8
  }

  /// Hands over each field of the structure that comes next. The body reads the value and returns
  /// true, or returns false for a field that it does not know.
  mutating func structure(
    _ body: (inout Self, Field) throws(EngagementError) -> Bool
  ) throws(EngagementError) {
    guard depth < Self.deepest else { throw Self.damage }
    depth += 1
    defer { depth -= 1 }
    var last = 0
    while true {
      let header = try byte()
      guard header != 0 else { return }
      let step = Int(header >> 4)
      let number = step == 0 ? try signed() : last + step
      guard (0...Int(Int16.max)).contains(number) else { throw Self.damage }
      let field = Field(number: number, kind: header & 15)
      if try !body(&self, field) { try skip(field.kind) }
      last = number
    }
  }

  mutating func structure(
    _ field: Field, _ body: (inout Self, Field) throws(EngagementError) -> Bool
  ) throws(EngagementError) {
    try expect(field.kind == Self.structure)
    try structure(body)
  }

  mutating func integer(_ field: Field) throws(EngagementError) -> Int {
    try expect(Self.integers.contains(field.kind))
    return try signed()
  }

  mutating func binary(_ field: Field) throws(EngagementError) -> [UInt8] {
    try expect(field.kind == Self.binary)
    return try binary()
  }

  /// Hands over the reader before each structure of a list.
  mutating func structures(
    _ field: Field, _ body: (inout Self) throws(EngagementError) -> Void
  ) throws(EngagementError) {
    let list = try list(field)
    try expect(list.kind == Self.structure || list.count == 0)
    for _ in 0..<list.count { try body(&self) }
  }

  mutating func binaries(_ field: Field) throws(EngagementError) -> [[UInt8]] {
    let list = try list(field)
    try expect(list.kind == Self.binary || list.count == 0)
    var values: [[UInt8]] = []
    for _ in 0..<list.count { values.append(try binary()) }
    return values
  }

  // MARK: Parts

  private mutating func list(_ field: Field) throws(EngagementError) -> (kind: UInt8, count: Int) {
    try expect(field.kind == Self.list)
    return try listHeader()
  }

  /// Each element takes a byte at least, so that no count is larger than what is left.
  private mutating func listHeader() throws(EngagementError) -> (kind: UInt8, count: Int) {
    let header = try byte()
    let count = header >> 4 == 15 ? try unsigned() : UInt64(header >> 4)
    try expect(count <= UInt64(bytes.count - position))
    return (header & 15, Int(count))
  }

  private mutating func binary() throws(EngagementError) -> [UInt8] {
    let count = try unsigned()
    try expect(count <= UInt64(bytes.count - position))
    defer { position += Int(count) }
    return Array(bytes[position..<position + Int(count)])
  }

  private mutating func byte() throws(EngagementError) -> UInt8 {
    try expect(position < bytes.count)
    defer { position += 1 }
    return bytes[position]
  }

  private mutating func unsigned() throws(EngagementError) -> UInt64 {
    guard let value = bytes.unsigned(at: &position, before: bytes.count) else { throw Self.damage }
    return value
  }

  private mutating func signed() throws(EngagementError) -> Int {
    let value = try unsigned()
    return Int(truncatingIfNeeded: value >> 1) ^ -Int(truncatingIfNeeded: value & 1)
  }

  private mutating func skip(_ kind: UInt8, isElement: Bool = false) throws(EngagementError) {
    if kind == Self.yes || kind == Self.no {
      // A field of this kind says all in its header.
      if isElement { _ = try byte() }
    } else if kind == Self.int8 {
      _ = try byte()
    } else if Self.integers.contains(kind) {
      _ = try unsigned()
    } else if kind == Self.double {
      for _ in 0..<8 { _ = try byte() }
    } else if kind == Self.binary {
      _ = try binary()
    } else if kind == Self.list || kind == Self.set {
      try skipList()
    } else if kind == Self.structure {
      try structure { (_, _) throws(EngagementError) in false }
    } else {
      // The specification of Parquet has no maps.
      throw Self.damage
    }
  }

  private mutating func skipList() throws(EngagementError) {
    guard depth < Self.deepest else { throw Self.damage }
    depth += 1
    defer { depth -= 1 }
    let list = try listHeader()
    for _ in 0..<list.count { try skip(list.kind, isElement: true) }
  }

  private func expect(_ condition: Bool) throws(EngagementError) {
    guard condition else { throw Self.damage }
  }

  private static let damage = EngagementError.damagedParquet("a header says what cannot be")
  private static let deepest = 16
  private static let yes: UInt8 = 1
  private static let no: UInt8 = 2
  private static let int8: UInt8 = 3
  private static let integers: ClosedRange<UInt8> = 4...6
  private static let double: UInt8 = 7
  private static let binary: UInt8 = 8
  private static let list: UInt8 = 9
  private static let set: UInt8 = 10
  private static let structure: UInt8 = 12
}

extension [UInt8] {
  /// The number at a position, with seven bits a byte, and moves the position behind it. Nil if it
  /// does not end before the end, or not in 64 bits.
  func unsigned(at position: inout Int, before end: Int) -> UInt64? {
    var value: UInt64 = 0
    for shift in stride(from: 0 as UInt64, to: 64, by: 7) {
      guard position < end else { return nil }
      let byte = self[position]
      position += 1
      value |= UInt64(byte & 0x7f) << shift
      if byte < 0x80 { return value }
    }
    return nil
  }

  /// The number at a position. There must be as many bytes.
  func littleEndian<Value: FixedWidthInteger>(_ type: Value.Type, at position: Int) -> Value {
    var value: Value = 0
    for index in (0..<MemoryLayout<Value>.size).reversed() {
      value = value << 8 | Value(truncatingIfNeeded: self[position + index])
    }
    return value
  }
}

extension EngagementError {
  static func damagedParquet(_ reason: String) -> EngagementError {
    EngagementError(.unreadable, "The Parquet file is damaged: \(reason).")
  }
}
