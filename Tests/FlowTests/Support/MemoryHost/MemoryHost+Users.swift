import EngagementAdapterAPI
import EngagementModel
import EngagementTesting

@testable import EngagementKit

extension MemoryHost {
  /// Changes the user the way the vendor wants it, step by step.
  func signIn(_ new: User, _ runner: OperationRunner) async {
    let old = user
    guard new != old else { return }
    let steps = adapter.transition(from: old, to: new, in: context())
    let former = steps.filter(\.isFormer)
    for step in former { await perform(step, runner) }
    state.withLock { state in
      let left = state.partition
      if old.isAnonymous, steps.contains(.adoptPending) {
        state.partition.outbox.removeAll { $0.state == .pending }
        state.user = new
        state.partition.adopt(left)
        state.hasAdopted = true
      } else {
        state.user = new
        state.hasAdopted = false
      }
      state.credential = nil
    }
    for step in steps where !step.isFormer { await perform(step, runner) }
    await drain(runner)
  }

  private func perform(_ step: TransitionStep, _ runner: OperationRunner) async {
    switch step {
    case .sendPending: await drain(runner)
    case .leave(let operation):
      // Without a network it is said when the former user comes back.
      switch await runner.execute(operation, attempt()).outcome {
      case .wait, .retry: accept(operation)
      case .done, .partly, .refused, .cancelled: break
      }
    // Kept until done: a sign-in without a network is told to the vendor later.
    case .enter(let operation): accept(operation)
    case .apply(let changes): commit(changes)
    case .adoptPending: break
    }
  }

  /// Hands a push to the adapter; what has to be done about it is kept until done.
  ///
  /// - Returns: The notification, or nil when the push is not this vendor's.
  @discardableResult func receive(_ push: JSON) -> PushNotification? {
    guard let received = adapter.received(push, in: context()) else { return nil }
    commit(received.changes + received.operations.map(Change.wanted))
    return received.notification
  }
}

extension TransitionStep {
  /// Whether the step still speaks for the former user.
  fileprivate var isFormer: Bool {
    switch self {
    case .sendPending, .leave: true
    case .adoptPending, .apply, .enter: false
    }
  }
}

extension MemoryHost.Partition {
  /// Takes over what an anonymous user left to do, with what that made visible.
  fileprivate mutating func adopt(_ other: MemoryHost.Partition) {
    let rows = other.outbox.filter { $0.state == .pending }
    outbox += rows
    for id in rows.compactMap(\.item?.id) {
      overlays[id] = overlays[id] ?? other.overlays[id]
      surfaces[id] = surfaces[id] ?? other.surfaces[id]
    }
  }
}
