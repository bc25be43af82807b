public import EngagementModel

/// One side of an open web socket as a pure state machine: it takes the peer's bytes and returns
/// steps for the driver.
///
/// The driver feeds bytes, calls `next` for each step that its reader is ready for, and sends every
/// returned frame in order. The session answers a peer's close only when `next` reaches it, so the
/// driver can still answer earlier messages. For back-pressure, a driver stops calling `next` while
/// its output is not drained.
public struct WebSocketSession: Sendable {
  /// The next step of the driver.
  public enum Step: Hashable, Sendable {
    /// Deliver the message to the application.
    case deliver(SocketMessage)
    /// Send the frame: a pong, or this side's half of the closing handshake.
    case send(WebSocketFrame)
    /// The peer answered a ping, so it is alive.
    case pong([UInt8])
    /// Close the connection after sending everything; a client first waits a while for the server
    /// to close. No step follows.
    case end(Ending)
  }

  /// How the socket ended.
  public struct Ending: Hashable, Sendable {
    /// The peer's close, or `abnormal` if there was none.
    public let close: SocketClose
    /// Whether both sides sent a close frame.
    public let isClean: Bool
    /// The peer's violation that caused the end, if any.
    public let fault: WebSocketFault?

    public init(close: SocketClose, isClean: Bool, fault: WebSocketFault? = nil) {
      self.close = close
      self.isClean = isClean
      self.fault = fault
    }
  }

  private var decoder: WebSocketDecoder
  private var hasSentClose = false
  private var hasInputEnded = false
  /// The ending that follows the last frame to send.
  private var pendingEnding: Ending?
  /// How the socket ended; nil before.
  public private(set) var ending: Ending?

  public init(role: WebSocketRole, limits: WebSocketLimits = WebSocketLimits()) {
    decoder = WebSocketDecoder(role: role, limits: limits)
  }

  /// Whether messages can still be sent.
  public var isOpen: Bool { !hasSentClose && ending == nil && pendingEnding == nil }

  /// Takes bytes from the peer.
  public mutating func feed(_ bytes: ArraySlice<UInt8>) { decoder.feed(bytes) }

  /// Takes bytes from the peer.
  public mutating func feed(_ bytes: [UInt8]) { decoder.feed(bytes) }

  /// Records that no more bytes will come: the peer closed the connection, or it broke.
  public mutating func endInput() { hasInputEnded = true }

  /// The frame for a message. Throws `unavailable` if the socket is closing or closed.
  public func send(_ message: SocketMessage) throws(EngagementError) -> WebSocketFrame {
    try checkOpen()
    return .message(message)
  }

  /// The frame for a ping. Throws `unavailable` if the socket is closing or closed,
  /// `invalidArgument` for more than 125 bytes.
  public func ping(_ payload: [UInt8] = []) throws(EngagementError) -> WebSocketFrame {
    try checkOpen()
    return try .ping(payload)
  }

  /// The frame that starts the closing handshake; nil if this side has already sent one or the
  /// socket has ended. The peer's messages are still delivered until its close arrives.
  public mutating func close(_ close: SocketClose) -> WebSocketFrame? {
    guard isOpen else { return nil }
    hasSentClose = true
    return .close(close)
  }

  /// The next step, or nil until more bytes are fed or the input ends.
  public mutating func next() -> Step? {
    if ending != nil { return nil }
    if let pendingEnding { return end(pendingEnding) }
    do {
      while let event = try decoder.next() {
        if let step = step(for: event) { return step }
      }
    } catch {
      return answer(with: Self.close(for: error), then: .broken(by: error))
    }
    return hasInputEnded ? end(.broken(by: nil)) : nil
  }

  private mutating func step(for event: WebSocketEvent) -> Step? {
    switch event {
    case .message(let message): .deliver(message)
    case .pong(let payload): .pong(payload)
    // After its own close, this side sends nothing more, not even a pong.
    case .ping(let payload): hasSentClose ? nil : .send(.pong(answering: payload))
    case .close(let close):
      answer(
        with: SocketClose(checked: close.code),
        then: Ending(close: close, isClean: true))
    }
  }

  /// Sends this side's close unless it was sent before, then ends.
  private mutating func answer(with close: SocketClose, then ending: Ending) -> Step {
    guard !hasSentClose else { return end(ending) }
    hasSentClose = true
    pendingEnding = ending
    return .send(.close(close))
  }

  private mutating func end(_ ending: Ending) -> Step {
    pendingEnding = nil
    self.ending = ending
    return .end(ending)
  }

  private func checkOpen() throws(EngagementError) {
    guard isOpen else { throw EngagementError(.unavailable, "The web socket is closed.") }
  }

  private static func close(for fault: WebSocketFault) -> SocketClose {
    SocketClose(checked: fault.code, fault.rule)
  }
}

extension WebSocketSession.Ending {
  fileprivate static func broken(by fault: WebSocketFault?) -> Self {
    Self(close: .abnormal, isClean: false, fault: fault)
  }
}
