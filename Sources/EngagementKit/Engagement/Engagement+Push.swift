import EngagementAdapterAPI
import EngagementFormats
public import EngagementModel
import EngagementStore

extension Engagement {
  /// Keeps the token and registers it at every vendor of the route of `push`; without one, at every
  /// vendor that takes push tokens. The registrations are accepted when this returns; a vendor that knows
  /// signed-in users only gets the token after the next sign-in, and one that joins the route later gets
  /// it then. `pushStates` tells what has become of them. While a user signs in or out, this waits and
  /// is for the user who comes.
  ///
  /// A vendor outside the route that has not let go of its token is asked again. If that cannot be accepted,
  /// the call does not fail: its state stays, and the next registration asks once more.
  ///
  /// Throws `unsupported` if no vendor of the route takes tokens, `invalidArgument` for an empty token and for a
  /// token of APNs that is no hex text of whole bytes.
  @discardableResult public func registerPush(
    _ registration: PushRegistration
  ) async throws(EngagementError) -> Receipt {
    try lifecycle.checkOpen()
    guard !registration.token.revealed.isEmpty, !registration.service.rawValue.isEmpty else {
      throw EngagementError(
        .invalidArgument, "The push token or its service is empty.",
        operation: Operation.Verb.registerPush.rawValue)
    }
    guard registration.service != .apns || Hex.bytes(from: registration.token.revealed) != nil
    else {
      throw EngagementError(
        .invalidArgument, "The token of APNs is no hex text; give two hex digits for each byte.",
        operation: Operation.Verb.registerPush.rawValue)
    }
    return try await inPushTurn { () async throws(EngagementError) in
      await routeChanges.follow()
      let receipt = try await beginPush(registration)
      await exposures.record()
      return receipt
    }
  }

  private func beginPush(
    _ registration: PushRegistration
  ) async throws(EngagementError) -> Receipt {
    let environment = registration.environment
    let userSession = dependencies.currentUser.userSession
    let plans = try await feedPublisher.keptPlans(for: userSession.partition)
    let offers = try await offers(
      of: .registerPush(environment), to: userSession, canWait: true, by: plans)
    var keys = offers.map(\.key)
    var leaving = PushRegistrar.HandOver()
    if try await dependencies.providerSecrets.push()[environment] != registration {
      // A vendor that leaves the route before it has the new token gives the former one back.
      try await dependencies.tokensToUnregister.retire(environment, for: keys)
      leaving = try await pushRegistrar.givingUp(environment, by: plans, as: userSession)
      keys += leaving.deliveries.map(\.key)
    }
    try await dependencies.providerSecrets.setPush(registration)
    let event = dependencies.event(
      .register,
      [
        "service": .string(registration.service.rawValue),
        "environment": .string(environment.rawValue),
      ])
    let receipt: Receipt
    do throws(EngagementError) {
      receipt = try await accept(offers, recordedBy: event, as: userSession)
    } catch {
      await dependencies.tokensToUnregister.forget(keys)
      throw error
    }
    await tellOthers(leaving, by: plans, as: userSession)
    return receipt
  }

  /// Tells vendors outside the route that they let go of the tokens, also those that were told in vain.
  private func tellOthers(
    _ leaving: PushRegistrar.HandOver, by plans: RoutePlans, as userSession: UserSession
  ) async {
    do throws(EngagementError) {
      try await pushRegistrar.accept(leaving, as: userSession)
      guard !plans.isUndecided else { return }
      let handOver = try await pushRegistrar.handOver(by: plans, as: userSession, retrying: true)
      try await pushRegistrar.accept(handOver, as: userSession)
    } catch {
      dependencies.log(
        .warning, "Vendors outside the route of push are not asked for the token: \(error.code)")
    }
  }

  /// Unregisters the environment's token at every vendor that has it or that the route of `push` leads
  /// to; at none if no token was registered. The token is forgotten after the last vendor has been told;
  /// until then nothing else uses it.
  ///
  /// Throws `unsupported` if no vendor can give a token back.
  @discardableResult public func unregisterPush(
    _ environment: PushEnvironment = .production
  ) async throws(EngagementError) -> Receipt {
    try lifecycle.checkOpen()
    return try await inPushTurn { () async throws(EngagementError) in
      await routeChanges.follow()
      return try await endPush(environment)
    }
  }

  /// Runs the body while no token is registered, no route changes and no user does: a change of user
  /// that is under way tells the next user's vendors of the tokens with which it began.
  private func inPushTurn(
    _ body: () async throws(EngagementError) -> Receipt
  ) async throws(EngagementError) -> Receipt {
    try await userTransitions.queue.alone { () async throws(EngagementError) in
      try lifecycle.checkOpen()
      return try await pushRegistrar.inTurn(body)
    }
  }

  private func endPush(_ environment: PushEnvironment) async throws(EngagementError) -> Receipt {
    let userSession = dependencies.currentUser.userSession
    let holders = try await dependencies.tokenHolders(in: userSession.partition, environment)
    let plans = try await feedPublisher.keptPlans(for: userSession.partition)
    let hasToken = try await dependencies.providerSecrets.push()[environment] != nil
    let offers = try await offers(
      of: .unregisterPush(environment), to: userSession, canWait: true, and: holders, by: plans
    ).filter { hasToken || holders.contains($0.provider) }
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
    for (id, runtime) in runtimes
    where holders.contains(id) || hasToken && plans.lead(to: id, for: .push) {
      try await runtime.noteToken(by: userSession)
    }
    return receipt
  }

  /// Whether each provider has the current user's push tokens, by provider and environment. A provider
  /// that was never told of a token is not in the list.
  public func pushStates() async throws(EngagementError) -> [PushState] {
    try lifecycle.checkOpen()
    return try await dependencies.pushStates(of: dependencies.currentUser.userSession.partition)
  }

  /// The vendors that have, or may have, the push token of users who were signed in here before, and may
  /// still push to them on this installation. What takes the token back is sent when its user signs in again.
  public func formerTokenHolders() async throws(EngagementError) -> Set<ProviderID> {
    try lifecycle.checkOpen()
    return try await dependencies.holdersOfOthers(
      than: dependencies.currentUser.userSession.partition)
  }

  /// Chooses the containers whose cards may send pushes to this installation, at every vendor that
  /// wants to know: none if the list is empty. The choice is accepted when this returns, and is told
  /// again for each user who signs in.
  ///
  /// Throws `unsupported` if no vendor wants to know, `signedOut` before a sign-in.
  ///
  /// - Parameter notifications: Whether pushes are sent at all; nil leaves that as it is.
  @discardableResult public func setPushContainers(
    _ containers: [ContainerID], notifications: Bool? = nil
  ) async throws(EngagementError) -> Receipt {
    try lifecycle.checkOpen()
    guard !containers.contains(where: \.rawValue.isEmpty) else {
      throw EngagementError(
        .invalidArgument, "A container has no name.",
        operation: Operation.Verb.pushContainers.rawValue)
    }
    let userSession = dependencies.currentUser.userSession
    let offers = try await offers(
      of: .pushContainers(containers, notifications: notifications), to: userSession)
    return try await accept(
      offers.map { offer in
        let own = containers.map { feedPublisher.name(of: $0, at: offer.provider) }
        return Intent.Delivery(
          to: offer.provider, .operation(.pushContainers(own, notifications: notifications)),
          key: offer.key)
      }, as: userSession)
  }

  /// Handles a push. Returns its owner and its contents, or nil for a push of none of the
  /// providers, which the application handles itself.
  ///
  /// A push has one owner, found by the keys with which vendors mark their pushes. It counts once
  /// in each phase, also if this is called again or an extension has put it in the journal. When
  /// this returns, the push's changes are in the cache, and the requests and events that follow
  /// from it are accepted. If the user has denied consent, nothing is recorded or sent.
  public func handlePush(
    _ push: JSON, phase: PushPhase = .delivered
  ) async throws(EngagementError) -> PushReception? {
    try lifecycle.checkOpen()
    return try await pushRouter.receive(push, phase)
  }
}
