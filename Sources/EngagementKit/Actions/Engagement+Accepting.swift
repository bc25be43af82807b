import EngagementAdapterAPI
import EngagementModel
import EngagementStore

extension Engagement {
  /// Accepts an action of the occupant on an item, on the first of the surfaces that has it.
  func accept(
    _ action: ItemAction, on id: ItemID, among surfaces: [Surface], as occupant: Occupant
  ) async throws(EngagementError) -> Receipt {
    let provider = try house.provider(id.provider)
    let blank = event(action.eventKind, by: provider, action.eventProperties)
    return try await accept(as: occupant) { (consent, find) throws(EngagementError) in
      var event = blank
      for surface in surfaces where event.item == nil { event.item = try find(id, surface) }
      guard event.item != nil else {
        throw EngagementError(
          .notFound, "The item is not in the cache; refresh, and take its id from what is shown.",
          provider: id.provider, operation: action.name)
      }
      let intent = try self.house.intent(for: action, at: provider, recordedBy: event)
      try ConsentRule(consent: consent).check(event.kind)
      return [intent]
    }
  }

  /// Accepts an event of the occupant for each of the providers.
  func accept(
    _ event: EngagementEvent, for providers: [Provider], as occupant: Occupant
  ) async throws(EngagementError) -> Receipt {
    let intent = house.intent(for: event, to: providers)
    return try await accept(as: occupant) { (consent, _) throws(EngagementError) in
      try ConsentRule(consent: consent).check(event.kind)
      return [intent]
    }
  }

  private func accept(
    as occupant: Occupant, making intents: @escaping Store.IntentMaker
  ) async throws(EngagementError) -> Receipt {
    let acceptance = try await house.accept(in: occupant.partition) {
      (consent, find) throws(EngagementError) in
      let made = try intents(consent, find)
      guard self.house.occupancy.isPresent(occupant) else {
        throw EngagementError(.signedOut, "The user has changed; do it again as the new one.")
      }
      return made
    }
    return courier.receipt(for: acceptance.keys, isNew: true)
  }

  /// Something that happens now, at a provider where it concerns one alone.
  func event(
    _ kind: EngagementEvent.Kind, by provider: Provider?, _ properties: JSONObject
  ) -> EngagementEvent {
    let session = (provider ?? house.providers.first).flatMap { sessions.session(for: $0.id) }
    return house.event(kind, at: provider?.id, in: session?.id, properties)
  }
}

extension ConsentRule {
  /// Throws `consentDenied` where the user does not allow the kind.
  fileprivate func check(_ kind: EngagementEvent.Kind) throws(EngagementError) {
    guard allows(kind) else {
      throw EngagementError(
        .consentDenied, "The user's consent does not allow this; ask for it and call setConsent.",
        operation: kind.text)
    }
  }
}
