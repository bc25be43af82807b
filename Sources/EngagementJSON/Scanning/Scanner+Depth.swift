extension Scanner {
  /// Checks the container at the offset, which is nested too deep to be read: its grammar without
  /// recursion, and nothing about repeated keys. Takes one bit of memory for each open container.
  @inline(never)
  mutating func tooDeep(_ bytes: RawSpan, _ start: Int) throws(JSONFault) -> Int {
    note(.tooDeep, at: start)
    var open = OpenContainers()
    var offset = start
    while true {
      if !(try openContainer(bytes, &offset, &open)) {
        offset = space(bytes, try value(bytes, offset))
      }
      while bytes.byte(offset) == open.closing {
        open.removeLast()
        if open.isEmpty { return offset &+ 1 }
        offset = space(bytes, offset &+ 1)
      }
      guard bytes.byte(offset) == UInt8(ascii: ",") || open.isNew else {
        throw unexpected(bytes, offset)
      }
      offset = try nextValue(bytes, offset, &open)
    }
  }

  /// Opens the container that begins at the offset and moves to its first byte. Returns false for
  /// any other value.
  private func openContainer(
    _ bytes: RawSpan, _ offset: inout Int, _ open: inout OpenContainers
  ) throws(JSONFault) -> Bool {
    let first = bytes.byte(offset)
    guard first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else { return false }
    open.append(isObject: first == UInt8(ascii: "{"))
    offset = space(bytes, offset &+ 1)
    return true
  }

  /// The offset of the next value: after the comma, unless the container is new, and after the key
  /// in an object.
  private mutating func nextValue(
    _ bytes: RawSpan, _ offset: Int, _ open: inout OpenContainers
  ) throws(JSONFault) -> Int {
    let first = open.isNew ? offset : space(bytes, offset &+ 1)
    open.isNew = false
    guard open.isObject else { return first }
    guard bytes.byte(first) == UInt8(ascii: "\"") else { throw unexpected(bytes, first) }
    let key = try text(bytes, first &+ 1)
    return space(bytes, try colon(bytes, after: key))
  }
}

/// The containers that are open, the innermost last.
private struct OpenContainers {
  /// A bit for each container, set for an object.
  private var words: [UInt64] = []
  private var count = 0
  /// Whether nothing was read yet in the innermost container.
  var isNew = false

  var isEmpty: Bool { count == 0 }

  /// Whether the innermost container is an object.
  var isObject: Bool { words[(count &- 1) &>> 6] &>> UInt64((count &- 1) & 63) & 1 == 1 }

  /// The byte that closes the innermost container.
  var closing: UInt8 { isObject ? UInt8(ascii: "}") : UInt8(ascii: "]") }

  mutating func append(isObject: Bool) {
    if count & 63 == 0 { words.append(0) }
    let bit = 1 as UInt64 &<< UInt64(count & 63)
    if isObject { words[count &>> 6] |= bit } else { words[count &>> 6] &= ~bit }
    count &+= 1
    isNew = true
  }

  mutating func removeLast() {
    count &-= 1
    if count & 63 == 0 { words.removeLast() }
    isNew = false
  }
}
