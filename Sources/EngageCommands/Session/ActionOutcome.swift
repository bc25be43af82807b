import EngagementKit
import EngagementModel

/// What became of something within the time that a command waits for it.
enum ActionOutcome: Hashable {
  case delivered, pending
  case refused(EngagementError)
  case expired, wiped

  /// Waits for the receipt's outcome, no longer than the patience.
  static func of(_ receipt: Engagement.Receipt, in context: CommandContext) async throws
    -> ActionOutcome
  {
    return switch try await receipt.outcome(within: context.patience) {
    case .delivered?: .delivered
    case .rejected(let error)?: .refused(error)
    case .expired?: .expired
    case .discarded?: .wiped
    case nil: .pending
    }
  }

  var name: String {
    switch self {
    case .delivered: "delivered"
    case .pending: "pending"
    case .refused: "refused"
    case .expired: "expired"
    case .wiped: "wiped"
    }
  }

  private var style: Phrase.Style {
    switch self {
    case .delivered: .green
    case .pending: .yellow
    case .refused, .expired, .wiped: .red
    }
  }

  /// What people read behind what was done.
  var phrase: Phrase {
    switch self {
    case .pending: "\(name, style); the next sync tries again"
    case .refused(let error): "\(name, style): \(error.message)"
    case .delivered, .expired, .wiped: "\(name, style)"
    }
  }

  var members: JSONObject {
    var members: JSONObject = ["outcome": .string(name)]
    if case .refused(let error) = self {
      members["error"] = .string(error.code.rawValue)
      members["message"] = .string(error.message)
    }
    return members
  }

  /// What is accepted is done or will be.
  var status: ExitStatus {
    switch self {
    case .delivered, .pending: .done
    case .refused, .expired, .wiped: .failed
    }
  }
}

extension Invocation {
  /// Waits for the receipt, says what became of it, and gives the exit status.
  func conclude(
    _ receipt: Engagement.Receipt, _ what: Phrase, _ members: JSONObject
  ) async throws -> ExitStatus {
    let delivery: ActionOutcome
    do {
      delivery = try await console.progress("\(what) …") {
        try await ActionOutcome.of(receipt, in: context)
      }
    } catch is CancellationError {
      console.note("\(what): accepted, and pending; the next sync sends it.")
      throw CancellationError()
    }
    try console.line("\(what): \(delivery.phrase)")
    try console.object(
      JSONObject(uniqueMembers: members.members + delivery.members.members))
    return delivery.status
  }
}
