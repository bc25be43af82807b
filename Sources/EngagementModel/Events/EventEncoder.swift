/// Writes events in one format: first `begin()`, then for each event a cell for each `EventColumn` in
/// order and `endEvent()`, and last `finish()`. The same calls give the same bytes.
///
/// ```swift
/// var encoder = NDJSONEncoder()
/// encoder.begin()
/// ```
///
/// Texts are UTF-8. Bytes that are not, and zero bytes, become U+FFFD.
public protocol EventEncoder: Sendable {
  /// What was written and not taken yet. A caller may take it after any event.
  var bytes: [UInt8] { get }

  mutating func begin()

  mutating func missing()
  mutating func text(_ text: RawSpan)
  mutating func integer(_ value: Int64)
  /// A time, as milliseconds since 1970. One outside the years 0000 to 9999 is missing.
  mutating func time(_ milliseconds: Int64)
  /// JSON as it is. The caller has verified it.
  mutating func json(_ json: RawSpan)

  mutating func endEvent()

  /// Writes what ends a file of the format.
  mutating func finish()

  /// Drops the bytes and keeps their room.
  mutating func takeBytes()
}

extension EventEncoder {
  /// A text that the caller has as a string.
  public mutating func text(_ text: String) {
    let utf8 = text.utf8
    self.text(utf8.span.bytes)
  }
}
