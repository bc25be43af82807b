import EngagementAdapterAPI
import EngagementJSON
import EngagementModel

extension AtomicConfiguration {
  /// The claims that may name the user. The first one present does.
  private static let userClaims = ["atomic_sub", "atomic_id", "sub", "id"]

  /// The context's credential, if it is a token of the context's user that does not expire within
  /// the margin. Otherwise throws `unauthenticated`, and nothing is sent.
  func token(in context: AdapterContext) throws(EngagementError) -> Secret {
    guard let credential = context.credential else {
      throw EngagementError(.unauthenticated, "There is no token for the user.")
    }
    guard let claims = JWTClaims(credential) else {
      throw EngagementError(.unauthenticated, "The credential is no JSON Web Token.")
    }
    let user = claims.subject(userClaim.map { [$0] } ?? Self.userClaims)
    guard user.map(UserID.init(_:)) == context.user.id else {
      throw EngagementError(.unauthenticated, "The token is not of this user.")
    }
    guard claims.isGood(at: context.now, margin: expiryMargin) else {
      throw EngagementError(.unauthenticated, "The token has ended or does not say when it does.")
    }
    return credential
  }
}
