import EngagementModel
import EngagementPlatform

extension Engagement.ProviderOutcome: CustomStringConvertible {
  public var description: String {
    switch self {
    case .fresh: "fresh"
    case .notModified: "not modified"
    case .throttled(let date): "throttled until \(date.ISO8601Format())"
    case .stale(let age, let error): "stale, \(age.components.seconds) s old: \(error)"
    case .failed(let error): "failed: \(error)"
    case .unsupported: "unsupported"
    }
  }
}

extension Engagement.RefreshOutcome: CustomStringConvertible {
  public var description: String { described(providers) }
}

extension Engagement.Receipt.Outcome: CustomStringConvertible {
  public var description: String {
    switch self {
    case .delivered: "delivered"
    case .kept: "kept on this device"
    case .rejected(let error): "rejected: \(error)"
    case .expired: "expired"
    case .discarded(let reason): "discarded: \(reason.rawValue)"
    }
  }
}

extension Engagement.DeliveryReport: CustomStringConvertible {
  public var description: String { described(providers) }
}

extension Engagement.DeliveryReport.ProviderResult: CustomStringConvertible {
  public var description: String {
    let counts = [
      (delivered, "delivered"), (kept, "kept on this device"), (rejected, "rejected"),
      (pending, "pending"),
    ].filter { $0.0 > 0 }
    return counts.isEmpty
      ? "nothing to send" : counts.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
  }
}

/// Such as `braze: fresh; vibes: not modified`.
private func described<Value>(_ providers: [ProviderID: Value]) -> String {
  providers.isEmpty
    ? "no provider"
    : providers.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: "; ")
}
