import EngagementEmulator
import EngagementFormats
import EngagementHTTP
import EngagementModel
import Testing

/// A web socket to an emulator. It blocks the calling thread.
final class RawSocket {
  let connection: RawConnection
  /// The answer that opened the socket.
  let answer: RawAnswer
  private var session = WebSocketSession(
    role: .client, limits: WebSocketLimits(maximumFrame: 2 << 20, maximumMessage: 2 << 20))
  private var ending: WebSocketSession.Ending?

  /// Opens the socket; fails the test if the server does not.
  init(_ endpoint: String, _ target: String = "/live") throws {
    connection = try RawConnection(endpoint)
    connection.send(try Self.handshake(target).bytes(to: endpoint))
    while true {
      if let answer = RawAnswer(parsing: connection.received) {
        self.answer = answer
        break
      }
      try #require(connection.receive() == nil, "no answer to the handshake")
    }
    try #require(answer.status == 101, "status \(answer.status)")
    session.feed(answer.body)
    _ = connection.take()
  }

  /// The key and the answer of the example of RFC 6455 §1.3.
  static let key = "dGhlIHNhbXBsZSBub25jZQ=="
  static let accept = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="

  static func handshake(_ target: String, key: String = key) throws -> RawRequest {
    var request = RawRequest("GET", target)
    request.headers = [
      ("Connection", "keep-alive, Upgrade"), ("Upgrade", "websocket"),
      ("Sec-WebSocket-Version", "13"), ("Sec-WebSocket-Key", key),
    ]
    return request
  }

  func send(_ frame: WebSocketFrame) {
    var bytes: [UInt8] = []
    WebSocketEncoder.append(frame, mask: WebSocketMask(1, 2, 3, 4), to: &bytes)
    connection.send(bytes)
  }

  func send(_ text: String) { send(.message(.text(text))) }

  /// Starts the closing handshake.
  func close(_ close: SocketClose) {
    if let frame = session.close(close) { send(frame) }
  }

  /// The next text; nil after the end.
  func text() -> String? {
    while ending == nil {
      switch session.next() {
      case .deliver(.text(let text)): return text
      case .deliver(.binary), .pong: continue
      case .send(let frame): send(frame)
      case .end(let ending): self.ending = ending
      case nil: receive()
      }
    }
    return nil
  }

  /// The answer to a ping, which follows no text.
  func pong() -> [UInt8]? {
    while true {
      switch session.next() {
      case .pong(let payload): return payload
      case .deliver, .send: continue
      case .end: return nil
      case nil: receive()
      }
    }
  }

  /// Reads to the end, without the texts.
  func end() throws -> WebSocketSession.Ending {
    while text() != nil {}
    return try #require(ending)
  }

  private func receive() {
    if connection.receive() != nil { session.endInput() }
    session.feed(connection.take())
  }
}
