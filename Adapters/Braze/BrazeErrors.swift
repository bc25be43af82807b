import EngagementAdapterAPI
import EngagementHTTP
import EngagementModel
import EngagementPlatform

/// Interprets failures: statuses, errors inside a successful answer, refused signatures.
enum BrazeErrors {
  /// After this many refused signatures in a row, the adapter sends no more requests.
  static let mostRefusals: Int64 = 50
  /// How long an operation waits before it checks again for a new signature.
  static let pause: TimeInterval = 3_600

  // MARK: Statuses

  /// The verdict on a status outside 200…299. Only the vendor's own words refuse anything: a portal
  /// or a proxy on the way answers with any status.
  static func verdict(on response: HTTPResponse, at now: Date) -> Verdict {
    var error = EngagementError(
      code(of: response.status), "Braze did not take the request.",
      underlying: "\(response.status)")
    if !error.code.mayRetry {
      guard !isOwn(response) else { return .refused(error) }
      (error.code, error.message) = (.malformedResponse, foreign)
    }
    error.retryAfter = response.retryAfter(now: now)
    return .retry(error)
  }

  /// Whether the body says something that Braze says.
  static func isOwn(_ response: HTTPResponse) -> Bool {
    guard let reply = try? BrazeReply(response.body) else { return false }
    return reply.isRecognized || reply.error != nil || reply.refusedSignature != nil
  }

  /// A status of 4xx means a bad request, except those that ask the client to wait.
  private static func code(of status: Int) -> EngagementError.Code {
    switch status {
    case 401: .unauthenticated
    case 403: .permissionDenied
    case 404: .notFound
    case 407, 408, 425: .unavailable
    case 409: .conflict
    case 429: .rateLimited
    case 400...499: .invalidArgument
    default: .unavailable
    }
  }

  // MARK: Errors inside a success

  /// The verdict on an unreadable answer. It confirms nothing: a captive portal also answers with
  /// 200.
  static let unreadable = Verdict.retry(EngagementError(.malformedResponse, foreign))

  private static let foreign =
    "The answer is none of Braze's: check the endpoint, and whether the network wants a login."

  /// The verdict on the `error` of a body. An undocumented error may be temporary.
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

  /// The verdict on a success that asks the client to come back, because more cards will follow.
  static func incomplete(_ delay: Duration) -> Verdict {
    .retry(
      EngagementError(.unavailable, "Braze has more cards in preparation.", retryAfter: delay))
  }

  // MARK: Signatures

  /// The error for a refused signature, with the vendor's code if it is known.
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
