/// Writes events in one format: first `begin()`, then the events, and last `finish()`. The same calls
/// give the same bytes.
///
/// ```swift
/// var encoder = NDJSONEncoder()
/// encoder.begin()
/// ```
///
/// Zero bytes, and bytes that are not UTF-8, become U+FFFD. A time outside the years 0000 to 9999 is
/// missing.
public protocol EventEncoder: EventSink, Sendable {
  /// What was written and not taken yet. A caller may take it after any event.
  var bytes: [UInt8] { get }

  mutating func begin()

  /// Writes what ends a file of the format.
  mutating func finish()

  /// Drops the bytes and keeps their room.
  mutating func takeBytes()
}
