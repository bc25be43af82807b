extension RawSpan {
  /// The byte at the offset, or 0 outside the bytes. A 0 begins no token and ends every token.
  @inline(__always)
  func byte(_ offset: Int) -> UInt8 {
    guard UInt(bitPattern: offset) < UInt(bitPattern: byteCount) else { return 0 }
    return unsafeLoad(fromByteOffset: offset, as: UInt8.self)
  }

  /// Eight bytes from the offset, the first one in the lowest bits. Bytes outside count as 0.
  @inline(__always)
  func word(_ offset: Int) -> UInt64 {
    guard holds(8, at: offset) else { return lastWord(offset) }
    return UInt64(littleEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  /// Four bytes from the offset, the first one in the lowest bits; 0 if fewer remain.
  @inline(__always)
  func half(_ offset: Int) -> UInt32 {
    guard holds(4, at: offset) else { return 0 }
    return UInt32(littleEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }

  /// Sixteen bytes from the offset; nil if fewer remain.
  @inline(__always)
  func block(_ offset: Int) -> SIMD16<Int8>? {
    guard holds(16, at: offset) else { return nil }
    return unsafeLoadUnaligned(fromByteOffset: offset, as: SIMD16<Int8>.self)
  }

  /// The condition is the same as in the checked loads, so the compiler removes their check.
  @inline(__always)
  private func holds(_ count: Int, at offset: Int) -> Bool {
    UInt(bitPattern: offset) <= UInt(bitPattern: byteCount) && count <= byteCount &- offset
  }

  /// The offset of the first matching byte from `start`. Tests blocks of sixteen bytes, then words.
  /// Returns the number of bytes if none matches.
  @inline(__always)
  func next(
    _ start: Int, _ inBlock: (SIMD16<Int8>) -> UInt64, _ inWord: (UInt64) -> UInt64
  ) -> Int {
    var offset = start
    while let block = block(offset) {
      let found = inBlock(block)
      if found != 0 { return offset &+ found.trailingZeroBitCount &>> 2 }
      offset &+= 16
    }
    while offset < byteCount {
      let found = inWord(lastWord(offset))
      if found != 0 { return min(offset &+ found.trailingZeroBitCount &>> 3, byteCount) }
      offset &+= 8
    }
    return byteCount
  }

  /// Whether the bytes in both ranges are equal.
  func hasSameBytes(_ range: Range<Int>, as other: RawSpan, _ otherRange: Range<Int>) -> Bool {
    guard range.count == otherRange.count else { return false }
    for index in stride(from: 0, to: range.count, by: 8) {
      let difference = word(range.lowerBound + index) ^ other.word(otherRange.lowerBound + index)
      if Bytes.low(difference, range.count - index) != 0 { return false }
    }
    return true
  }

  /// The word at an offset with fewer than eight bytes after it.
  @inline(never)
  private func lastWord(_ offset: Int) -> UInt64 {
    let missing = offset &+ 8 &- byteCount
    if 0..<8 ~= missing, holds(8, at: byteCount &- 8) {
      return word(byteCount &- 8) &>> UInt64(missing &* 8)
    }
    var word: UInt64 = 0
    for index in 0..<8 { word |= UInt64(byte(offset &+ index)) << (8 &* UInt64(index)) }
    return word
  }
}
