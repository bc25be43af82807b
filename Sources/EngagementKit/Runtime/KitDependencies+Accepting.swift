import EngagementAdapterAPI
import EngagementFormats
import EngagementModel
import EngagementStore

extension KitDependencies {
  /// An event that happens now, with a new id where none is given.
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

  /// Records an event that no vendor is told of.
  func record(_ event: EngagementEvent, in partition: Partition) async throws(EngagementError) {
    _ = try await store.record([event], in: partition)
    commitPublisher.signal.fire()
  }

  // MARK: Intents

  /// The intent of an action on an item in the cache: overlay mark, event and outbox row.
  ///
  /// Throws `invalidArgument` for values that no vendor takes, and `unsupported` if this vendor has
  /// no such action.
  func intent(
    for action: ItemAction, at provider: Provider, recordedBy event: EngagementEvent
  ) throws(EngagementError) -> Intent {
    try action.check()
    guard let item = event.item else { return Intent(event: event) }
    let route = try ActionRoute(
      action, on: item, recordedBy: event, with: provider.adapter.capabilities)
    let deliveries = [OutboxRow.Work(route)].compactMap { $0 }
      .map { delivery(to: provider, $0, about: event.kind) }
    return Intent(event: event, mark: .init(action, on: item), deliveries: deliveries)
  }

  /// An event with an outbox row for each of the providers, in its own session.
  func intent(
    for event: EngagementEvent, to providers: [Provider], in session: (ProviderID) -> SessionID?
  ) -> Intent {
    let deliveries = providers.map { provider in
      var own = event
      own.session = session(provider.id)
      return delivery(to: provider, .event(own), about: event.kind)
    }
    return Intent(event: event, deliveries: deliveries)
  }

  /// The intent of a file: an event and an outbox row, and another one for a vendor that is told of it.
  func intent(
    for upload: Operation.Upload, _ file: Engagement.ChosenFile, at provider: Provider,
    recordedBy blank: EngagementEvent
  ) -> Intent {
    var event = blank
    event.item = upload.item
    event.properties = upload.properties(in: .started)
    var deliveries = [
      Intent.Delivery(
        to: provider.id, .operation(.upload(upload)), key: file.key, file: file.file.bytes)
    ]
    if provider.takes(.upload) {
      deliveries.append(delivery(to: provider, .event(event), about: .upload))
    }
    return Intent(event: event, deliveries: deliveries)
  }

  /// Events that only full consent allows are analytics, which are evicted for newer rows.
  private func delivery(
    to provider: Provider, _ work: OutboxRow.Work, about kind: EngagementEvent.Kind
  ) -> Intent.Delivery {
    Intent.Delivery(
      to: provider.id, work, key: key(),
      isAnalytics: !ConsentPolicy(consent: .essential).allows(kind))
  }

  // MARK: Accepting

  /// Accepts intents and tells the observers of commits, among them the outbox sender.
  func accept(_ intents: [Intent], in partition: Partition) async throws(EngagementError) {
    try await accept(in: partition) { (_, _) throws(EngagementError) in intents }
  }

  /// Accepts the intents that the body makes of the user's consent and the items in the cache.
  func acceptWithReceipt(
    in partition: Partition, making intents: @escaping Store.IntentMaker
  ) async throws(EngagementError) -> Engagement.Receipt {
    let watch = ReceiptWatch()
    do throws(EngagementError) {
      try await accept(in: partition) { [receiptOutcomes] (consent, find) throws(EngagementError) in
        let made = try intents(consent, find)
        // Before the rows are there: the outbox sender may deliver them at once.
        receiptOutcomes.add(watch, of: made)
        return made
      }
    } catch {
      receiptOutcomes.remove(watch)
      throw error
    }
    watch.noteAccepted()
    if watch.hasRows { lifecycle.noteAccepted(log) }
    return Engagement.Receipt(watch, clock: clock)
  }

  /// Accepts intents and changes stored values of one owner, in one transaction.
  func accept<Outcome: Sendable>(
    in partition: Partition, updating owner: ProviderID,
    _ body: @escaping Store.ValueUpdater<Outcome>
  ) async throws(EngagementError) -> Outcome {
    let (acceptance, outcome) = try await store.accept(
      in: partition, at: clock.now, loadsFeeds: currentUser.userSession.partition == partition,
      updating: owner, body)
    await commitPublisher.publish(CommitReport(acceptance), of: partition)
    return outcome
  }

  /// Accepts what the body makes of the user's consent and the items in the cache.
  func accept(
    in partition: Partition, making intents: Store.IntentMaker
  ) async throws(EngagementError) {
    let acceptance = try await store.accept(
      in: partition, at: clock.now, loadsFeeds: currentUser.userSession.partition == partition,
      making: intents)
    await commitPublisher.publish(CommitReport(acceptance), of: partition)
  }
}

extension OutboxRow.Work {
  /// The outbox row; nil for an action that is only kept in the cache.
  init?(_ route: ActionRoute) {
    switch route {
    case .local: return nil
    case .event(let event): self = .event(event)
    case .operation(let operation): self = .operation(operation)
    }
  }
}
