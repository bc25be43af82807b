/// What a user allows. The store records it durably before any request that depends on it.
public enum Consent: String, Hashable, Sendable, CaseIterable {
  /// The user has not decided yet. Requests of the user are treated as `full`, analytics as
  /// `essential`.
  case unknown
  /// Only the vendor's opt-out is sent, and nothing personal is recorded.
  case denied
  /// Requests of the user work; nothing about usage is reported.
  case essential
  case full
}
