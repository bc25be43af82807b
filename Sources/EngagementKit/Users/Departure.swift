import EngagementAdapterAPI
import EngagementModel
import EngagementStore

/// What vendors are told before a user leaves, as that user and in each vendor's order.
struct Departure: Sendable {
  let house: House
  let exchanges: [ProviderID: Exchange]
  let courier: Courier
  let former: Occupant
  /// The uptime at which nobody is waited for any more.
  let end: Duration

  /// What was done at one provider, and what could not be.
  struct Result: Sendable {
    var farewell = SignOutReport.Farewell()
    /// What the vendor has yet to be told, when the user comes back.
    var unsaid: [(operation: Operation, key: OperationKey)] = []
    /// Whether the vendor was told everything that it wants to be told.
    var isTold = false
  }

  /// Goes through the steps of all providers, which do not wait for each other.
  func run(_ plans: [ProviderID: [TransitionStep]]) async -> [ProviderID: Result] {
    await withTaskGroup(of: (ProviderID, Result).self) { group in
      for (provider, steps) in plans {
        group.addTask { (provider, await run(steps, at: provider)) }
      }
      return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
  }

  private func run(_ steps: [TransitionStep], at provider: ProviderID) async -> Result {
    var result = Result()
    for step in steps {
      switch step {
      case .sendPending: await sendPending(at: provider, &result)
      case .leave(let operation): await say(operation, at: provider, &result)
      case .adoptPending, .apply, .enter: break
      }
    }
    return result
  }

  private var left: Duration { end - house.clock.uptime }

  private func sendPending(at provider: ProviderID, _ result: inout Result) async {
    guard left > .zero else { return }
    let report = await courier.drain(provider, as: former, within: left)
    result.farewell.delivered += report.delivered
    result.farewell.refused += report.refused
  }

  private func say(
    _ operation: Operation, at provider: ProviderID, _ result: inout Result
  ) async {
    let key = house.key()
    let outcome = await perform(operation, key, at: provider)
    result.isTold = outcome == .done && result.unsaid.isEmpty && result.farewell.failure == nil
    switch outcome {
    case .done, .partly: break
    case .wait: result.unsaid.append((operation, key))
    case .retry(let error):
      result.unsaid.append((operation, key))
      result.farewell.failure = error
    case .refused(let error):
      if error.code.waitsForUser { result.unsaid.append((operation, key)) }
      result.farewell.failure = error
    }
  }

  private func perform(
    _ operation: Operation, _ key: OperationKey, at provider: ProviderID
  ) async -> Exchange.Outcome {
    let late = EngagementError(
      .deadlineExceeded, "There was no time left to tell the vendor.", provider: provider,
      operation: operation.verb.text)
    guard left > .zero, let exchange = exchanges[provider] else { return .retry(late) }
    let attempt = Attempt(
      by: former.user, key, acceptedAt: house.clock.now, generation: former.generation)
    let (outcome, isLate) = await withTimeLimit(left, on: house.clock) {
      await exchange.perform(operation, attempt)
    }
    if isLate, case .refused(let error) = outcome, error.code == .cancelled { return .retry(late) }
    return outcome
  }
}

extension EngagementError.Code {
  /// Whether the same may be said when the user is there again.
  fileprivate var waitsForUser: Bool {
    [.cancelled, .unauthenticated, .signedOut, .consentDenied].contains(self)
  }
}
