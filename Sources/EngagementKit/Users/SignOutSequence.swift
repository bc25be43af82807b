import EngagementAdapterAPI
import EngagementModel
import EngagementStore

/// Tells vendors, as the user who leaves and in each vendor's order, what they want to know before.
struct SignOutSequence: Sendable {
  let dependencies: KitDependencies
  let runtimes: [ProviderID: ProviderRuntime]
  let outboxSender: OutboxSender
  let former: UserSession
  /// The uptime at which the sequence stops waiting for vendors.
  let end: Duration

  /// What was done at one provider, and what could not be.
  struct Result: Sendable {
    var report = SignOutReport.ProviderResult()
    /// What the vendor is told when the user signs in again.
    var untold: [(operation: Operation, key: OperationKey)] = []
    /// Whether the vendor was told everything that it wants to be told.
    var isTold = false

    /// Adds what was done afterwards.
    mutating func add(_ later: Result) {
      isTold = later.isTold && untold.isEmpty && report.failure == nil
      untold += later.untold
      report.failure = later.report.failure ?? report.failure
    }
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

  /// Goes through what a later plan wants done before the user leaves and the earlier one did not. For
  /// these providers the later plan replaces the earlier one.
  func run(
    _ later: [ProviderID: [TransitionStep]], after plans: inout [ProviderID: [TransitionStep]],
    adding results: inout [ProviderID: Result]
  ) async {
    var new: [ProviderID: [TransitionStep]] = [:]
    for (provider, steps) in later {
      let known = plans[provider] ?? []
      let added = steps.filter { $0 != .sendPending && $0.isOfFormerUser && !known.contains($0) }
      guard !added.isEmpty else { continue }
      new[provider] = added
      plans[provider] = steps
    }
    for (provider, result) in await run(new) { results[provider, default: Result()].add(result) }
  }

  private func run(_ steps: [TransitionStep], at provider: ProviderID) async -> Result {
    var result = Result()
    for step in steps {
      switch step {
      case .sendPending: await sendPending(at: provider, &result)
      case .leave(let operation):
        // No row that waits overtakes it: a registration would give the token back.
        var changed = result
        await outboxSender.holding(provider, of: former, within: left) {
          await leave(operation, at: provider, &changed)
        }
        result = changed
      case .adoptPending, .apply, .enter: break
      }
    }
    return result
  }

  private var left: Duration { end - dependencies.clock.uptime }

  private func sendPending(at provider: ProviderID, _ result: inout Result) async {
    guard left > .zero else { return }
    let drained = await outboxSender.drain(provider, as: former, within: left)
    result.report.delivered += drained.delivered
    result.report.rejected += drained.refused
  }

  /// A vendor that gives a token back also gives back those that waiting registrations replace.
  private func leave(
    _ operation: Operation, at provider: ProviderID, _ result: inout Result
  ) async {
    if case .unregisterPush(let environment) = operation {
      do throws(EngagementError) {
        let replaced = try await dependencies.replacedTokens(
          environment, at: provider, in: former.partition)
        for token in replaced {
          let key = dependencies.key()
          try await dependencies.tokensToUnregister.retire(token, for: [key])
          await execute(operation, key, at: provider, &result)
          guard !result.untold.contains(where: { $0.key == key }) else { continue }
          await dependencies.tokensToUnregister.forget([key])
        }
      } catch {
        result.report.failure = error
      }
    }
    await execute(operation, dependencies.key(), at: provider, &result)
  }

  private func execute(
    _ operation: Operation, _ key: OperationKey, at provider: ProviderID,
    _ result: inout Result
  ) async {
    let outcome = await execute(operation, key, at: provider)
    result.isTold = outcome == .done && result.untold.isEmpty && result.report.failure == nil
    switch outcome {
    case .done:
      if case .unregisterPush(let environment) = operation {
        await withholdRegistrations(environment, at: provider)
      }
      await note(operation, at: provider)
    case .partly: break
    case .wait: result.untold.append((operation, key))
    case .retry(let error), .cancelled(let error, _):
      result.untold.append((operation, key))
      result.report.failure = error
    case .refused(let error):
      if error.code.waitsForUser { result.untold.append((operation, key)) }
      result.report.failure = error
    }
  }

  /// A registration that still waits would give the token back to a vendor that has just let go of it.
  private func withholdRegistrations(
    _ environment: PushEnvironment, at provider: ProviderID
  ) async {
    do throws(EngagementError) {
      let report = try await dependencies.store.withholdRegistrations(
        environment, at: provider, in: former.partition, at: dependencies.clock.now)
      await dependencies.commitPublisher.publish(report, of: former.partition)
    } catch {
      dependencies.log(.warning, "A registration of pushes still waits: \(error.code)", provider)
    }
  }

  /// Notes that a vendor was told. If that fails, the state of a push token stays as it was before.
  private func note(_ operation: Operation, at provider: ProviderID) async {
    do throws(EngagementError) {
      try await dependencies.store.noteDone(
        operation, at: provider, in: former.partition, at: dependencies.clock.now)
    } catch {
      dependencies.log(.warning, "What a vendor was told is not noted: \(error.code)", provider)
    }
  }

  private func execute(
    _ operation: Operation, _ key: OperationKey, at provider: ProviderID
  ) async -> OperationRunner.Outcome {
    let late = EngagementError(
      .deadlineExceeded, "There was no time left to tell the vendor.", provider: provider,
      operation: operation.verb.rawValue)
    guard left > .zero, let runtime = runtimes[provider] else { return .retry(late) }
    let attempt = Attempt(
      by: former.user, key, acceptedAt: dependencies.clock.now, generation: former.generation)
    let (execution, isLate) = await withTimeLimit(left, on: dependencies.clock) {
      await runtime.runner.execute(operation, attempt)
    }
    if isLate, case .cancelled = execution.outcome { return .retry(late) }
    return execution.outcome
  }
}

extension EngagementError.Code {
  /// Whether the operation may work when the user signs in again.
  fileprivate var waitsForUser: Bool {
    [.unauthenticated, .signedOut, .consentDenied].contains(self)
  }
}
