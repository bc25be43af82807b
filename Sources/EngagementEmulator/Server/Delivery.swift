/// How an answer reaches the client.
enum Delivery: Sendable {
  /// As the HTTP library sends it.
  case answer(Reply)
  /// Byte by byte, by hand. The last step is an answer, a close or a reset; without one it is a
  /// close.
  case wire([WireStep])
}

/// One thing that is done to a connection by hand.
enum WireStep: Sendable {
  case send([UInt8])
  case wait(Duration)
  /// The library sends this after all; nothing may have been sent before.
  case answer(Reply)
  /// An orderly end.
  case close
  /// The peer sees its connection reset.
  case reset
}
