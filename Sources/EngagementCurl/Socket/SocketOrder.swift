import EngagementHTTP
import EngagementModel

/// A checked request for a web socket.
struct SocketOrder: Sendable {
  let url: HTTPURL
  let proxy: ProxyChoice.Route
  let handshake: WebSocketHandshake
  /// The head of the handshake's request.
  let request: [UInt8]
  let mailbox = SocketMailbox()

  init(
    _ request: HTTPRequest, to url: HTTPURL, by proxy: ProxyChoice.Route
  ) throws(EngagementError) {
    self.url = url
    self.proxy = proxy
    handshake = try WebSocketHandshake(nonce: (0..<16).map { _ in .random(in: .min ... .max) })
    var request = request
    request.headers = try handshake.headers(for: request)
    self.request = try HTTPHead.bytes(of: request)
  }

  /// The address for libcurl, which makes the connection and knows no web sockets.
  var connection: String {
    "\(url.scheme.isEncrypted ? "https" : "http")://\(url.origin.authority)/"
  }
}
