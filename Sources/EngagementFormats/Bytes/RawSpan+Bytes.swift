extension RawSpan {
  /// The byte at that offset.
  @inline(__always)
  func byte(at offset: Int) -> UInt8 {
    // The call checks the bounds. "Unsafe" refers to the type, and any byte is a valid `UInt8`.
    unsafeLoad(fromByteOffset: offset, as: UInt8.self)
  }

  /// The four bytes from that offset, most significant first.
  @inline(__always)
  func bigEndianWord(at offset: Int) -> UInt32 {
    // The call checks the bounds. "Unsafe" refers to the type, and any four bytes are a valid
    // `UInt32`.
    unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self).bigEndian
  }
}
