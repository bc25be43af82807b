import EngagementVendors

/// How an answer reaches the client.
enum ResponseDelivery: Sendable {
  /// As the HTTP library sends it.
  case answer(VendorReply)
  /// Byte by byte, by hand. The last step is an answer, a close or a reset; without one it is a
  /// close.
  case wire([ResponseStep])
}

/// One thing that is done to a connection by hand.
enum ResponseStep: Sendable {
  case send([UInt8])
  case wait(Duration)
  /// The library sends this after all; nothing may have been sent before.
  case answer(VendorReply)
  /// An orderly end.
  case close
  /// The peer sees its connection reset.
  case reset
}
