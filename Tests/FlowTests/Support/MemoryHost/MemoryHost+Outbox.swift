import EngagementAdapterAPI
import EngagementModel
import EngagementStore
import EngagementTesting
import FoundationEssentials

@testable import EngagementKit

extension MemoryHost {
  /// Something accepted and not yet settled, or how it was settled.
  struct PendingRow: Sendable {
    var work: Work
    var key: OperationKey
    var acceptedAt: Date
    var attempts = 0
    var state = RowState.pending
    /// The action that is taken back when the vendor refuses.
    var action: ItemAction?

    enum Work: Hashable, Sendable {
      case operation(Operation)
      case event(EngagementEvent)
    }

    enum RowState: Hashable, Sendable {
      case pending, delivered
      case rejected(String)
    }

    var event: EngagementEvent? { if case .event(let event) = work { event } else { nil } }

    var item: ItemReference? {
      switch work {
      case .event(let event): event.item
      case .operation(.act(_, let item)): item
      case .operation: nil
      }
    }
  }

  /// Everything that was accepted for the user, in order.
  var outbox: [PendingRow] { state.withLock { $0.partition.outbox } }

  /// What is still to be sent.
  var pending: [PendingRow.Work] {
    outbox.filter { $0.state == .pending }.map(\.work)
  }

  /// Accepts an operation to be sent.
  func accept(_ operation: Operation) {
    let now = clock.now
    state.withLock { accept(operation, in: &$0, at: now) }
  }

  func accept(_ operation: Operation, in state: inout State, at now: Date) {
    state.nextKey += 1
    state.partition.outbox.append(
      PendingRow(work: .operation(operation), key: OperationKey(1, state.nextKey), acceptedAt: now))
  }

  /// Accepts an event to be sent.
  func accept(_ event: EngagementEvent) {
    let now = clock.now
    state.withLock { state in
      state.nextKey += 1
      state.partition.outbox.append(
        PendingRow(work: .event(event), key: OperationKey(1, state.nextKey), acceptedAt: now))
    }
  }

  /// Does what the user does: the overlay and the row together.
  func act(
    _ action: ItemAction, on item: ItemReference
  ) throws(EngagementError) {
    let now = clock.now
    let event = EngagementEvent(
      id: EventID(context().id(0)), kind: action.eventKind, time: now,
      zoneOffset: device.zoneOffset, session: state.withLock { $0.session?.id },
      provider: item.id.provider, item: item, properties: action.eventProperties)
    let route = try ActionRoute(
      action, on: item, recordedBy: event, with: adapter.capabilities)
    state.withLock { state in
      state.partition.overlays[item.id, default: Overlay()].record(action, at: now)
      state.partition.surfaces[item.id] = item.surface
      guard let work = PendingRow.Work(route) else { return }
      state.nextKey += 1
      state.partition.outbox.append(
        PendingRow(
          work: work, key: OperationKey(1, state.nextKey), acceptedAt: now, action: action))
    }
  }

  /// Sends what is pending, events in batches and then operations in order, once each.
  ///
  /// An operation that does not arrive, or that has no credential, stays and holds up
  /// the operations behind it.
  @discardableResult func drain(
    _ perform: (Operation, Attempt) async -> OperationRunner.Outcome
  ) async -> [OperationRunner.Outcome] {
    var outcomes: [OperationRunner.Outcome] = []
    let rows = outbox.filter { $0.state == .pending && $0.event != nil }
    for batch in adapter.capabilities.batching.batches(of: rows.compactMap(\.event)) {
      let ids = Set(batch.map(\.id))
      let left = rows.filter { row in row.event.map { ids.contains($0.id) } ?? false }
      guard let first = left.first, isPending(first.key) else { continue }
      let outcome = await perform(.events(batch), begin(first.key))
      outcomes.append(outcome)
      for row in left { settle(row.key, outcome) }
    }
    while let row = outbox.first(where: { $0.state == .pending && $0.event == nil }),
      case .operation(let operation) = row.work
    {
      let outcome = await perform(operation, begin(row.key))
      outcomes.append(outcome)
      settle(row.key, outcome)
      if isPending(row.key) { break }
    }
    return outcomes
  }

  /// Sends what is pending through the exchange.
  @discardableResult func drain(_ runner: OperationRunner) async -> [OperationRunner
    .Outcome]
  {
    await drain { await runner.execute($0, $1).outcome }
  }

  private func isPending(_ key: OperationKey) -> Bool {
    outbox.contains { $0.key == key && $0.state == .pending }
  }

  /// Counts another try at the row.
  private func begin(_ key: OperationKey) -> Attempt {
    state.withLock { state in
      guard let index = state.partition.outbox.firstIndex(where: { $0.key == key }) else {
        return Attempt(by: state.user, key, acceptedAt: .distantPast)
      }
      state.partition.outbox[index].attempts += 1
      let row = state.partition.outbox[index]
      return Attempt(by: state.user, key, acceptedAt: row.acceptedAt, number: row.attempts)
    }
  }

  private func settle(_ key: OperationKey, _ outcome: OperationRunner.Outcome) {
    state.withLock { state in
      let owner = state.kept.partitions.first { $0.value.outbox.contains { $0.key == key } }
      guard let owner else { return }
      state.acting(as: owner.key) { $0.partition.settle(key, outcome) }
    }
  }
}

extension MemoryHost.PendingRow.Work {
  /// What has to be sent, or nil for what stays here.
  init?(_ route: ActionRoute) {
    switch route {
    case .local: return nil
    case .event(let event): self = .event(event)
    case .operation(let operation): self = .operation(operation)
    }
  }
}

extension MemoryHost.Partition {
  mutating func settle(_ key: OperationKey, _ outcome: OperationRunner.Outcome) {
    guard let index = outbox.firstIndex(where: { $0.key == key && $0.state == .pending }) else {
      return
    }
    switch outcome {
    case .done: outbox[index].state = .delivered
    case .partly(let rejected):
      guard let event = outbox[index].event, let reason = rejected[event.id] else {
        outbox[index].state = .delivered
        return
      }
      reject(index, reason)
    case .refused(let error) where !Self.waiting.contains(error.code): reject(index, error.message)
    case .refused, .wait, .retry, .cancelled: break
    }
  }

  /// Refusals that lose nothing: the row waits for a credential, for its user, for another try.
  private static let waiting: Set<EngagementError.Code> = [
    .cancelled, .unauthenticated, .signedOut,
  ]

  /// Rows whose events have arrived.
  mutating func settle(_ ids: [EventID]) {
    for index in outbox.indices {
      if let event = outbox[index].event, ids.contains(event.id), outbox[index].state == .pending {
        outbox[index].state = .delivered
      }
    }
  }

  /// Rows that cannot be delivered any more.
  mutating func abandon(_ surface: Surface, _ reason: String) {
    for index in outbox.indices
    where outbox[index].item?.surface == surface && outbox[index].state == .pending {
      reject(index, reason)
    }
  }

  private mutating func reject(_ index: Int, _ reason: String) {
    outbox[index].state = .rejected(reason)
    if let action = outbox[index].action, let item = outbox[index].item {
      overlays[item.id]?.undo(action)
    }
  }
}
