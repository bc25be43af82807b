import EngagementFormats
import EngagementJSON
import EngagementModel
import EngagementPlatform

/// What Braze has against a token. Its signature is not checked: there is no key here to check it
/// with.
enum BrazeAuthenticationFailure: Sendable {
  case expirationRequired, decoding, subjectMismatch, expired, invalidPayload, incorrectAlgorithm
  case missingToken, noMatchingKeys, payloadUserMismatch

  var code: Int64 {
    switch self {
    case .expirationRequired: 10
    case .decoding: 20
    case .subjectMismatch: 21
    case .expired: 22
    case .invalidPayload: 23
    case .incorrectAlgorithm: 24
    case .missingToken: 26
    case .noMatchingKeys: 27
    case .payloadUserMismatch: 28
    }
  }

  private var reason: String {
    switch self {
    case .expirationRequired: "The token has no expiration"
    case .decoding: "The token cannot be decoded"
    case .subjectMismatch: "The subject of the token is another user"
    case .expired: "The token has expired"
    case .invalidPayload: "The payload of the token is not an object"
    case .incorrectAlgorithm: "The algorithm of the token is not RS256"
    case .missingToken: "There is no token"
    case .noMatchingKeys: "No public key matches the token"
    case .payloadUserMismatch: "The request speaks of another user than the token"
    }
  }

  /// The error as it stands in the answer; Braze repeats the token there.
  func json(_ request: BrazeRequest, _ now: Date) -> JSON {
    var error: JSONObject = [
      "error_code": .integer(code), "reason": .string(reason),
      "user_id": .string(request.userID ?? ""),
      "request_time": .integer(Epoch.milliseconds(of: now) ?? 0),
    ]
    error["signature"] = request.signature.map { .string($0.revealed) }
    return .object(error)
  }
}

extension BrazeSettings {
  /// The error in a request's token; nil if there is none, or if no token is needed: an anonymous
  /// user has none.
  func authenticationFailure(
    of request: BrazeRequest, at now: Date
  ) -> BrazeAuthenticationFailure? {
    guard authentication != .off, let user = request.userID else { return nil }
    guard let token = request.signature else { return .missingToken }
    let parts = token.revealed.utf8.split(
      separator: UInt8(ascii: "."), omittingEmptySubsequences: false
    ).map { Base64URL.bytes(from: String(Substring($0))) }
    guard parts.count == 3, let header = parts[0], let payload = parts[1],
      parts[2]?.isEmpty == false, let head = try? JSON(parsing: header)
    else { return .decoding }
    guard head["alg"]?.string == "RS256" else { return .incorrectAlgorithm }
    guard let claims = (try? JSON(parsing: payload))?.object else { return .invalidPayload }
    guard let end = claims["exp"]?.number else { return .expirationRequired }
    guard end > now.timeIntervalSince1970 else { return .expired }
    guard claims["sub"]?.string == user else { return .subjectMismatch }
    guard request.mentionedUsers.allSatisfy({ $0 == user }) else { return .payloadUserMismatch }
    return refusesTokens ? .noMatchingKeys : nil
  }
}
