public import EngagementModel

/// A peer's violation of RFC 6455, with the code to close with.
public struct WebSocketFault: Error, Hashable, Sendable, CustomStringConvertible {
  /// `protocolError`, `invalidPayload` or `messageTooBig`.
  public let code: SocketCloseCode
  /// The violated rule, without any received bytes.
  public let rule: String

  init(_ code: SocketCloseCode, _ rule: StaticString) {
    self.code = code
    self.rule = "\(rule)"
  }

  public var description: String { "\(rule) (\(code))" }

  /// This fault as a `malformedResponse`.
  public var error: EngagementError {
    EngagementError(
      .malformedResponse, "The peer broke the web socket protocol: \(rule).",
      underlying: "\(code)")
  }
}
