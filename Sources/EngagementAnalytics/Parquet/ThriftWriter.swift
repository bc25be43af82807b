/// Writes a structure by the compact protocol of Apache Thrift.
///
/// Fields are written in the order of their numbers.
struct ThriftWriter: Sendable {
  private(set) var bytes: [UInt8] = []
  private var lastField = 0

  /// What a field or an element is, by the number that the protocol gives it.
  enum Kind: UInt8 {
    case yes = 1
    case no = 2
    case int8 = 3
    case int32 = 5
    case int64 = 6
    case binary = 8
    case list = 9
    case structure = 12
  }

  mutating func bool(_ value: Bool, _ field: Int) { begin(field, value ? .yes : .no) }

  mutating func int8(_ value: Int8, _ field: Int) {
    begin(field, .int8)
    bytes.append(UInt8(bitPattern: value))
  }

  mutating func int32(_ value: Int, _ field: Int) {
    begin(field, .int32)
    bytes.append(signed: Int64(value))
  }

  mutating func int64(_ value: Int, _ field: Int) {
    begin(field, .int64)
    bytes.append(signed: Int64(value))
  }

  mutating func binary(_ value: some Collection<UInt8>, _ field: Int) {
    begin(field, .binary)
    append(value)
  }

  mutating func structure(_ field: Int, _ body: (inout Self) -> Void) {
    begin(field, .structure)
    element(body)
  }

  /// Begins a list. Its elements follow.
  mutating func list(of kind: Kind, count: Int, _ field: Int) {
    begin(field, .list)
    if count < 15 {
      bytes.append(UInt8(count) << 4 | kind.rawValue)
    } else {
      bytes.append(0xf0 | kind.rawValue)
      bytes.append(unsigned: UInt64(count))
    }
  }

  mutating func element(_ value: some Collection<UInt8>) { append(value) }

  mutating func element(_ value: Int) { bytes.append(signed: Int64(value)) }

  mutating func element(_ body: (inout Self) -> Void) {
    let outer = lastField
    lastField = 0
    body(&self)
    bytes.append(0)
    lastField = outer
  }

  /// Elements of a list that another writer has written.
  mutating func elements(_ other: ThriftWriter) { bytes += other.bytes }

  private mutating func begin(_ field: Int, _ kind: Kind) {
    let step = field - lastField
    if step > 0, step < 16 {
      bytes.append(UInt8(step) << 4 | kind.rawValue)
    } else {
      bytes.append(kind.rawValue)
      bytes.append(signed: Int64(field))
    }
    lastField = field
  }

  private mutating func append(_ value: some Collection<UInt8>) {
    bytes.append(unsigned: UInt64(value.count))
    bytes.append(contentsOf: value)
  }
}

extension [UInt8] {
  /// Appends seven bits a byte, the lowest first.
  mutating func append(unsigned value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(truncatingIfNeeded: rest))
  }

  /// Appends a number with its sign in the lowest bit.
  mutating func append(signed value: Int64) {
    append(unsigned: UInt64(bitPattern: value << 1 ^ value >> 63))
  }

  mutating func append(littleEndian value: some FixedWidthInteger) {
    unsafe Swift.withUnsafeBytes(of: value.littleEndian) { unsafe append(contentsOf: $0) }
  }

  @inline(__always)
  mutating func append(_ span: RawSpan) {
    unsafe span.withUnsafeBytes { unsafe append(contentsOf: $0) }
  }
}
