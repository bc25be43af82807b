import EngagementAdapterAPI
public import EngagementModel
import EngagementStore

extension Engagement {
  /// Who uses the application now.
  public var user: User { dependencies.currentUser.present.user }

  /// Signs in a user; returns when nothing of the former one is shown or sent any more.
  ///
  /// For the user who is already present only the source is replaced, with what it gave. The first
  /// sign-in after anonymous use takes over what was done before where the vendor does so. Of
  /// sign-ins at the same time the last one wins: it alone returns, the others throw `conflict`.
  /// Where something fails, the former user stays.
  ///
  /// - Parameters:
  ///   - consent: What the user allows, durable before anything is sent as the user; nil keeps what
  ///     the user said before.
  ///   - limit: How long vendors may take to be told that the former user leaves. What could not
  ///     be told waits for that user to come back.
  ///   - credentials: Asked when a vendor needs a credential, for as long as the user is present.
  public func signIn(
    _ user: User, consent: Consent? = nil, within limit: Duration = .seconds(5),
    credentials: @escaping CredentialSource = { _ in nil }
  ) async throws(EngagementError) {
    try lifecycle.checkOpen()
    try check(user)
    guard let consent else {
      return try await userTransitions.signIn(user, within: limit, credentials: credentials)
    }
    let partition = try await dependencies.store.partition(of: user, at: dependencies.clock.now)
    try await dependencies.store.setConsent(consent, of: partition)
    try await userTransitions.signIn(user, within: limit, credentials: credentials)
    // The rows that the user had pending are checked again, and vendors learn of an opt-out.
    try await setConsent(consent, of: partition)
  }

  /// Signs out the user, and reports what was delivered before, what was not, and which vendor may
  /// still push to this installation.
  ///
  /// The source of credentials is asked until this returns. Anonymous already, it does nothing.
  public func signOut(
    within limit: Duration = .seconds(5), undelivered: UndeliveredActions = .keep
  ) async throws(EngagementError) -> SignOutReport {
    try lifecycle.checkOpen()
    return try await userTransitions.signOut(within: limit, undelivered)
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
