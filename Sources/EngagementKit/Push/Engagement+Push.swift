import EngagementAdapterAPI
public import EngagementModel
import EngagementStore

extension Engagement {
  /// Keeps the token and has every vendor told that takes push tokens; accepted when it returns.
  ///
  /// Throws `unsupported` where no vendor does, `invalidArgument` for an empty token.
  @discardableResult public func registerPush(
    _ registration: PushRegistration
  ) async throws(EngagementError) -> Receipt {
    guard !registration.token.revealed.isEmpty, !registration.service.text.isEmpty else {
      throw EngagementError(
        .invalidArgument, "The push token or its service is empty.",
        operation: Operation.Verb.registerPush.text)
    }
    let environment = registration.environment
    let occupant = house.occupancy.present
    let offers = try await offers(of: .registerPush(environment), to: occupant)
    try await house.strongbox.setPush(registration)
    return try await accept(offers, as: occupant)
  }

  /// Forgets the token of the environment and has every vendor told; until the last of them was,
  /// it is kept for that alone.
  @discardableResult public func unregisterPush(
    _ environment: PushEnvironment = .production
  ) async throws(EngagementError) -> Receipt {
    let occupant = house.occupancy.present
    let offers = try await offers(of: .unregisterPush(environment), to: occupant)
    let keys = offers.map(\.key)
    try await house.retired.retire(environment, for: keys)
    let receipt: Receipt
    do throws(EngagementError) {
      receipt = try await accept(offers, as: occupant)
    } catch {
      await house.retired.forget(keys)
      throw error
    }
    try await house.strongbox.removePush(environment)
    return receipt
  }

  /// What a push means: the notification of the first provider that knows it as its own, or nil
  /// for a push of somebody else.
  ///
  /// What it changes is in the cache when this returns, and what has to be done about it is
  /// accepted. Where the user has denied consent the notification is all there is.
  public func received(_ push: JSON) async throws(EngagementError) -> PushNotification? {
    let occupant = house.occupancy.present
    let rule = ConsentRule(consent: try await house.store.consent(of: occupant.partition))
    let attempt = Attempt(
      by: occupant.user, house.key(), acceptedAt: house.clock.now, generation: occupant.generation)
    for provider in house.providers {
      guard let own = houses[provider.id] else { continue }
      let context = try await own.context(attempt, in: occupant.partition)
      guard let received = provider.adapter.received(push, in: context) else { continue }
      guard rule.consent != .denied else { return received.notification }
      let events =
        rule.allows(.receive)
        ? [house.event(.receive, at: provider.id, in: context.session?.id)] : []
      try await own.commit(
        received.changes + received.operations.map(Change.wanted), by: attempt,
        recording: events)
      return received.notification
    }
    return nil
  }
}
