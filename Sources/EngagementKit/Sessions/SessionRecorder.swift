import EngagementAdapterAPI
import EngagementModel
import EngagementStore

/// Makes what is accepted of what was noted: an event for the ledger, and a parcel for each
/// provider whose vendor takes it.
struct SessionRecorder: Sendable {
  private let house: House
  private let rule: ConsentRule

  init(_ house: House, _ rule: ConsentRule) {
    self.house = house
    self.rule = rule
  }

  /// Nothing where consent does not allow it, and for an item that is not there any more.
  func intents(for note: SessionBook.Note) async throws(EngagementError) -> [Intent] {
    guard rule.allows(note.fact.kind) else { return [] }
    return switch note.fact {
    case .launched: [launch(note)]
    case .began(let owner, _), .ended(let owner, _, _): session(note, of: owner)
    case .impression(let item): try await impression(of: item, note)
    }
  }

  /// One event, and one parcel for each vendor in its own session.
  private func launch(_ note: SessionBook.Note) -> Intent {
    let event = event(note, in: note.sessions[SessionBook.house])
    let parcels = house.providers.filter { $0.takes(.launch) }.map { provider in
      var own = event
      own.provider = provider.id
      own.session = note.sessions[provider.id]
      return parcel(own, to: provider)
    }
    return Intent(event: event, parcels: parcels)
  }

  /// The house's own session is recorded; a provider's where its vendor takes the event.
  private func session(_ note: SessionBook.Note, of owner: ProviderID) -> [Intent] {
    if owner == SessionBook.house { return [Intent(event: event(note, in: note.fact.session))] }
    guard let provider = house.providers.first(where: { $0.id == owner }),
      provider.takes(note.fact.kind)
    else { return [] }
    var event = event(note, in: note.fact.session)
    event.provider = owner
    return [Intent(event: event, parcels: [parcel(event, to: provider)])]
  }

  /// The same on every vendor's items; a vendor that has no use for it is not told.
  private func impression(
    of id: ItemID, _ note: SessionBook.Note
  ) async throws(EngagementError) -> [Intent] {
    guard let provider = house.providers.first(where: { $0.id == id.provider }),
      let item = try await reference(to: id, in: note.partition)
    else { return [] }
    var event = event(note, in: note.sessions[provider.id])
    event.provider = provider.id
    event.item = item
    return [
      Intent(
        event: event, mark: Intent.Mark(.impression, on: item),
        parcels: parcels(for: item, event, to: provider))
    ]
  }

  private func reference(
    to id: ItemID, in partition: Partition
  ) async throws(EngagementError) -> ItemReference? {
    for surface in RoutedSurface.allCases.map(\.surface) {
      if let item = try await house.store.reference(to: id, on: surface, in: partition) {
        return item
      }
    }
    return nil
  }

  private func parcels(
    for item: ItemReference, _ event: EngagementEvent, to provider: Provider
  ) -> [Intent.Parcel] {
    let route = try? ActionRoute(
      .impression, on: item, recordedBy: event, with: provider.adapter.capabilities)
    switch route {
    case .operation(let operation):
      return [
        Intent.Parcel(
          to: provider.id, .operation(operation), key: house.key(), isAnalytics: true)
      ]
    case .event(let event): return [parcel(event, to: provider)]
    case .local, nil: return []
    }
  }

  private func parcel(_ event: EngagementEvent, to provider: Provider) -> Intent.Parcel {
    Intent.Parcel(to: provider.id, .event(event), key: house.key(), isAnalytics: true)
  }

  private func event(_ note: SessionBook.Note, in session: SessionID?) -> EngagementEvent {
    var event = house.event(note.fact.kind, in: session, note.fact.properties)
    event.time = note.time
    return event
  }
}

extension SessionBook.Note.Fact {
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
