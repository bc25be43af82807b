import EngagementFormats
public import EngagementModel
public import EngagementPlatform

/// The claims of a JSON Web Token.
///
/// The claims are hints about the user and the expiry, so that the kit never sends a token that
/// cannot be valid. The vendor checks the signature; this type does not.
public struct JWTClaims: Hashable, Sendable {
  private let claims: JSONObject

  /// Reads a token of three parts. Nil for any other text and for claims that are not an object.
  public init?(_ token: Secret) {
    let parts = token.revealed.utf8.split(
      separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 3,
      let header = Base64URL.bytes(from: String(Substring(parts[0]))),
      let payload = Base64URL.bytes(from: String(Substring(parts[1]))),
      Base64URL.bytes(from: String(Substring(parts[2]))) != nil,
      case .object? = try? JSON(parsing: header),
      case .object(let claims)? = try? JSON(parsing: payload)
    else { return nil }
    self.claims = claims
  }

  /// The claim of that name.
  public subscript(_ name: String) -> JSON? { claims[name] }

  /// When the token expires; nil if it has no such claim or the claim is not a time.
  public var expiresAt: Date? { claims["exp"]?.number.flatMap(Epoch.date(seconds:)) }

  /// Whether the token expires later than `now` plus the margin. False without an expiry.
  public func isGood(at now: Date, margin: Duration = .zero) -> Bool {
    guard let expiresAt else { return false }
    let (seconds, attoseconds) = margin.components
    return expiresAt > now.addingTimeInterval(Double(seconds) + Double(attoseconds) / 1e18)
  }

  /// The user of the token: the first of these claims that is present. A number becomes its digits.
  public func subject(_ names: [String]) -> String? {
    for name in names {
      switch claims[name] {
      case .string(let text): return text
      case .integer(let number): return String(number)
      case .null?, .bool?, .number?, .array?, .object?, nil: continue
      }
    }
    return nil
  }
}

extension JWTClaims: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Redacted, because claims name a person and are part of a credential.
  public var description: String { "<redacted>" }
  public var debugDescription: String { "<redacted>" }
  public var customMirror: Mirror { Mirror(self, children: []) }
}
