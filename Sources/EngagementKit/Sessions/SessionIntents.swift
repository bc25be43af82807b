import EngagementAdapterAPI
import EngagementModel
import EngagementStore

/// Makes the intents of noted sessions, impressions and reports of the screen: an event for the ledger, and an outbox row
/// for each provider whose vendor takes the event.
struct SessionIntents: Sendable {
  private let dependencies: KitDependencies
  private let rule: ConsentPolicy
  private let plans: RoutePlans

  init(_ dependencies: KitDependencies, _ consent: Consent, _ plans: RoutePlans) {
    self.dependencies = dependencies
    self.plans = plans
    rule = ConsentPolicy(consent: consent)
  }

  /// Empty if consent does not allow the event, or if the item is no longer in the cache.
  func intents(
    for note: SessionTracker.Note, _ find: Store.ItemSearch
  ) throws(EngagementError) -> [Intent] {
    switch note.fact {
    case .began(let owner, _) where isNeeded(by: owner): return session(note, of: owner)
    case .began, .ended, .launched, .impression, .screen: break
    }
    guard rule.allows(note.fact.kind) else { return [] }
    return switch note.fact {
    case .launched: [launch(note)]
    case .began(let owner, _), .ended(let owner, _, _): session(note, of: owner)
    case .impression(let item): try impression(of: item, note, find)
    case .screen(let fact): try screen(fact, note, find)
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
    let takers = dependencies.providers.filter {
      $0.takes(.launch) && $0.serves(note.partition.user)
    }
    let deliveries = takers.map { provider in
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
      provider.takes(note.fact.kind), provider.serves(note.partition.user)
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
    var event = event(note, in: note.sessions[provider.id])
    event.provider = provider.id
    let target = try? provider.targets(of: .impression, on: nil, plans, at: event.time).first
    if let target, target.isBridged {
      event.item = try find(id, target.surface)
      guard event.item != nil else { return [] }
      return [
        try dependencies.intent(for: target, at: provider, recordedBy: event, under: rule)
      ]
    }
    return try references(to: id, find).map { item in
      event.item = item
      return Intent(
        event: event, mark: Intent.Mark(.impression, on: item),
        deliveries: deliveries(for: item, event, to: provider))
    }
  }

  /// The item where it is in the cache; empty if it is not.
  private func references(
    to id: ItemID, _ find: Store.ItemSearch
  ) throws(EngagementError) -> [ItemReference] {
    for surface in RoutedSurface.allCases.map(\.surface) {
      if let reference = try find(id, surface) { return [reference] }
    }
    return []
  }

  private func screen(
    _ fact: ScreenFact, _ note: SessionTracker.Note, _ find: Store.ItemSearch
  ) throws(EngagementError) -> [Intent] {
    guard let provider = dependencies.providers.first(where: { $0.id == fact.provider }) else {
      return []
    }
    var event = event(note, in: note.sessions[provider.id])
    event.provider = provider.id
    if let id = fact.item {
      guard let item = try references(to: id, find).first else { return [] }
      event.item = item
    }
    let isHeard = provider.takes(event.kind) && provider.serves(note.partition.user)
    return [Intent(event: event, deliveries: isHeard ? [delivery(event, to: provider)] : [])]
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
    case .screen(let fact): fact.kind
    }
  }

  fileprivate var session: SessionID? {
    switch self {
    case .began(_, let session), .ended(_, let session, _): session.id
    case .launched, .impression, .screen: nil
    }
  }

  fileprivate var properties: JSONObject {
    switch self {
    case .ended(_, _, let length): ["seconds": .number(length.seconds)]
    case .screen(let fact): fact.properties
    case .launched, .began, .impression: [:]
    }
  }
}
