import EngagementAdapterAPI
import EngagementModel
import EngagementStore

extension Engagement {
  /// Another copy of the content that the user acts on.
  struct ContentCopy: Sendable {
    let provider: Provider
    let id: ItemID
    let surface: Surface
  }

  /// The other copies of the content of an item, by the first of the targets that has the item.
  func copies(
    of id: ItemID, among targets: [ActionTarget], as userSession: UserSession
  ) async throws(EngagementError) -> [ContentCopy] {
    let (store, partition) = (dependencies.store, userSession.partition)
    for surface in targets.map(\.surface) {
      guard try await store.reference(to: id, on: surface, in: partition) != nil else { continue }
      return try await store.copies(of: id, on: surface, in: partition).compactMap { copy in
        let provider = dependencies.providers.first { $0.id == copy.id.provider }
        return provider.map { ContentCopy(provider: $0, id: copy.id, surface: copy.surface) }
      }
    }
    return []
  }

  /// Accepts an action on an item, by the first of the targets that has the item, and on the copies whose
  /// vendors have the action.
  func accept(
    _ action: ItemAction, on id: ItemID, by targets: [ActionTarget],
    and copies: [ContentCopy] = [], as userSession: UserSession
  ) async throws(EngagementError) -> Receipt {
    let provider = try dependencies.provider(id.provider)
    await sessions.touch([provider] + copies.map(\.provider))
    let blank = event(action.eventKind, by: provider, action.eventProperties)
    let blanks = copies.map { event(action.eventKind, by: $0.provider, action.eventProperties) }
    return try await accept(as: userSession) { (consent, find) throws(EngagementError) in
      let policy = ConsentPolicy(consent: consent)
      var (event, found) = (blank, ActionTarget?.none)
      for target in targets where event.item == nil {
        event.item = try find(id, target.surface)
        found = target
      }
      guard let found, event.item != nil else { throw .missingItem(id, action) }
      var intents = [
        try self.dependencies.intent(for: found, at: provider, recordedBy: event, under: policy)
      ]
      try policy.check(action.eventKind)
      for (copy, blank) in zip(copies, blanks) {
        var event = blank
        event.item = try find(copy.id, copy.surface)
        guard event.item != nil else { continue }
        let intent = try self.dependencies.propagatedIntent(
          of: found, to: copy, toldBy: event, under: policy)
        if let intent { intents.append(intent) }
      }
      return intents
    }
  }

  /// Accepts a submission of a card after the files that it names, all or nothing.
  func accept(
    _ submission: ItemAction, with files: [ChosenFile], on id: ItemID,
    as userSession: UserSession
  ) async throws(EngagementError) -> Receipt {
    let provider = try dependencies.provider(id.provider)
    await sessions.touch([provider])
    let blank = event(submission.eventKind, by: provider, submission.eventProperties)
    let started = files.map { _ in event(.upload, by: provider, [:]) }
    return try await accept(as: userSession) { (consent, find) throws(EngagementError) in
      var event = blank
      event.item = try find(id, .cards)
      guard let item = event.item else { throw .missingItem(id, submission) }
      try ConsentPolicy(consent: consent).check(event.kind)
      let intent = try self.dependencies.intent(
        for: submission, at: provider, recordedBy: event)
      guard let key = intent.deliveries.first?.key else {
        throw EngagementError(
          .unsupported, "\(provider.id) takes no submissions.", provider: provider.id)
      }
      let uploads = zip(files, started).map { (file, event) in
        self.dependencies.intent(
          for: file.upload(about: item, in: key), file, at: provider, recordedBy: event)
      }
      return uploads + [intent]
    }
  }

  /// Accepts an event for each of the providers.
  func accept(
    _ event: EngagementEvent, for providers: [Provider], as userSession: UserSession
  ) async throws(EngagementError) -> Receipt {
    let intent = dependencies.intent(for: event, to: providers) { sessions.session(for: $0)?.id }
    return try await accept(as: userSession) { (consent, _) throws(EngagementError) in
      try ConsentPolicy(consent: consent).check(event.kind)
      return [intent]
    }
  }

  private func accept(
    as userSession: UserSession, making intents: @escaping Store.IntentMaker
  ) async throws(EngagementError) -> Receipt {
    try await dependencies.acceptWithReceipt(in: userSession.partition) {
      (consent, find) throws(EngagementError) in
      let made = try intents(consent, find)
      guard self.dependencies.currentUser.isCurrent(userSession) else {
        throw EngagementError(.signedOut, "The user has changed; do it again as the new one.")
      }
      return made
    }
  }

  /// An event that happens now.
  ///
  /// - Parameter provider: The only provider that the event concerns; nil for several.
  func event(
    _ kind: EngagementEvent.Kind, by provider: Provider?, _ properties: JSONObject
  ) -> EngagementEvent {
    let session = (provider ?? dependencies.providers.first).flatMap {
      sessions.session(for: $0.id)
    }
    return dependencies.event(kind, at: provider?.id, in: session?.id, properties)
  }
}

extension ConsentPolicy {
  /// Throws `consentDenied` if the user does not allow events of this kind.
  fileprivate func check(_ kind: EngagementEvent.Kind) throws(EngagementError) {
    guard allows(kind) else {
      throw EngagementError(
        .consentDenied, "The user's consent does not allow this; ask for it and call setConsent.",
        operation: kind.rawValue)
    }
  }
}

extension EngagementError {
  fileprivate static func missingItem(_ id: ItemID, _ action: ItemAction) -> EngagementError {
    EngagementError(
      .notFound, "The item is not in the cache; refresh, and take its id from what is shown.",
      provider: id.provider, operation: action.name)
  }
}
