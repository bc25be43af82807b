/// Reads events from a text format. The bytes may be cut anywhere.
public protocol EventDecoder {
  /// - Parameter body: Called with each event and the number of its first line.
  mutating func decode(
    _ bytes: [UInt8], _ body: (Int, DecodedEvent) throws -> Void
  ) rethrows

  /// Takes what is left as the last event.
  mutating func finish(_ body: (Int, DecodedEvent) throws -> Void) rethrows
}

/// An event that was read, or a sentence that says why it cannot be.
public enum DecodedEvent: Sendable {
  case event(EventRecord)
  case fault(String)
}

/// The most bytes of one event.
let longestEvent = 16 << 20
