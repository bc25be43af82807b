import EngagementKit
import EngagementModel

/// What became of something within the time that a command waits for it.
enum Delivery: Hashable {
  case delivered, pending
  case refused(EngagementError)
  case expired, wiped

  /// Waits for the receipt's outcome, no longer than the patience.
  static func of(_ receipt: Receipt, in surroundings: Surroundings) async throws -> Delivery {
    let clock = surroundings.clock
    let end = clock.uptime + surroundings.patience
    let outcome = await withTaskGroup(of: Receipt.Outcome?.self) { group in
      group.addTask { await receipt.outcome }
      group.addTask {
        await clock.sleep(until: end)
        return nil
      }
      defer { group.cancelAll() }
      return await group.next() ?? nil
    }
    try Task.checkCancellation()
    return switch outcome {
    case .delivered?: .delivered
    case .refused(let error)?: .refused(error)
    case .expired?: .expired
    case .wiped?: .wiped
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
    default: "\(name, style)"
    }
  }

  var members: JSONObject {
    var members: JSONObject = ["outcome": .string(name)]
    if case .refused(let error) = self {
      members["error"] = .string(error.code.text)
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
    _ receipt: Receipt, _ what: Phrase, _ members: JSONObject
  ) async throws -> ExitStatus {
    let delivery = try await console.progress("\(what) …") {
      try await Delivery.of(receipt, in: surroundings)
    }
    try console.line("\(what): \(delivery.phrase)")
    try console.object(
      JSONObject(uniqueMembers: members.members + delivery.members.members))
    return delivery.status
  }
}
