import EngagementAdapterAPI
public import EngagementModel

extension Engagement {
  /// Who uses the application now.
  public var user: User { house.occupancy.present.user }

  /// Makes the user present; returns when nothing of the former one is shown or sent any more.
  ///
  /// For the user who is already present only the source is replaced, with what it gave. The first
  /// sign-in after anonymous use takes over what was done before where the vendor does so. Of
  /// sign-ins at the same time the last one wins: it alone returns, the others throw `conflict`.
  /// Where something fails, the former user stays.
  ///
  /// - Parameters:
  ///   - limit: How long vendors may take to be told that the former user leaves. What could not
  ///     be told waits for that user to come back.
  ///   - credentials: Asked when a vendor needs a credential, for as long as the user is present.
  public func signIn(
    _ user: User, within limit: Duration = .seconds(5),
    credentials: @escaping CredentialSource = { _ in nil }
  ) async throws(EngagementError) {
    try check(user)
    try await users.signIn(user, within: limit, credentials: credentials)
  }

  /// Makes nobody in particular present, and says what was delivered before, what was not, and
  /// which vendor may still push to this installation.
  ///
  /// The source of credentials is asked until this returns. Anonymous already, it does nothing.
  public func signOut(
    within limit: Duration = .seconds(5), leftovers: Leftovers = .park
  ) async throws(EngagementError) -> SignOutReport {
    try await users.signOut(within: limit, leftovers)
  }

  private func check(_ user: User) throws(EngagementError) {
    guard let id = user.id else {
      throw EngagementError(
        .invalidArgument, "Nobody in particular cannot sign in; call signOut instead.")
    }
    guard !id.text.isEmpty else {
      throw EngagementError(.invalidArgument, "The id of a user is empty.")
    }
    for provider in house.providers {
      guard let limit = provider.adapter.capabilities.limits.userIDBytes,
        id.text.utf8.count > limit
      else { continue }
      throw EngagementError(
        .invalidArgument, "The id of a user has at most \(limit) bytes here.",
        provider: provider.id)
    }
  }
}
