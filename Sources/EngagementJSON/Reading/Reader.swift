/// The state of a cursor without the document: the caller passes the bytes to each method.
///
/// It is separate from `JSONCursor`, because Swift cannot borrow bytes from a value while mutating
/// it.
struct Reader: Sendable {
  private(set) var scanner = Scanner()
  /// The offset of the next byte to read.
  private(set) var position = 0
  /// Whether a value follows the position, possibly after white space.
  private var hasValue = true
  /// Whether the reader has entered a container and read nothing in it yet.
  private var isFirst = false
  /// A bit for each open container, the innermost lowest. The bit is set for an object.
  private var objects: UInt64 = 0
  /// The keys of each open object.
  private var keys: [KeySet] = []

  private var isInObject: Bool { scanner.depth > 0 && objects & 1 == 1 }
  private var isInArray: Bool { scanner.depth > 0 && objects & 1 == 0 }

  /// The kind of the next value.
  mutating func kind(_ bytes: RawSpan) throws(JSONFault) -> JSONKind {
    guard let kind = JSONKind(first: try begin(bytes)) else {
      throw scanner.unexpected(bytes, position)
    }
    return kind
  }

  /// Checks the next value and returns its range.
  mutating func pass(_ bytes: RawSpan) throws(JSONFault) -> Range<Int> {
    _ = try begin(bytes)
    let start = position
    end(at: try scanner.value(bytes, start))
    try throwFault()
    return start..<position
  }

  /// Checks the next value. Returns its range if it is of that kind.
  mutating func pass(_ bytes: RawSpan, if kind: JSONKind) throws(JSONFault) -> Range<Int>? {
    let isKind = JSONKind(first: try begin(bytes)) == kind
    let range = try pass(bytes)
    return isKind ? range : nil
  }

  /// Checks the next value. Returns the text between its quotes if it is a string.
  mutating func text(_ bytes: RawSpan) throws(JSONFault) -> Text? {
    guard try begin(bytes) == UInt8(ascii: "\"") else {
      _ = try pass(bytes)
      return nil
    }
    let text = try scanner.text(bytes, position + 1)
    end(at: text.end + 1)
    try throwFault()
    return text
  }

  /// Checks the next value as an item. Returns a value fault instead of throwing it.
  @inline(__always)
  mutating func item(
    _ bytes: RawSpan, like pattern: inout KeyPattern
  ) throws(JSONFault) -> (range: Range<Int>, fault: JSONFault?) {
    _ = try begin(bytes)
    let start = position
    end(at: try scanner.item(bytes, start, &pattern))
    return (start..<position, scanner.takeFault())
  }

  /// Moves to the next value and returns its first byte.
  private mutating func begin(_ bytes: RawSpan) throws(JSONFault) -> UInt8 {
    guard hasValue else { throw JSONFault(.noValue, at: position) }
    position = scanner.space(bytes, position)
    return bytes.byte(position)
  }

  /// Continues after the value that ends at the offset.
  private mutating func end(at offset: Int) {
    position = offset
    hasValue = false
  }

  private mutating func throwFault() throws(JSONFault) {
    if let fault = scanner.takeFault() { throw fault }
  }
}

// MARK: Containers

extension Reader {
  /// Enters the container that begins with the bracket. Otherwise skips the next value and returns
  /// false. A container that is nested too deep is passed and throws its fault.
  mutating func enter(_ bytes: RawSpan, _ bracket: UInt8) throws(JSONFault) -> Bool {
    guard try begin(bytes) == bracket, !scanner.isDeepest else {
      _ = try pass(bytes)
      return false
    }
    scanner.enter()
    let isObject = bracket == UInt8(ascii: "{")
    if isObject { keys.append(KeySet()) }
    objects = objects &<< 1 | (isObject ? 1 : 0)
    end(at: position + 1)
    isFirst = true
    return true
  }

  /// Moves to the next member and reads its key. At the end, leaves the object and returns nil.
  mutating func nextKey(_ bytes: RawSpan) throws(JSONFault) -> Text? {
    guard isInObject, try advance(bytes, to: UInt8(ascii: "}")) else { return nil }
    let key = try scanner.key(bytes, position, in: &keys[keys.count - 1])
    position = key.end
    hasValue = true
    try throwFault()
    return key.text
  }

  /// Moves to the next element. At the end, leaves the array and returns false.
  mutating func nextElement(_ bytes: RawSpan) throws(JSONFault) -> Bool {
    guard isInArray else { return false }
    hasValue = try advance(bytes, to: UInt8(ascii: "]"))
    return hasValue
  }

  /// Checks the rest of the document.
  mutating func finish(_ bytes: RawSpan) throws(JSONFault) {
    while scanner.depth > 0 {
      if isInObject { while try nextKey(bytes) != nil {} } else { while try nextElement(bytes) {} }
    }
    if hasValue { _ = try pass(bytes) }
    position = scanner.space(bytes, position)
    guard position == bytes.byteCount else { throw JSONFault(.trailingBytes, at: position) }
  }

  /// Moves to the next member or element. At the end, leaves the container and returns false.
  private mutating func advance(_ bytes: RawSpan, to closing: UInt8) throws(JSONFault) -> Bool {
    if hasValue { _ = try pass(bytes) }
    position = scanner.space(bytes, position)
    if bytes.byte(position) == closing {
      leave()
      return false
    }
    if !isFirst {
      guard bytes.byte(position) == UInt8(ascii: ",") else {
        throw scanner.unexpected(bytes, position)
      }
      position = scanner.space(bytes, position + 1)
    }
    isFirst = false
    return true
  }

  private mutating func leave() {
    if isInObject { keys.removeLast() }
    objects &>>= 1
    scanner.leave()
    end(at: position + 1)
    isFirst = false
  }
}
