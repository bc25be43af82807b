public import EngagementModel

/// One side of an open web socket as a pure state machine: what the peer sent goes in, what is to
/// be done comes out.
///
/// Its driver feeds bytes, then calls `next` for each step that its reader is ready for, and sends
/// every frame that comes out, in order. A peer's close is answered only when `next` reaches it,
/// so answers to messages before it can still be sent. A driver whose output is not drained stops
/// calling `next`; that is all the back-pressure there is to it.
public struct WebSocketSession: Sendable {
  /// What the driver does next.
  public enum Step: Hashable, Sendable {
    /// Hand the message to the application.
    case deliver(SocketMessage)
    /// Send the frame: a pong, or this side's half of the closing handshake.
    case send(WebSocketFrame)
    /// The peer is alive: it answered a ping.
    case pong([UInt8])
    /// Close the connection once everything is sent, a client after waiting a while for the
    /// server to do so. Nothing follows.
    case end(Ending)
  }

  /// How it ended.
  public struct Ending: Hashable, Sendable {
    /// The peer's close, or `abnormal` where none came.
    public let close: SocketClose
    /// Whether both sides' close frames were exchanged.
    public let isClean: Bool
    /// What the peer did wrong, where that was the end.
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
  /// Set when the frames to send are known, so that the ending follows them.
  private var pendingEnding: Ending?
  /// How it ended, once it has.
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

  /// Says that no more bytes will come: the peer closed the connection, or it broke.
  public mutating func endInput() { hasInputEnded = true }

  /// The frame for a message. Throws `unavailable` once the socket is closing.
  public func send(_ message: SocketMessage) throws(EngagementError) -> WebSocketFrame {
    try checkOpen()
    return .message(message)
  }

  /// The frame for a ping. Throws `unavailable` once the socket is closing, `invalidArgument` for
  /// more than 125 bytes.
  public func ping(_ payload: [UInt8] = []) throws(EngagementError) -> WebSocketFrame {
    try checkOpen()
    return try .ping(payload)
  }

  /// The frame that starts the closing handshake; nil where this side has sent its own already or
  /// the socket has ended. Messages of the peer are delivered until its close comes.
  public mutating func close(_ close: SocketClose) -> WebSocketFrame? {
    guard isOpen else { return nil }
    hasSentClose = true
    return .close(close)
  }

  /// The next step, or nil until more is fed or the input ends.
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
    // Nothing is sent after this side's close, not even a pong.
    case .ping(let payload): hasSentClose ? nil : .send(.pong(answering: payload))
    case .close(let close):
      answer(
        with: SocketClose(checked: close.code),
        then: Ending(close: close, isClean: true))
    }
  }

  /// Sends this side's close unless that has happened, and ends.
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
