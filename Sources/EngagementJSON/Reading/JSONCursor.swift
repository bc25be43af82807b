public import EngagementModel

/// Reads a JSON document from front to back, checking every byte of it once.
///
/// ```swift
/// var cursor = JSONCursor(body)
/// guard try cursor.enterObject() else { … }
/// while let key = try cursor.nextKey() {
///   switch key {
///   case "cards": items = try cursor.items()
///   case "full_sync": full = try cursor.bool()
///   default: break                            // what is not read is skipped, and checked
///   }
/// }
/// try cursor.finish()
/// ```
///
/// A structural fault ends the reading: every later call throws it again. After another fault the
/// cursor stands behind the value, or before the value of the key, and may go on. Any bytes, in any
/// order of calls, give values or faults.
public struct JSONCursor: Sendable {
  private let bytes: ArraySlice<UInt8>
  private var reader = Reader()
  /// The structural fault that was met.
  private var broken: JSONFault?

  /// Begins before the first byte. The array is shared, not copied.
  public init(_ bytes: [UInt8]) { self.bytes = bytes[...] }

  /// Begins before the first byte. The array is shared, not copied.
  public init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

  /// What the next value is.
  public mutating func kind() throws(JSONFault) -> JSONKind {
    try read { (reader, bytes) throws(JSONFault) in try reader.kind(bytes.span.bytes) }
  }

  /// Passes the next value by, checking it.
  public mutating func skip() throws(JSONFault) {
    try read { (reader, bytes) throws(JSONFault) in _ = try reader.pass(bytes.span.bytes) }
  }

  /// Checks the rest of the document: what was not read, and that only white space follows.
  public mutating func finish() throws(JSONFault) {
    try read { (reader, bytes) throws(JSONFault) in try reader.finish(bytes.span.bytes) }
  }

  /// Reads a document that is one value. A structural fault behind it is thrown before another
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
  /// Enters the next value, an object. False where it is another kind; it is skipped.
  public mutating func enterObject() throws(JSONFault) -> Bool {
    try read { (reader, bytes) throws(JSONFault) in
      try reader.enter(bytes.span.bytes, UInt8(ascii: "{"))
    }
  }

  /// Moves to the next member: a value that was not read is skipped. Nil at the end of the object,
  /// which has then been left; also outside of objects.
  public mutating func nextKey() throws(JSONFault) -> JSONKey? {
    try read { (reader, bytes) throws(JSONFault) in
      try reader.nextKey(bytes.span.bytes).map { JSONKey($0, in: bytes) }
    }
  }

  /// Enters the next value, an array. False where it is another kind; it is skipped.
  public mutating func enterArray() throws(JSONFault) -> Bool {
    try read { (reader, bytes) throws(JSONFault) in
      try reader.enter(bytes.span.bytes, UInt8(ascii: "["))
    }
  }

  /// Moves to the next element: one that was not read is skipped. False at the end of the array,
  /// which has then been left; also outside of arrays.
  public mutating func nextElement() throws(JSONFault) -> Bool {
    try read { (reader, bytes) throws(JSONFault) in try reader.nextElement(bytes.span.bytes) }
  }
}

// MARK: Values

extension JSONCursor {
  /// The next value, a string. Nil where it is another kind; it is skipped.
  public mutating func string() throws(JSONFault) -> String? {
    try read { (reader, bytes) throws(JSONFault) in
      try reader.text(bytes.span.bytes).map { Unescaped.string(bytes, $0) }
    }
  }

  /// The next value, an integer, also where it was written as `3.0`. Nil where it is something
  /// else; it is skipped.
  public mutating func integer() throws(JSONFault) -> Int64? {
    try read { (reader, bytes) throws(JSONFault) in
      let range = try reader.pass(bytes.span.bytes, if: .number)
      return range.flatMap { Number.whole(bytes.span.bytes, $0) }
    }
  }

  /// The next value, a number, whole or not. Nil where it is another kind; it is skipped.
  public mutating func number() throws(JSONFault) -> Double? {
    try read { (reader, bytes) throws(JSONFault) in
      let range = try reader.pass(bytes.span.bytes, if: .number)
      return range.map { Number.real(bytes.span.bytes, $0) }
    }
  }

  /// The next value, a truth value. Nil where it is another kind; it is skipped.
  public mutating func bool() throws(JSONFault) -> Bool? {
    try read { (reader, bytes) throws(JSONFault) in
      let range = try reader.pass(bytes.span.bytes, if: .bool)
      return range.map { bytes.span.bytes.byte($0.lowerBound) == UInt8(ascii: "t") }
    }
  }

  /// The next value, whatever it is.
  public mutating func json() throws(JSONFault) -> JSON {
    try read { (reader, bytes) throws(JSONFault) in
      Sound.json(bytes, try reader.pass(bytes.span.bytes).lowerBound)
    }
  }

  /// The next value's own bytes, checked and not copied.
  public mutating func raw() throws(JSONFault) -> ArraySlice<UInt8> {
    try read { (reader, bytes) throws(JSONFault) in
      bytes.at(try reader.pass(bytes.span.bytes))
    }
  }
}

// MARK: Items

extension JSONCursor {
  /// The elements of the next value, an array, unmapped. Nil where it is another kind; it is
  /// skipped.
  ///
  /// A value fault costs only its item, which then has `fault` set. The handles of the items take
  /// at most four times the memory of the document: a list of more than 65,536 elements so small
  /// that they would take more is refused as `tooLarge`.
  public mutating func items() throws(JSONFault) -> [RawItem]? {
    try read { (reader, bytes) throws(JSONFault) in try reader.items(bytes) }
  }

  /// The next value as an item with that index. A value fault does not throw here; it is the
  /// item's `fault`.
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
    // An array that grows has two copies for a moment.
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
  /// The part at the offsets, which count from the slice's own beginning.
  func at(_ offsets: Range<Int>) -> ArraySlice<UInt8> {
    self[startIndex + offsets.lowerBound..<startIndex + offsets.upperBound]
  }
}
