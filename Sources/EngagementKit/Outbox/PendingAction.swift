import EngagementAdapterAPI
public import EngagementModel
public import EngagementPlatform
import EngagementStore

extension Engagement {
  /// An accepted action that has not ended.
  public struct PendingAction: Hashable, Sendable, Identifiable {
    /// Counts up with every accepted action.
    public var id: Int64
    public var provider: ProviderID
    /// The event's name or kind, or the operation's name.
    public var name: String
    /// The event's kind; nil for an operation.
    public var kind: EngagementEvent.Kind?
    /// The item that it is about.
    public var item: ItemID?
    public var acceptedAt: Date
    /// How many attempts there were, also those that ended before anything was sent.
    public var attempts: Int
    /// Whether it takes a push token back from the provider, or all that this has of the device.
    public var takesPushTokenBack: Bool

    init(_ row: OutboxRow, at capabilities: AdapterCapabilities?) {
      id = row.id
      provider = row.provider
      name = row.event?.told ?? row.work.verb.rawValue
      kind = row.event?.kind
      item = row.item?.id
      acceptedAt = row.acceptedAt
      attempts = row.attempts
      takesPushTokenBack =
        if case .operation(let operation) = row.work {
          operation.verb == .unregisterPush
            || operation.verb != .optOut && capabilities?.isWithdrawal(operation.verb) == true
        } else {
          false
        }
    }
  }

  /// The current user's accepted actions that have not ended, in the order in which they were
  /// accepted. A provider that is no longer open is among them.
  public func pendingActions() async throws(EngagementError) -> [PendingAction] {
    try lifecycle.checkOpen()
    let partition = dependencies.currentUser.userSession.partition
    var actions: [PendingAction] = []
    for (provider, count) in try await pendingCounts where count > 0 {
      let rows = try await dependencies.store.pending(for: provider, in: partition, limit: count)
      let adapter = dependencies.providers.first { $0.id == provider }?.adapter
      actions += rows.map { PendingAction($0, at: adapter?.capabilities) }
    }
    return actions.sorted { $0.id < $1.id }
  }

  /// Drops actions of the current user that have not ended, and returns how many were dropped. An
  /// action that is being sent at this moment may still arrive.
  public func discard(_ actions: [PendingAction.ID]) async throws(EngagementError) -> Int {
    let own = Set(try await pendingActions().map(\.id)).intersection(actions)
    let report = try await dependencies.store.settle(
      own.sorted().map { ($0, .wiped) }, at: dependencies.clock.now)
    await dependencies.commitPublisher.publish(
      report, of: dependencies.currentUser.userSession.partition)
    return report.ended.count
  }
}

extension EngagementEvent {
  /// What a person reads of it. An event about a file is told from the file itself.
  fileprivate var told: String {
    guard kind == .upload else { return name ?? kind.rawValue }
    return "\(kind) \(Operation.Upload.State(of: self)?.rawValue ?? "event")"
  }
}
