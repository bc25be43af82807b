import EngagementAdapterAPI
import EngagementModel
import EngagementStore

extension Engagement {
  /// Accepts an action of the occupant on an item that is known to be there.
  func accept(
    _ action: ItemAction, on item: ItemReference, as occupant: Occupant
  ) async throws(EngagementError) -> Receipt {
    let provider = try house.provider(item.id.provider)
    var event = event(action.eventKind, by: provider, action.eventProperties)
    event.item = item
    let intent = try house.intent(for: action, at: provider, recordedBy: event)
    try await checkConsent(to: event.kind, of: occupant)
    return try await accept(intent, as: occupant)
  }

  /// Accepts an event of the occupant for each of the providers.
  func accept(
    _ event: EngagementEvent, for providers: [Provider], as occupant: Occupant
  ) async throws(EngagementError) -> Receipt {
    try await checkConsent(to: event.kind, of: occupant)
    return try await accept(house.intent(for: event, to: providers), as: occupant)
  }

  private func accept(
    _ intent: Intent, as occupant: Occupant
  ) async throws(EngagementError) -> Receipt {
    guard house.occupancy.isPresent(occupant) else {
      throw EngagementError(.signedOut, "The user has changed; do it again as the new one.")
    }
    try await house.accept([intent], in: occupant.partition)
    return courier.receipt(for: intent.parcels.map(\.key), isNew: true)
  }

  /// Something that happens now, at a provider where it concerns one alone.
  func event(
    _ kind: EngagementEvent.Kind, by provider: Provider?, _ properties: JSONObject
  ) -> EngagementEvent {
    let session = (provider ?? house.providers.first).flatMap { sessions.session(for: $0.id) }
    return house.event(kind, at: provider?.id, in: session?.id, properties)
  }

  /// Throws `consentDenied` where the user does not allow the kind.
  private func checkConsent(
    to kind: EngagementEvent.Kind, of occupant: Occupant
  ) async throws(EngagementError) {
    let rule = ConsentRule(consent: try await house.store.consent(of: occupant.partition))
    guard rule.allows(kind) else {
      throw EngagementError(
        .consentDenied, "The user's consent does not allow this; ask for it and call setConsent.",
        operation: kind.text)
    }
  }
}
