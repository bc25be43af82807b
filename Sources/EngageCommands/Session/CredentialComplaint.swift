import EngagementFormats
import EngagementJSON
import EngagementModel
import EngagementPlatform

/// What is wrong with a credential of `engage.json`, and what to do about it.
struct CredentialComplaint: Hashable, Sendable {
  var fault: String
  var advice: String

  var text: String { "\(fault) \(advice)" }

  private init(_ fault: String, _ advice: String) { (self.fault, self.advice) = (fault, advice) }

  /// The credential cannot be read.
  init(_ error: EngagementError, at place: CredentialPlace) {
    self.init(error.message, "Correct \(place.key) in engage.json, or what it names.")
  }

  /// The configuration has no credential of the user.
  init(ofNoneFor provider: ProviderID, _ user: User, _ configuration: EngageConfiguration) {
    let name = user.id?.rawValue ?? "the anonymous user"
    guard let place = configuration.credentialPlaces[provider],
      let owner = configuration.user?.id?.rawValue
    else {
      self.init(
        "\(provider) needs a token of \(name), and engage.json has none.",
        "Put one into providers.\(provider).token.")
      return
    }
    self.init(
      "\(place.key) is a token of \(owner), and \(name) is signed in.",
      """
      Put a token of \(name) there and make \(name) the "user" of engage.json, or run \
      "engage signin \(owner)".
      """)
  }

  /// The vendor refuses the credential.
  init(ofRefusedAt place: CredentialPlace, by provider: ProviderID) {
    self.init(
      "\(provider) refuses the call, most likely for the token of \(place.key).",
      "\(place.renewal) Or the key or the ids of providers.\(provider) are wrong.")
  }

  /// No vendor would take the token; nil where its claims show nothing wrong.
  init?(ofUseless secret: Secret, at place: CredentialPlace, _ user: User, now: Date) {
    guard let fault = Self.fault(of: secret, user, now: now) else { return nil }
    self.init("\(place.key) \(fault).", place.renewal)
  }

  private static func fault(of secret: Secret, _ user: User, now: Date) -> String? {
    guard let claims = JWTClaims(secret) else { return nil }
    if let end = claims.expiresAt, end <= now {
      return "ended at \(ISO8601.text(of: end) ?? "an earlier time")"
    }
    if let owner = claims.subject(userClaims), owner != user.id?.rawValue {
      return "is not the token of \(user.id?.rawValue ?? "the anonymous user")"
    }
    return nil
  }

  /// The claims that vendors take for the user's id.
  private static let userClaims = ["atomic_sub", "atomic_id", "sub", "id"]
}
