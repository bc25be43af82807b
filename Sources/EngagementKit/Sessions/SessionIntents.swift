import EngagementAdapterAPI
import EngagementModel
import EngagementStore

/// Makes the intents of noted sessions and impressions: an event for the ledger, and an outbox row
/// for each provider whose vendor takes the event.
struct SessionIntents: Sendable {
  private let dependencies: KitDependencies
  private let rule: ConsentPolicy

  init(_ dependencies: KitDependencies, _ consent: Consent) {
    self.dependencies = dependencies
    rule = ConsentPolicy(consent: consent)
  }

  /// Empty if consent does not allow the event, or if the item is no longer in the cache.
  func intents(
    for note: SessionTracker.Note, _ find: Store.ItemSearch
  ) throws(EngagementError) -> [Intent] {
    switch note.fact {
    case .began(let owner, _) where isNeeded(by: owner): return session(note, of: owner)
    case .began, .ended, .launched, .impression: break
    }
    guard rule.allows(note.fact.kind) else { return [] }
    return switch note.fact {
    case .launched: [launch(note)]
    case .began(let owner, _), .ended(let owner, _, _): session(note, of: owner)
    case .impression(let item): try impression(of: item, note, find)
    }
  }

  /// Whether the vendor serves nothing without the start of a session, which is then no analytics.
  private func isNeeded(by owner: ProviderID) -> Bool {
    rule.allowsSessionStart
      && dependencies.providers.contains { $0.id == owner && $0.adapter.capabilities.needsSession }
  }

  /// One event, and one outbox row for each vendor in its own session.
  private func launch(_ note: SessionTracker.Note) -> Intent {
    let event = event(note, in: note.sessions[SessionTracker.kit])
    let deliveries = dependencies.providers.filter { $0.takes(.launch) }.map { provider in
      var own = event
      own.provider = provider.id
      own.session = note.sessions[provider.id]
      return delivery(own, to: provider)
    }
    return Intent(event: event, deliveries: deliveries)
  }

  /// The kit's own session is recorded. A provider's session is recorded if its vendor takes the
  /// event.
  private func session(_ note: SessionTracker.Note, of owner: ProviderID) -> [Intent] {
    if owner == SessionTracker.kit {
      return [Intent(event: event(note, in: note.fact.session))]
    }
    guard let provider = dependencies.providers.first(where: { $0.id == owner }),
      provider.takes(note.fact.kind)
    else { return [] }
    var event = event(note, in: note.fact.session)
    event.provider = owner
    var delivery = delivery(event, to: provider)
    if isNeeded(by: owner), event.kind == .sessionStart { delivery.isAnalytics = false }
    // Without full consent the vendor hears of the session, and nothing is recorded.
    return [Intent(event: rule.allows(event.kind) ? event : nil, deliveries: [delivery])]
  }

  /// Impressions are counted alike for every vendor. Only vendors that take them are told.
  private func impression(
    of id: ItemID, _ note: SessionTracker.Note, _ find: Store.ItemSearch
  ) throws(EngagementError) -> [Intent] {
    guard let provider = dependencies.providers.first(where: { $0.id == id.provider }) else {
      return []
    }
    var references: [ItemReference] = []
    for surface in RoutedSurface.allCases.map(\.surface) where references.isEmpty {
      references += try find(id, surface).map { [$0] } ?? []
    }
    return references.map { item in
      var event = event(note, in: note.sessions[provider.id])
      event.provider = provider.id
      event.item = item
      return Intent(
        event: event, mark: Intent.Mark(.impression, on: item),
        deliveries: deliveries(for: item, event, to: provider))
    }
  }

  private func deliveries(
    for item: ItemReference, _ event: EngagementEvent, to provider: Provider
  ) -> [Intent.Delivery] {
    let route = try? ActionRoute(
      .impression, on: item, recordedBy: event, with: provider.adapter.capabilities)
    switch route {
    case .operation(let operation):
      return [
        Intent.Delivery(
          to: provider.id, .operation(operation), key: dependencies.key(), isAnalytics: true)
      ]
    case .event(let event): return [delivery(event, to: provider)]
    case .local, nil: return []
    }
  }

  private func delivery(_ event: EngagementEvent, to provider: Provider) -> Intent.Delivery {
    Intent.Delivery(to: provider.id, .event(event), key: dependencies.key(), isAnalytics: true)
  }

  private func event(_ note: SessionTracker.Note, in session: SessionID?) -> EngagementEvent {
    var event = dependencies.event(note.fact.kind, in: session, note.fact.properties)
    event.time = note.time
    return event
  }
}

extension SessionTracker.Note.Fact {
  var kind: EngagementEvent.Kind {
    switch self {
    case .launched: .launch
    case .began: .sessionStart
    case .ended: .sessionEnd
    case .impression: .impression
    }
  }

  fileprivate var session: SessionID? {
    switch self {
    case .began(_, let session), .ended(_, let session, _): session.id
    case .launched, .impression: nil
    }
  }

  fileprivate var properties: JSONObject {
    guard case .ended(_, _, let length) = self else { return [:] }
    return ["seconds": .number(length.seconds)]
  }
}
