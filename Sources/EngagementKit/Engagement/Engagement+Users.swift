import EngagementAdapterAPI
public import EngagementModel
import EngagementStore

extension Engagement {
  /// The current user.
  public var user: User { dependencies.currentUser.userSession.user }

  /// Signs in a user. When this returns, nothing of the former user is shown or sent any more.
  ///
  /// If the user is signed in already, only the source of credentials is replaced, and credentials
  /// of the former source are forgotten. The first sign-in after anonymous use adopts the actions
  /// since the last sign-out at vendors that support it. If several sign-ins are made at once, the
  /// last one wins and the others throw `conflict`. If the sign-in fails, the former user stays.
  ///
  /// Returns what became of the former user's actions, as `signOut` does; of no provider if nobody
  /// left.
  ///
  /// - Parameters:
  ///   - consent: The user's consent, durable before anything is sent as the user; nil keeps the
  ///     consent that the user gave before.
  ///   - limit: How long to wait for vendors that are told of the former user's sign-out. The rest
  ///     is sent when that user signs in again.
  ///   - credentials: Called when a vendor needs a credential, as long as the user is signed in.
  @discardableResult public func signIn(
    _ user: User, consent: Consent? = nil, within limit: Duration = .seconds(5),
    credentials: @escaping CredentialSource = { _ in nil }
  ) async throws(EngagementError) -> SignOutReport {
    try lifecycle.checkOpen()
    try check(user)
    guard let consent else {
      return try await userTransitions.signIn(user, within: limit, credentials: credentials)
    }
    let partition = try await dependencies.store.partition(of: user, at: dependencies.clock.now)
    try await dependencies.setConsent(consent, of: partition)
    let report = try await userTransitions.signIn(user, within: limit, credentials: credentials)
    // The rows that the user had pending are checked again, and vendors learn of an opt-out.
    try await setConsent(consent, of: partition)
    return report
  }

  /// Signs out the user. Reports which actions were delivered, kept or discarded, and which vendors
  /// may still push to this installation.
  ///
  /// The source of credentials may be called until this returns. For the anonymous user this does
  /// nothing.
  ///
  /// - Parameter purgesCache: Whether what the cache holds of the user goes too: undelivered actions,
  ///   items, the person, the vendors' values, what campaigns have counted, secrets and files. The
  ///   events stay. If a file cannot be cleaned, this throws although the user has left; it is cleaned by
  ///   the next call, or when the cache is opened again. Damaged caches that were set aside are removed.
  public func signOut(
    within limit: Duration = .seconds(5), undelivered: UndeliveredActions = .keep,
    purgesCache: Bool = false
  ) async throws(EngagementError) -> SignOutReport {
    try lifecycle.checkOpen()
    return try await userTransitions.signOut(
      within: limit, undelivered, purgesCache: purgesCache)
  }

  private func check(_ user: User) throws(EngagementError) {
    guard let id = user.id else {
      throw EngagementError(
        .invalidArgument, "An anonymous user cannot sign in; call signOut instead.")
    }
    guard !id.rawValue.isEmpty else {
      throw EngagementError(.invalidArgument, "The id of a user is empty.")
    }
    for provider in dependencies.providers {
      guard let limit = provider.adapter.capabilities.limits.userIDBytes,
        id.rawValue.utf8.count > limit
      else { continue }
      throw EngagementError(
        .invalidArgument, "The id of a user has at most \(limit) bytes here.",
        provider: provider.id)
    }
  }
}
