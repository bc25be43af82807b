import EngagementFormats
public import EngagementModel

public import struct FoundationEssentials.Date

/// What a JSON Web Token says of itself.
///
/// The claims are hints: whose token it is and until when it is good, so that a token that cannot
/// be good is never sent. The signature is for the vendor to check.
public struct JWTClaims: Hashable, Sendable {
  private let claims: JSONObject

  /// Reads a token of three parts; nil for any other text and for claims that are no object.
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

  /// When the token ends; nil where it does not say, or says no time.
  public var expiresAt: Date? { claims["exp"]?.number.flatMap(Epoch.date(seconds:)) }

  /// When the token begins; nil where it does not say, or says no time.
  public var beginsAt: Date? { claims["nbf"]?.number.flatMap(Epoch.date(seconds:)) }

  /// Whether the token is good at a time and stays so for the margin. One without an end is not.
  public func isGood(at now: Date, margin: Duration = .zero) -> Bool {
    guard let expiresAt else { return false }
    let (seconds, attoseconds) = margin.components
    return expiresAt > now.addingTimeInterval(Double(seconds) + Double(attoseconds) / 1e18)
  }

  /// Whose token it is: the first of the claims that is there, a number as its digits.
  public func subject(_ names: [String]) -> String? {
    for name in names {
      switch claims[name] {
      case .string(let text): return text
      case .integer(let number): return String(number)
      default: continue
      }
    }
    return nil
  }
}

extension JWTClaims: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Claims name a person and are part of a credential.
  public var description: String { "<redacted>" }
  public var debugDescription: String { "<redacted>" }
  public var customMirror: Mirror { Mirror(self, children: []) }
}
