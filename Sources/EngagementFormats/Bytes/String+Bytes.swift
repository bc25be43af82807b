extension String {
  /// Lends the UTF-8 bytes to `body`. Only a string that is bridged or not contiguous is copied.
  @inline(__always)
  func readingBytes<Value>(_ body: (RawSpan) -> Value) -> Value {
    // `withUTF8` moves a string into contiguous storage where it must, so it needs a variable.
    var text = self
    return text.withUTF8 { body($0.span.bytes) }
  }

  /// Makes a string by writing its UTF-8 bytes straight into its storage.
  @inline(__always)
  init(capacity: Int, writing write: (inout OutputSpan<UInt8>) -> Void) {
    // The one way to fill a string in place; the buffer is only reached through `output`, which
    // checks every write and knows how many there were.
    self.init(unsafeUninitializedCapacity: capacity) { buffer in
      var output = OutputSpan(buffer: buffer, initializedCount: 0)
      write(&output)
      return output.finalize(for: buffer)
    }
  }
}
