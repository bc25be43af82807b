public import EngagementModel

/// One frame to send, valid by construction.
public struct WebSocketFrame: Hashable, Sendable {
  /// What a frame carries, RFC 6455 §5.2.
  public enum Opcode: UInt8, Hashable, Sendable, CaseIterable {
    case continuation = 0
    case text = 1
    case binary = 2
    case close = 8
    case ping = 9
    case pong = 10

    /// Whether it is about the connection and may stand between the frames of a message.
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

  /// The answer to a ping that was received, so its payload is short enough.
  static func pong(answering payload: [UInt8]) -> WebSocketFrame { WebSocketFrame(.pong, payload) }

  /// A close. A code that no frame may carry becomes a close without a code.
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
