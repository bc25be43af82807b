public import EngagementModel

/// Opens web sockets, with the guarantees and error codes of an `HTTPTransport`: it asks the policy
/// before it sends a byte, uses plain text only to a loopback address, and follows no redirect.
public protocol SocketTransport: Sendable {
  /// Opens a socket to a `ws` or `wss` URL. Returns when the handshake is done.
  ///
  /// The request must be a `GET` without a body. Its headers are sent with the handshake; the
  /// transport sets the handshake's own headers. Throws the errors of `WebSocketHandshake` if the
  /// server does not answer with 101.
  func connect(_ request: HTTPRequest) async throws(EngagementError) -> any SocketConnection
}

/// One open web socket. It answers pings and joins fragments by itself.
///
/// Releasing the connection closes it. Cancelling a task that sends or receives throws `cancelled`
/// from that call and closes the connection, because half a frame can't be taken back.
public protocol SocketConnection: Sendable {
  /// Sends a message. Returns when the transport has accepted it; messages keep the order of the
  /// calls. Throws `unavailable` after either side has closed.
  func send(_ message: SocketMessage) async throws(EngagementError)

  /// Waits for the next message or the end of the socket. After the end, every call returns the
  /// same end. Only one task may call this at a time.
  func receive() async throws(EngagementError) -> SocketReceipt

  /// Performs the closing handshake. Returns when it is done or has timed out. A second call is
  /// safe; only the first close is sent.
  func close(_ close: SocketClose) async
}

/// A message received, or the end of the socket.
public enum SocketReceipt: Hashable, Sendable {
  case message(SocketMessage)
  /// The end. The code is `abnormal` if the connection ended without a close frame.
  case closed(SocketClose)
}

extension SocketConnection {
  /// Closes with a code and a reason. Throws the errors of `SocketClose.init`; the socket then
  /// stays open.
  public func close(
    code: SocketCloseCode, reason: String = ""
  ) async throws(EngagementError) {
    await close(try SocketClose(code, reason))
  }
}
