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
  /// A web socket begins with this 101; the step is the last, and nothing may have been sent before.
  case open(SocketThread, VendorReply)
}

extension ResponseDelivery {
  /// The same with a socket opened where the 101 would be sent.
  func opening(_ socket: SocketThread) -> ResponseDelivery {
    switch self {
    case .answer(let reply): return .wire([.open(socket, reply)])
    case .wire(let steps):
      return .wire(
        steps.map { step in
          guard case .answer(let reply) = step else { return step }
          return .open(socket, reply)
        })
    }
  }

  /// Whether a socket is opened.
  var opensSocket: Bool {
    guard case .wire(let steps) = self, case .open? = steps.last else { return false }
    return true
  }
}
