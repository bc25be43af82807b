extension String {
  /// Lends the UTF-8 bytes to `body`. Copies only a string that is bridged or not contiguous.
  @inline(__always)
  func readingBytes<Value>(_ body: (RawSpan) -> Value) -> Value {
    // `withUTF8` may move the string into contiguous storage, so it needs a variable.
    var text = self
    return text.withUTF8 { body($0.span.bytes) }
  }

  /// Makes a string by writing its UTF-8 bytes directly into its storage.
  @inline(__always)
  init(capacity: Int, writing write: (inout OutputSpan<UInt8>) -> Void) {
    // No other initializer fills a string in place. Only `output` touches the buffer; it checks
    // every write and counts the bytes.
    self.init(unsafeUninitializedCapacity: capacity) { buffer in
      var output = OutputSpan(buffer: buffer, initializedCount: 0)
      write(&output)
      return output.finalize(for: buffer)
    }
  }
}
