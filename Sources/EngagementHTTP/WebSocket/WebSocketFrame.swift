public import EngagementModel

/// One valid frame to send.
public struct WebSocketFrame: Hashable, Sendable {
  /// The type of a frame, RFC 6455 §5.2.
  public enum Opcode: UInt8, Hashable, Sendable, CaseIterable {
    case continuation = 0
    case text = 1
    case binary = 2
    case close = 8
    case ping = 9
    case pong = 10

    /// Whether the frame controls the connection. Such a frame may come between the frames of a
    /// message.
    public var isControl: Bool { rawValue >= 8 }
  }

  public let opcode: Opcode
  public let payload: [UInt8]

  private init(_ opcode: Opcode, _ payload: [UInt8]) {
    self.opcode = opcode
    self.payload = payload
  }

  /// A whole message in one frame.
  public static func message(_ message: SocketMessage) -> WebSocketFrame {
    switch message {
    case .text(let text): WebSocketFrame(.text, Array(text.utf8))
    case .binary(let bytes): WebSocketFrame(.binary, bytes)
    }
  }

  /// A ping. Throws `invalidArgument` for more than 125 bytes.
  public static func ping(_ payload: [UInt8] = []) throws(EngagementError) -> WebSocketFrame {
    guard payload.count <= 125 else {
      throw EngagementError(.invalidArgument, "A ping has at most 125 bytes.")
    }
    return WebSocketFrame(.ping, payload)
  }

  /// The answer to a received ping. Its payload is within the limit, because the ping's was.
  static func pong(answering payload: [UInt8]) -> WebSocketFrame { WebSocketFrame(.pong, payload) }

  /// A close frame. If no frame may contain the code, the frame has no code.
  public static func close(_ close: SocketClose) -> WebSocketFrame {
    guard close.code.isSendable else { return WebSocketFrame(.close, []) }
    let code = close.code.rawValue
    return WebSocketFrame(
      .close, [UInt8(code >> 8), UInt8(code & 0xff)] + Array(close.reason.utf8))
  }
}

extension WebSocketFrame: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The opcode and the length, such as `text of 12 bytes`.
  public var description: String { "\(opcode) of \(payload.count) bytes" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: []) }
}
