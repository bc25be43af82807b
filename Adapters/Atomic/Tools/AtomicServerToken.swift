import EngagementFormats
import EngagementJSON
import EngagementModel
import EngagementPlatform

/// A user's token as the vendor reads it. The signature is not checked.
struct AtomicServerToken: Sendable {
  /// Why a token is refused, in the vendor's words.
  enum Refusal: String, Error {
    case invalid = "invalid-token"
    case expired = "expired-token"

    /// For a reader.
    var title: String { self == .invalid ? "Invalid token" : "Expired token" }
  }

  /// The claims that may name the user, in the order in which they are searched.
  private static let userClaims = ["atomic_sub", "atomic_id", "sub", "id"]

  /// What tells the token from others without revealing it.
  let fingerprint: SHA256.Digest
  let user: String
  let expiresAt: Date

  /// Throws `invalid` for what is no token, has no user or no end, or is good for longer than
  /// `age` seconds, and `expired` after its end.
  init(_ text: String, maximumAge age: Int64, at now: Date) throws(Refusal) {
    let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 3, !parts[0].isEmpty, parts.joined().allSatisfy(Self.isOfToken),
      let payload = Base64URL.bytes(from: String(Substring(parts[1]))),
      let claims = (try? JSON(parsing: payload))?.object, let user = Self.user(in: claims),
      let end = claims["exp"]?.number, end.magnitude < 1e11
    else { throw .invalid }
    fingerprint = SHA256.digest(of: text)
    self.user = user
    expiresAt = Date(timeIntervalSince1970: end)
    guard expiresAt > now else { throw .expired }
    let start = claims["iat"]?.number ?? now.timeIntervalSince1970
    guard end - start <= Double(age) else { throw .invalid }
  }

  /// The first claim that is there decides. A number becomes a text.
  private static func user(in claims: JSONObject) -> String? {
    let claim = userClaims.lazy.compactMap { claims[$0] }.first { $0 != .null }
    let text = claim?.string ?? claim?.integer.map { "\($0)" }
    return text?.isEmpty == false ? text : nil
  }

  /// Whether a token, or an id of a container, may have the byte.
  static func isOfToken(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    case _: false
    }
  }
}
