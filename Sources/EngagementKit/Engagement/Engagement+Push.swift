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
    try lifecycle.checkOpen()
    guard !registration.token.revealed.isEmpty, !registration.service.rawValue.isEmpty else {
      throw EngagementError(
        .invalidArgument, "The push token or its service is empty.",
        operation: Operation.Verb.registerPush.rawValue)
    }
    let environment = registration.environment
    let userSession = dependencies.currentUser.present
    let offers = try await offers(of: .registerPush(environment), to: userSession)
    try await dependencies.providerSecrets.setPush(registration)
    return try await accept(offers, as: userSession)
  }

  /// Forgets the token of the environment and has every vendor told; until the last of them was,
  /// it is kept for that alone.
  @discardableResult public func unregisterPush(
    _ environment: PushEnvironment = .production
  ) async throws(EngagementError) -> Receipt {
    try lifecycle.checkOpen()
    let userSession = dependencies.currentUser.present
    let offers = try await offers(of: .unregisterPush(environment), to: userSession)
    let keys = offers.map(\.key)
    try await dependencies.tokensToUnregister.retire(environment, for: keys)
    let receipt: Receipt
    do throws(EngagementError) {
      receipt = try await accept(offers, as: userSession)
    } catch {
      await dependencies.tokensToUnregister.forget(keys)
      throw error
    }
    try await dependencies.providerSecrets.removePush(environment)
    return receipt
  }

  /// Handles a push of any vendor. Returns its owner and what it says, or nil for a push of no
  /// configured provider, which the application handles as it did before.
  ///
  /// A push has one owner, found by the keys that vendors mark theirs with. It counts once in each
  /// phase, however often this is called and whether or not an extension left it in the journal.
  /// What it changes is in the cache when this returns; what has to be done about it and what its
  /// vendor wants to hear is accepted. Where the user has denied consent the notification is all
  /// there is.
  public func handlePush(
    _ push: JSON, phase: PushPhase = .delivered
  ) async throws(EngagementError) -> PushReception? {
    try lifecycle.checkOpen()
    return try await pushRouter.receive(push, phase)
  }
}
