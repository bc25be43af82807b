import EngagementAdapterAPI
public import EngagementModel
import EngagementStore

extension Engagement {
  /// The current user's consent.
  public var consent: Consent {
    get async throws(EngagementError) {
      try lifecycle.checkOpen()
      return try await dependencies.store.consent(
        of: dependencies.currentUser.userSession.partition)
    }
  }

  /// Sets the current user's consent. It is durable before anything is sent under it.
  ///
  /// Pending analytics that the consent no longer allows are dropped and counted as wiped. Pending
  /// actions that the user asked for are kept until they are allowed again; what the user takes back,
  /// such as a push token or the device, is sent nevertheless. Vendors that have an
  /// opt-out learn of a change to or from `denied`. Feeds do not change.
  ///
  /// Returns how many pending events were dropped. If this throws, call it again: a second call does
  /// nothing twice.
  @discardableResult public func setConsent(
    _ consent: Consent
  ) async throws(EngagementError) -> Int {
    try lifecycle.checkOpen()
    return try await setConsent(consent, of: dependencies.currentUser.userSession.partition)
  }

  @discardableResult func setConsent(
    _ consent: Consent, of partition: Partition
  ) async throws(EngagementError) -> Int {
    // A live channel asks for the consent when it begins. One that is open needs no more than any other.
    let ends = !LiveChannel.isAllowed(by: consent)
    if ends { await liveChannels.pause() }
    defer { ends ? liveChannels.resume() : liveChannels.follow() }
    try await dependencies.setConsent(consent, of: partition)
    let dropped = try await dropAnalytics(against: ConsentPolicy(consent: consent), of: partition)
    try await tellVendors(optedOut: consent == .denied, for: partition)
    if dependencies.currentUser.userSession.partition == partition {
      await exposures.followConsent()
    }
    // Rows that the former consent held back may be sent now.
    outboxSender.wake()
    return dropped
  }

  private func dropAnalytics(
    against rule: ConsentPolicy, of partition: Partition
  ) async throws(EngagementError) -> Int {
    // Denied consent holds back the user's own actions and does not drop them.
    let rule = rule.consent == .denied ? ConsentPolicy(consent: .essential) : rule
    guard rule.consent != .full else { return 0 }
    var dropped = 0
    for provider in dependencies.providers {
      let rows = try await dependencies.store.pending(for: provider.id, in: partition, limit: .max)
      let unwanted = rows.filter { !rule.allowsSending($0) }.map(\.id)
      guard !unwanted.isEmpty else { continue }
      let report = try await dependencies.store.settle(
        unwanted.map { ($0, .wiped) }, at: dependencies.clock.now)
      await dependencies.commitPublisher.publish(report, of: partition)
      dropped += report.ended.count
    }
    return dropped
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
      // Only after the row is accepted: after a kill in between, the vendor is told twice.
      try await memory.keep([name: .bool(optedOut)], .user, in: partition)
    }
  }
}

extension KitDependencies {
  /// Stores the consent. A user who takes all consent back has opted out, which the ledger records.
  func setConsent(_ consent: Consent, of partition: Partition) async throws(EngagementError) {
    try await store.setConsent(
      consent, of: partition, recording: consent == .denied ? event(.optOut) : nil)
    commitPublisher.signal.fire()
  }
}

extension ConsentPolicy {
  /// Whether a row that was accepted under another consent may be sent under this one.
  func allowsSending(_ row: OutboxRow) -> Bool {
    switch row.work {
    case .event(let event): allows(event.kind)
    case .operation(let operation): allowsSending(operation)
    }
  }
}
