import EngagementAdapterAPI
import EngagementFormats
import EngagementModel
import EngagementStore

extension House {
  /// Something that happens now, with a new id where none is given.
  func event(
    _ kind: EngagementEvent.Kind, at provider: ProviderID? = nil, in session: SessionID? = nil,
    id: EventID? = nil, _ properties: JSONObject = [:]
  ) -> EngagementEvent {
    let now = clock.now
    return EngagementEvent(
      id: id ?? eventID(), kind: kind, time: now, zoneOffset: device().zoneOffset,
      session: session, provider: provider, properties: properties)
  }

  private func eventID() -> EventID {
    let (now, bits) = (clock.now, (high: random(), low: random()))
    return EventID(eventIDs.withLock { $0.next(at: now, random: bits) }.text)
  }

  // MARK: What is to be accepted

  /// An action on an item that is known to be there, as the event records it: what is seen, what
  /// is recorded and what is to be sent.
  ///
  /// Throws for what no vendor takes, and `unsupported` for what this one lacks.
  func intent(
    for action: ItemAction, at provider: Provider, recordedBy event: EngagementEvent
  ) throws(EngagementError) -> Intent {
    try action.check()
    guard let item = event.item else { return Intent(event: event) }
    let route = try ActionRoute(
      action, on: item, recordedBy: event, with: provider.adapter.capabilities)
    let parcels = [OutboxRow.Work(route)].compactMap { $0 }
      .map { parcel(to: provider, $0, about: event.kind) }
    return Intent(event: event, mark: .init(action, on: item), parcels: parcels)
  }

  /// An event with a parcel for each of the providers.
  func intent(for event: EngagementEvent, to providers: [Provider]) -> Intent {
    Intent(
      event: event, parcels: providers.map { parcel(to: $0, .event(event), about: event.kind) })
  }

  /// What only full consent allows is analytics: it makes room for newer rows, an action does not.
  private func parcel(
    to provider: Provider, _ work: OutboxRow.Work, about kind: EngagementEvent.Kind
  ) -> Intent.Parcel {
    Intent.Parcel(
      to: provider.id, work, key: key(),
      isAnalytics: !ConsentRule(consent: .essential).allows(kind))
  }

  // MARK: Accepting

  /// Accepts something for the courier and tells everybody, the courier too.
  @discardableResult func accept(
    _ intents: [Intent], in partition: Partition
  ) async throws(EngagementError) -> Acceptance {
    try await accept(in: partition) { (_, _) throws(EngagementError) in intents }
  }

  /// Accepts what the body makes of what the user allows and of the items that are there.
  @discardableResult func accept(
    in partition: Partition, making intents: Store.IntentMaker
  ) async throws(EngagementError) -> Acceptance {
    let acceptance = try await store.accept(in: partition, at: clock.now, making: intents)
    var report = CommitReport()
    report.feeds = acceptance.feeds
    report.ended = acceptance.ended
    report.hasNewRows = !acceptance.keys.isEmpty
    await bulletin.post(report, of: partition)
    return acceptance
  }
}

extension OutboxRow.Work {
  /// What has to be sent, or nil for what stays here.
  init?(_ route: ActionRoute) {
    switch route {
    case .local: return nil
    case .event(let event): self = .event(event)
    case .operation(let operation): self = .operation(operation)
    }
  }
}
