public import EngagementModel

/// What a peer did against RFC 6455, with the code to close with.
public struct WebSocketFault: Error, Hashable, Sendable, CustomStringConvertible {
  /// `protocolError`, `invalidPayload` or `messageTooBig`.
  public let code: SocketCloseCode
  /// The rule that was broken; nothing of what was received.
  public let rule: String

  init(_ code: SocketCloseCode, _ rule: StaticString) {
    self.code = code
    self.rule = "\(rule)"
  }

  public var description: String { "\(rule) (\(code))" }

  /// The same for those who act on codes: `malformedResponse`.
  public var error: EngagementError {
    EngagementError(
      .malformedResponse, "The peer broke the web socket protocol: \(rule).",
      underlying: "\(code)")
  }
}
