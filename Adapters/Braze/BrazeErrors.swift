import EngagementAdapterAPI
import EngagementHTTP
import EngagementModel
import FoundationEssentials

/// What failures mean: statuses, words inside a successful answer, refused signatures.
enum BrazeErrors {
  /// How many requests in a row may be refused for their signature.
  static let mostRefusals: Int64 = 50
  /// How long an operation waits, each time it asks, for a signature that was not refused.
  static let pause: TimeInterval = 3_600

  // MARK: Statuses

  /// The verdict on a status that is no success.
  static func verdict(on response: HTTPResponse, at now: Date) -> Verdict {
    var error = EngagementError(
      code(of: response.status), "Braze did not take the request.",
      underlying: "\(response.status)")
    guard error.code.mayRetry else { return .refused(error) }
    error.retryAfter = response.retryAfter(now: now)
    return .retry(error)
  }

  /// Statuses of 4xx blame the request, but for those that ask for patience.
  private static func code(of status: Int) -> EngagementError.Code {
    switch status {
    case 401: .unauthenticated
    case 403: .permissionDenied
    case 404: .notFound
    case 408, 425: .unavailable
    case 409: .conflict
    case 429: .rateLimited
    case 400...499: .invalidArgument
    default: .unavailable
    }
  }

  // MARK: Errors inside a success

  /// What cannot be read was not confirmed: a page of a captive portal says 200 too.
  static let unreadable = Verdict.retry(
    EngagementError(
      .malformedResponse,
      "The answer is none of Braze's: check the endpoint, and whether the network wants a login."))

  /// The verdict on the `error` of a body. One that nobody has documented may pass.
  static func verdict(on word: String) -> Verdict {
    guard let (code, message) = words[word] else {
      return .retry(EngagementError(.unavailable, "Braze named an error that is not known."))
    }
    return .refused(EngagementError(code, message, underlying: word))
  }

  private static let words: [String: (EngagementError.Code, String)] = [
    "invalid_api_key": (.invalidConfiguration, "Braze does not know the API key."),
    "blacklisted": (.permissionDenied, "Braze takes nothing from this user or device."),
    "no_device_identifier": (.invalidArgument, "Braze saw no device id."),
  ]

  /// A success that says when to ask again: more is on its way.
  static func incomplete(_ delay: Duration) -> Verdict {
    .retry(
      EngagementError(.unavailable, "Braze has more cards in preparation.", retryAfter: delay))
  }

  // MARK: Signatures

  /// Why a signature was refused. It names the vendor's code where that is known.
  static func refusedSignature(_ code: Int64?) -> EngagementError {
    EngagementError(
      .unauthenticated, "Braze refused the signature.",
      underlying: code.flatMap { number in signatureFaults[number].map { "\(number) \($0)" } })
  }

  private static let signatureFaults: [Int64: String] = [
    10: "EXPIRATION_REQUIRED", 20: "DECODING_ERROR", 21: "SUBJECT_MISMATCH", 22: "EXPIRED",
    23: "INVALID_PAYLOAD", 24: "INCORRECT_ALGORITHM", 25: "PUBLIC_KEY_ERROR",
    26: "MISSING_TOKEN", 27: "NO_MATCHING_PUBLIC_KEYS", 28: "PAYLOAD_USER_ID_MISMATCH",
  ]
}
