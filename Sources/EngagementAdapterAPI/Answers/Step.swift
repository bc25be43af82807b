public import EngagementHTTP
public import EngagementPlatform

/// The next step of an operation.
public enum Step: Sendable {
  /// Send this request.
  case send(HTTPRequest)
  /// Execute this operation first, then ask the adapter again.
  case first(Operation)
  /// Commit these changes; no request is needed, for example because the vendor's inbox is off.
  case done([Change])
  /// Ask again at this time, for example when a rate limit allows it. The operation is kept.
  case wait(until: Date)
}
