import EngagementAdapterAPI
public import EngagementModel
import EngagementStore

extension Engagement {
  /// What the present user allows.
  public var consent: Consent {
    get async throws(EngagementError) {
      try lifecycle.checkOpen()
      return try await dependencies.store.consent(of: dependencies.currentUser.present.partition)
    }
  }

  /// Notes what the present user allows. It is durable before anything is sent under it.
  ///
  /// What waits to be sent and is no longer allowed as analytics is dropped and counted as wiped;
  /// what the user asked for waits until it is allowed again. Vendors that can be told are told
  /// when data about the user may not be kept, and when it may again. Feeds go on as they are.
  ///
  /// Where it throws, call it again: what was done is done once.
  public func setConsent(_ consent: Consent) async throws(EngagementError) {
    try lifecycle.checkOpen()
    try await setConsent(consent, of: dependencies.currentUser.present.partition)
  }

  func setConsent(
    _ consent: Consent, of partition: Partition
  ) async throws(EngagementError) {
    try await dependencies.store.setConsent(consent, of: partition)
    try await dropAnalytics(against: ConsentPolicy(consent: consent), of: partition)
    try await tellVendors(optedOut: consent == .denied, for: partition)
    // What was held back may go now.
    outboxSender.wake()
  }

  private func dropAnalytics(
    against rule: ConsentPolicy, of partition: Partition
  ) async throws(EngagementError) {
    // What the user asked for is only held back while consent is denied.
    let rule = rule.consent == .denied ? ConsentPolicy(consent: .essential) : rule
    guard rule.consent != .full else { return }
    for provider in dependencies.providers {
      let rows = try await dependencies.store.pending(for: provider.id, in: partition, limit: .max)
      let unwanted = rows.filter { !rule.allowsSending($0) }.map(\.id)
      guard !unwanted.isEmpty else { continue }
      let report = try await dependencies.store.settle(
        unwanted.map { ($0, .wiped) }, at: dependencies.clock.now)
      await dependencies.commitPublisher.publish(report, of: partition)
    }
  }

  private func tellVendors(
    optedOut: Bool, for partition: Partition
  ) async throws(EngagementError) {
    let memory = KitState(dependencies)
    for provider in dependencies.providers
    where provider.adapter.capabilities.ability(.optOut).travel != .unsupported {
      let name = "optOut/\(provider.id)"
      let told = try await memory.value(.user, name, in: partition)?.bool ?? false
      guard told != optedOut else { continue }
      let delivery = Intent.Delivery(
        to: provider.id, .operation(.optOut(optedOut)), key: dependencies.key())
      try await dependencies.accept([Intent(deliveries: [delivery])], in: partition)
      // After it was accepted: a kill in between tells a vendor twice and never not at all.
      try await memory.keep([name: .bool(optedOut)], .user, in: partition)
    }
  }
}

extension ConsentPolicy {
  /// Whether a row that was accepted under another consent may still go.
  func allowsSending(_ row: OutboxRow) -> Bool {
    switch row.work {
    case .event(let event): allows(event.kind)
    case .operation(let operation): allowsSending(operation)
    }
  }
}
