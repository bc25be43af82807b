public import EngagementModel

/// Reads a JSON document from front to back and checks every byte of it once.
///
/// ```swift
/// var cursor = JSONCursor(body)
/// guard try cursor.enterObject() else { … }
/// while let key = try cursor.nextKey() {
///   switch key {
///   case "cards": items = try cursor.items()
///   case "full_sync": full = try cursor.bool()
///   default: break                            // unread values are skipped, and checked
///   }
/// }
/// try cursor.finish()
/// ```
///
/// After a structural fault, every later call throws it again. After any other fault the cursor is
/// after the value, or before the value of the key, and can continue. Any bytes and any order of
/// calls give values or faults, never a trap.
public struct JSONCursor: Sendable {
  private let bytes: ArraySlice<UInt8>
  private var reader = Reader()
  /// The structural fault that ended the reading, if any.
  private var broken: JSONFault?

  /// Starts before the first byte. Shares the array without copying it.
  public init(_ bytes: [UInt8]) { self.bytes = bytes[...] }

  /// Starts before the first byte. Shares the slice without copying it.
  public init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

  /// The kind of the next value.
  public mutating func kind() throws(JSONFault) -> JSONKind {
    try read { (reader, bytes) throws(JSONFault) in try reader.kind(bytes.span.bytes) }
  }

  /// Skips the next value, but checks it.
  public mutating func skip() throws(JSONFault) {
    try read { (reader, bytes) throws(JSONFault) in _ = try reader.pass(bytes.span.bytes) }
  }

  /// Checks the rest of the document: unread values are sound, and only white space follows.
  public mutating func finish() throws(JSONFault) {
    try read { (reader, bytes) throws(JSONFault) in try reader.finish(bytes.span.bytes) }
  }

  /// Reads a document that is one value. Throws a structural fault after the value before any other
  /// fault in it.
  mutating func only<Value>(
    _ read: (inout JSONCursor) throws(JSONFault) -> Value
  ) throws(JSONFault) -> Value {
    let value: Value
    do throws(JSONFault) {
      value = try read(&self)
    } catch {
      try finish()
      throw error
    }
    try finish()
    return value
  }

  @inline(__always)
  private mutating func read<Value>(
    _ body: (inout Reader, ArraySlice<UInt8>) throws(JSONFault) -> Value
  ) throws(JSONFault) -> Value {
    if let broken { throw broken }
    do throws(JSONFault) {
      return try body(&reader, bytes)
    } catch {
      if error.isStructural { broken = error }
      throw error
    }
  }
}

// MARK: Containers

extension JSONCursor {
  /// Enters the next value if it is an object. Otherwise skips it and returns false.
  public mutating func enterObject() throws(JSONFault) -> Bool {
    try read { (reader, bytes) throws(JSONFault) in
      try reader.enter(bytes.span.bytes, UInt8(ascii: "{"))
    }
  }

  /// Moves to the next member and skips an unread value. At the end of the object, leaves it and
  /// returns nil. Outside objects, returns nil.
  public mutating func nextKey() throws(JSONFault) -> JSONKey? {
    try read { (reader, bytes) throws(JSONFault) in
      try reader.nextKey(bytes.span.bytes).map { JSONKey($0, in: bytes) }
    }
  }

  /// Enters the next value if it is an array. Otherwise skips it and returns false.
  public mutating func enterArray() throws(JSONFault) -> Bool {
    try read { (reader, bytes) throws(JSONFault) in
      try reader.enter(bytes.span.bytes, UInt8(ascii: "["))
    }
  }

  /// Moves to the next element and skips an unread one. At the end of the array, leaves it and
  /// returns false. Outside arrays, returns false.
  public mutating func nextElement() throws(JSONFault) -> Bool {
    try read { (reader, bytes) throws(JSONFault) in try reader.nextElement(bytes.span.bytes) }
  }
}

// MARK: Values

extension JSONCursor {
  /// The next value as a string. Skips a value of another kind and returns nil.
  public mutating func string() throws(JSONFault) -> String? {
    try read { (reader, bytes) throws(JSONFault) in
      try reader.text(bytes.span.bytes).map { Unescaped.string(bytes, $0) }
    }
  }

  /// The next value as an integer, also if it is written as `3.0`. Skips any other value and
  /// returns nil.
  public mutating func integer() throws(JSONFault) -> Int64? {
    try read { (reader, bytes) throws(JSONFault) in
      let range = try reader.pass(bytes.span.bytes, if: .number)
      return range.flatMap { Number.whole(bytes.span.bytes, $0) }
    }
  }

  /// The next value as a number, whole or not. Skips a value of another kind and returns nil.
  public mutating func number() throws(JSONFault) -> Double? {
    try read { (reader, bytes) throws(JSONFault) in
      let range = try reader.pass(bytes.span.bytes, if: .number)
      return range.map { Number.real(bytes.span.bytes, $0) }
    }
  }

  /// The next value as a Boolean. Skips a value of another kind and returns nil.
  public mutating func bool() throws(JSONFault) -> Bool? {
    try read { (reader, bytes) throws(JSONFault) in
      let range = try reader.pass(bytes.span.bytes, if: .bool)
      return range.map { bytes.span.bytes.byte($0.lowerBound) == UInt8(ascii: "t") }
    }
  }

  /// The next value, of any kind.
  public mutating func json() throws(JSONFault) -> JSON {
    try read { (reader, bytes) throws(JSONFault) in
      Sound.json(bytes, try reader.pass(bytes.span.bytes).lowerBound)
    }
  }

  /// The next value's own bytes, checked but not copied.
  public mutating func raw() throws(JSONFault) -> ArraySlice<UInt8> {
    try read { (reader, bytes) throws(JSONFault) in
      bytes.at(try reader.pass(bytes.span.bytes))
    }
  }
}

// MARK: Items

extension JSONCursor {
  /// The elements of the next value, an array, as unmapped items. Skips a value of another kind and
  /// returns nil.
  ///
  /// A value fault affects only its item: the item's `fault` holds it. The items take at most four
  /// times the memory of the document. A longer list of more than 65,536 small elements throws
  /// `tooLarge`.
  public mutating func items() throws(JSONFault) -> [RawItem]? {
    try read { (reader, bytes) throws(JSONFault) in try reader.items(bytes) }
  }

  /// The next value as an item with that index. Does not throw a value fault; the item's `fault`
  /// holds it.
  public mutating func item(at index: Int) throws(JSONFault) -> RawItem {
    try read { (reader, bytes) throws(JSONFault) in
      var pattern = KeyPattern()
      return RawItem(index, bytes, try reader.item(bytes.span.bytes, like: &pattern))
    }
  }
}

extension Reader {
  fileprivate mutating func items(_ bytes: ArraySlice<UInt8>) throws(JSONFault) -> [RawItem]? {
    let span = bytes.span.bytes
    guard try enter(span, UInt8(ascii: "[")) else { return nil }
    // The limit leaves room for growth: a growing array briefly has two copies.
    let most = max(1 << 16, bytes.count * 2 / MemoryLayout<RawItem>.stride)
    let start = position
    var items: [RawItem] = []
    var pattern = KeyPattern()
    while try nextElement(span) {
      if items.count == 16 {
        let size = max((position - start) / items.count, 1)
        items.reserveCapacity(min((bytes.count - start) / size + items.count, most))
      }
      guard items.count < most else { throw JSONFault(.tooLarge, at: position) }
      items.append(RawItem(items.count, bytes, try item(span, like: &pattern)))
    }
    return items
  }
}

extension RawItem {
  fileprivate init(
    _ index: Int, _ bytes: ArraySlice<UInt8>, _ checked: (range: Range<Int>, fault: JSONFault?)
  ) {
    self.init(
      index: index, uncheckedBytes: bytes.at(checked.range),
      hash: ContentHash.of(bytes.span.bytes, checked.range))
    fault = checked.fault
  }
}

extension ArraySlice<UInt8> {
  /// The part at the offsets, counted from the start of the slice.
  func at(_ offsets: Range<Int>) -> ArraySlice<UInt8> {
    self[startIndex + offsets.lowerBound..<startIndex + offsets.upperBound]
  }
}
