import EngagementModel

/// What the old provider of a migration still has of pushes.
enum TokenRemainder: Hashable, Sendable {
  /// The token. The provider has left the configuration.
  case atMissingProvider
  /// The token. The provider has no request that gives it back.
  case withoutRequest
  /// The token. The provider did not give it back, with the reason.
  case refused(String)
  /// The token, until a request is sent, or until the new provider has taken it.
  case waiting(isTaken: Bool)
  /// Tokens of people who were signed in before.
  case ofOthers
}

extension TokenRemainder {
  /// Why pushes stay, unless the step to `removed` is forced.
  func refusal(of record: MigrationRecord) -> String {
    let what =
      switch self {
      case .withoutRequest:
        "has no request to give the push token back: have the vendor drop it"
      case .refused(let reason):
        "did not give the push token back: \(Self.ended(reason)) \(Self.again)"
      case .atMissingProvider, .waiting: held(after: record.plan)
      case .ofOthers: "\(Self.others), \(Self.inAndOut)"
      }
    return "push stays at \(record.stage.words): \"\(record.plan.from)\" \(what), or force the "
      + "step with a reason."
  }

  /// What is told once pushes are removed from the provider.
  func sentence(after plan: Engagement.MigrationPlan) -> String {
    let what =
      switch self {
      case .withoutRequest:
        "still has the push token, and no request gives it back: have the vendor drop it"
      case .refused(let reason):
        "still has the push token: \(Self.ended(reason)) \(Self.again)"
      case .atMissingProvider, .waiting: held(after: plan)
      case .ofOthers: "\(Self.others), or \(Self.inAndOut)"
      }
    return "\"\(plan.from)\" \(what)."
  }

  /// The same for what needs no other words once pushes are removed.
  private func held(after plan: Engagement.MigrationPlan) -> String {
    let start = "still has the push token"
    return switch self {
    case .waiting(let isTaken):
      isTaken
        ? "\(start): let what waits be sent"
        : "\(start), and \"\(plan.to)\" has not taken it: register the token again"
    case .atMissingProvider:
      "\(start) and is not configured any more: put it back, or have the vendor drop it"
    case .withoutRequest, .refused, .ofOthers: start
    }
  }

  private static let again = "Register the token again, which asks it once more"
  private static let inAndOut = "sign these people in and out again"
  private static let others =
    "may still push to people who were signed in here before, since it did not give their tokens back. "
    + "Have the vendor drop them"

  private static func ended(_ reason: String) -> String {
    reason.hasSuffix(".") ? reason : reason + "."
  }
}
