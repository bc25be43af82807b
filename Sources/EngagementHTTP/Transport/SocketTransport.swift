public import EngagementModel

/// Opens web sockets, with the guarantees and error codes of an `HTTPTransport`: the policy is
/// asked before a byte is sent, plain text goes to a loopback address alone, and no redirect is
/// followed.
public protocol SocketTransport: Sendable {
  /// Opens a socket to a `ws` or `wss` URL and returns when the handshake is done.
  ///
  /// The request is a `GET` without a body; its headers are sent with the handshake, whose own
  /// are set by the transport. An answer other than 101 throws as `WebSocketHandshake` says.
  func connect(_ request: HTTPRequest) async throws(EngagementError) -> any SocketConnection
}

/// One open web socket. Pings are answered and fragments joined before anything is seen here.
///
/// A connection that is let go of is closed. Cancelling a task that sends or receives ends that
/// call with `cancelled` and closes the connection: half a frame can't be taken back.
public protocol SocketConnection: Sendable {
  /// Sends a message; returns when the transport has taken it over, in the order of the calls.
  /// Throws `unavailable` once either side has closed.
  func send(_ message: SocketMessage) async throws(EngagementError)

  /// The next message, or how the socket ended; after that, the same ending each time.
  /// One caller at a time.
  func receive() async throws(EngagementError) -> SocketReceipt

  /// Starts the closing handshake and returns when it is done or given up. Closing twice is safe;
  /// the first close is the one that is sent.
  func close(_ close: SocketClose) async
}

/// What a socket brings.
public enum SocketReceipt: Hashable, Sendable {
  case message(SocketMessage)
  /// The end. The code is `abnormal` where the connection broke off without a close frame.
  case closed(SocketClose)
}

extension SocketConnection {
  /// The same with a code and a reason. Throws `invalidArgument` where `SocketClose` does, and
  /// the socket then stays open.
  public func close(
    code: SocketCloseCode, reason: String = ""
  ) async throws(EngagementError) {
    await close(try SocketClose(code, reason))
  }
}
