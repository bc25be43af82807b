extension RawSpan {
  /// The byte at that offset.
  @inline(__always)
  func byte(at offset: Int) -> UInt8 {
    // The call checks the bounds. "Unsafe" refers to the type, and any byte is a valid `UInt8`.
    unsafeLoad(fromByteOffset: offset, as: UInt8.self)
  }
}
