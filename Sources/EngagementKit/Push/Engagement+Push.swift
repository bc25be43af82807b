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

  /// Takes in a push, whoever's it is: its owner and what it says, or nil for a push of somebody
  /// else, which the application handles as it did before.
  ///
  /// A push has one owner, found by the keys that vendors mark theirs with. It counts once in each
  /// phase, however often this is called and whether or not an extension left it in the journal.
  /// What it changes is in the cache when this returns; what has to be done about it and what its
  /// vendor wants to hear is accepted. Where the user has denied consent the notification is all
  /// there is.
  public func received(
    _ push: JSON, _ phase: PushPhase = .delivered
  ) async throws(EngagementError) -> PushReception? {
    try await pushes.receive(push, phase)
  }
}
