public import EngagementHTTP
public import FoundationEssentials

/// What an adapter wants done next for an operation.
public enum Step: Sendable {
  /// Send this.
  case send(HTTPRequest)
  /// Something else has to be done first; then ask again.
  case first(Operation)
  /// There is nothing to ask the vendor: cards are disabled, an inbox is off.
  case done([Change])
  /// Not before then: muted, or the bucket is empty. Nothing is lost.
  case wait(until: Date)
}
