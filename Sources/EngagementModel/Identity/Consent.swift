/// What a user allows. It is durable before the first request that depends on it.
public enum Consent: String, Hashable, Sendable, CaseIterable {
  /// Nobody has asked yet: treated as `full` for what the user asks for, and as `essential` for
  /// analytics.
  case unknown
  /// Nothing leaves but the vendor's opt-out, and nothing personal is recorded.
  case denied
  /// What the user asks for works; nothing is reported about how it is used.
  case essential
  case full
}
