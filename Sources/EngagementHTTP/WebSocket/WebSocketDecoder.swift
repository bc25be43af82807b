/// A complete message or control frame from the peer.
public enum WebSocketEvent: Hashable, Sendable {
  case message(SocketMessage)
  case ping([UInt8])
  case pong([UInt8])
  /// The peer's close frame; no event follows it.
  case close(SocketClose)
}

/// Decodes the bytes of one direction of a web socket into events. The bytes may arrive in pieces
/// of any size.
///
/// Call `feed` with the bytes, then `next` until it returns nil. The first fault is final. Time is
/// linear in the bytes fed. Memory is the bytes not yet decoded plus at most one message within the
/// limits.
public struct WebSocketDecoder: Sendable {
  /// A frame whose payload is not complete.
  private struct Frame {
    var header: WebSocketFrameHeader
    var taken = 0
    var missing: Int { header.length - taken }
  }

  private enum State {
    case open, closed
    case broken(WebSocketFault)
  }

  private let role: WebSocketRole
  private let limits: WebSocketLimits
  private var state = State.open
  /// The bytes fed so far; those before `position` are decoded.
  private var input: [UInt8] = []
  private var position = 0
  private var headers = WebSocketHeaderReader()
  private var frame: Frame?
  private var control: [UInt8] = []
  /// The payload so far of a message of kind `messageKind`.
  private var message: [UInt8] = []
  private var messageKind: WebSocketFrame.Opcode?
  /// The frames of the message so far that brought nothing.
  private var emptyFrameCount = 0
  private var utf8 = UTF8Validator()

  /// Such frames cost time and never reach a limit of bytes. The limit is ours.
  private static let mostEmptyFrames = 1_000

  /// `role` is the side that decodes: a server's decoder expects masked frames.
  public init(role: WebSocketRole, limits: WebSocketLimits = WebSocketLimits()) {
    self.role = role
    self.limits = limits
  }

  /// Takes bytes from the peer. Drops them after a close frame or a fault.
  public mutating func feed(_ bytes: ArraySlice<UInt8>) {
    guard case .open = state else { return }
    // Moving the remaining bytes costs no more than decoding the earlier ones, so the total is
    // linear.
    if position * 2 >= input.count {
      input.removeSubrange(..<position)
      position = 0
    }
    input += bytes
  }

  /// Takes bytes from the peer.
  public mutating func feed(_ bytes: [UInt8]) { feed(bytes[...]) }

  /// The next event, or nil if more bytes are needed. After a fault, every call throws it again.
  public mutating func next() throws(WebSocketFault) -> WebSocketEvent? {
    switch state {
    case .broken(let fault): throw fault
    case .closed: return nil
    case .open: break
    }
    do {
      return try advance()
    } catch {
      end(as: .broken(error))
      throw error
    }
  }

  private mutating func advance() throws(WebSocketFault) -> WebSocketEvent? {
    while true {
      if let frame, frame.missing == 0 {
        self.frame = nil
        if let event = try event(endedBy: frame.header) { return event }
      } else if position == input.count {
        return nil
      } else if let frame {
        try takePayload(of: frame)
      } else {
        try takeHeaderByte()
      }
    }
  }

  private mutating func takeHeaderByte() throws(WebSocketFault) {
    let context = WebSocketHeaderReader.Context(
      role: role, isInsideMessage: messageKind != nil,
      room: min(limits.maximumFrame, limits.maximumMessage - message.count))
    let byte = input[position]
    position += 1
    guard let header = try headers.take(byte, in: context) else { return }
    frame = Frame(header: header)
    if !header.opcode.isControl, !header.isFinal, header.length == 0 {
      emptyFrameCount += 1
      guard emptyFrameCount <= Self.mostEmptyFrames else {
        throw WebSocketFault(.messageTooBig, "a message has too many empty frames")
      }
    }
    if header.opcode == .text || header.opcode == .binary { messageKind = header.opcode }
  }

  private mutating func takePayload(of frame: Frame) throws(WebSocketFault) {
    let end = position + min(frame.missing, input.count - position)
    frame.header.mask?.apply(to: &input, in: position..<end, offset: frame.taken)
    let payload = input[position..<end]
    self.frame?.taken += payload.count
    position = end
    if frame.header.opcode.isControl {
      control += payload
    } else {
      message += payload
      if messageKind == .text, !utf8.take(payload) { throw .invalidUTF8 }
    }
  }

  private mutating func event(
    endedBy header: WebSocketFrameHeader
  ) throws(WebSocketFault) -> WebSocketEvent? {
    defer { if header.opcode.isControl { control.removeAll(keepingCapacity: true) } }
    switch header.opcode {
    case .continuation, .text, .binary: return header.isFinal ? try endMessage() : nil
    case .ping: return .ping(control)
    case .pong: return .pong(control)
    case .close:
      let close = try Self.close(control)
      end(as: .closed)
      return .close(close)
    }
  }

  private mutating func endMessage() throws(WebSocketFault) -> WebSocketEvent {
    defer {
      message = []
      messageKind = nil
      emptyFrameCount = 0
    }
    guard messageKind == .text else { return .message(.binary(message)) }
    guard utf8.isComplete else { throw .invalidUTF8 }
    return .message(.text(String(decoding: message, as: UTF8.self)))
  }

  private static func close(_ payload: [UInt8]) throws(WebSocketFault) -> SocketClose {
    if payload.isEmpty { return .noStatus }
    guard payload.count >= 2 else {
      throw WebSocketFault(.protocolError, "a close frame has half a code")
    }
    let code = SocketCloseCode(rawValue: UInt16(payload[0]) << 8 | UInt16(payload[1]))
    guard code.isSendable else {
      throw WebSocketFault(.protocolError, "a close frame has a reserved code")
    }
    guard let reason = String(validating: payload[2...], as: UTF8.self) else { throw .invalidUTF8 }
    return SocketClose(checked: code, reason)
  }

  private mutating func end(as state: State) {
    self.state = state
    input = []
    position = 0
    message = []
  }
}

extension WebSocketFault {
  fileprivate static let invalidUTF8 = WebSocketFault(.invalidPayload, "a text is not UTF-8")
}
