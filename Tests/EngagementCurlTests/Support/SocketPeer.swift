import EngagementHTTP
import EngagementModel
import Glibc
import TestServers

/// The server's side of a web socket, on the thread of its connection.
struct SocketPeer {
  let connection: ServerConnection
  private var session = WebSocketSession(
    role: .server, limits: WebSocketLimits(maximumFrame: 64 << 20, maximumMessage: 64 << 20))

  /// Reads the client's request and accepts it.
  init(_ connection: ServerConnection, headers: [String] = []) throws {
    self.connection = connection
    let head = try connection.readHead()
    try connection.write(try Self.acceptance(of: head, headers: headers))
  }

  static func acceptance(of head: String, headers: [String] = []) throws -> String {
    let lines = head.split(separator: "\r\n").map(String.init)
    guard let line = lines.first(where: { $0.lowercased().hasPrefix("sec-websocket-key:") }) else {
      throw TestFailure("no key: \(head)")
    }
    let key = String(line.drop { $0 != ":" }.dropFirst()).trimmingPrefix(" ")
    let own = [
      "Upgrade: websocket", "Connection: Upgrade",
      "Sec-WebSocket-Accept: \(WebSocketHandshake.accept(for: String(key)))",
    ]
    return "HTTP/1.1 101 Switching Protocols\r\n"
      + (own + headers).map { "\($0)\r\n" }.joined() + "\r\n"
  }

  static func bytes(_ frame: WebSocketFrame) -> [UInt8] {
    var bytes: [UInt8] = []
    WebSocketEncoder.append(frame, mask: nil, to: &bytes)
    return bytes
  }

  func send(_ frame: WebSocketFrame) throws { try connection.write(Self.bytes(frame)) }
  func send(_ text: String) throws { try send(.message(.text(text))) }

  /// The next step but for pings, which are answered.
  mutating func next() throws -> WebSocketSession.Step {
    while true {
      while let step = session.next() {
        guard case .send(let frame) = step, frame.opcode == .pong else { return step }
        try send(frame)
      }
      session.feed(try connection.read())
    }
  }

  /// The next message.
  mutating func message() throws -> SocketMessage {
    guard case .deliver(let message) = try next() else { throw TestFailure("no message") }
    return message
  }

  /// The client's close; answered.
  mutating func close() throws -> SocketClose {
    while true {
      switch try next() {
      case .send(let frame): try send(frame)
      case .end(let ending): return ending.close
      case .deliver, .pong: continue
      }
    }
  }

  /// Returns every message until the client closes.
  mutating func echo() throws {
    while true {
      switch try next() {
      case .deliver(let message): try send(.message(message))
      case .send(let frame): try send(frame)
      case .pong: continue
      case .end: return
      }
    }
  }
}

extension SocketConnection {
  /// The next message. The test fails if the socket ends.
  func message() async throws -> SocketMessage {
    switch try await receive() {
    case .message(let message): return message
    case .closed(let close): throw TestFailure("\(close)")
    }
  }

  /// The end of the socket, after all messages.
  func ended() async throws -> SocketClose {
    while true {
      if case .closed(let close) = try await receive() { return close }
    }
  }
}

/// Keeps a server's thread until a test opens it.
final class ThreadGate: Sendable {
  private let isOpen = Locked(false)

  func open() { isOpen.withLock { $0 = true } }
  // The server has a thread of its own, which no signal of a task can wake.
  func pass() { while !isOpen.withLock({ $0 }) { usleep(1_000) } }
}
