/// Takes events, for each a cell for each `EventColumn` in order and `endEvent()`.
///
/// Texts are UTF-8 as they were recorded; they may have zero bytes, and bytes that are not UTF-8.
public protocol EventSink {
  mutating func missing()
  mutating func text(_ text: RawSpan)
  mutating func integer(_ value: Int64)
  /// A time, as milliseconds since 1970.
  mutating func time(_ milliseconds: Int64)
  /// JSON as it is. The caller has verified it.
  mutating func json(_ json: RawSpan)

  mutating func endEvent()
}

extension EventSink {
  /// A text that the caller has as a string.
  public mutating func text(_ text: String) {
    let utf8 = text.utf8
    self.text(utf8.span.bytes)
  }
}
