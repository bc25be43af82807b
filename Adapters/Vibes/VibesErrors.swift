import EngagementAdapterAPI
import EngagementHTTP
import EngagementJSON
import EngagementModel
import FoundationEssentials

/// What the vendor's statuses mean, for every call.
enum VibesErrors {
  /// Nil for an answer that is to be read.
  static func verdict(
    on response: HTTPResponse, to operation: Operation, at now: Date
  ) -> Verdict? {
    switch response.status {
    case 200...299: return nil
    case 401 where needsNoToken(operation):
      return .refused(error(.unauthenticated, "The vendor refused the device.", response, now))
    case 401: return .renew(.operation(.device(.renew)))
    case 429:
      return .retry(error(.rateLimited, "The vendor asked for fewer requests.", response, now))
    case 407, 408, 425, 500..., ..<400:
      // A redirect that was not followed is a gateway's, and 407 a proxy's: the service is away.
      return .retry(error(.unavailable, "The vendor could not answer.", response, now))
    case let status:
      let (code, message) =
        refusals[status] ?? (.invalidArgument, "The vendor refused the request.")
      return .refused(error(code, message, response, now))
    }
  }

  /// A page where an answer belongs.
  static let page = Verdict.retry(
    EngagementError(
      .malformedResponse,
      "The answer is none of Vibes's: check the endpoint, and whether the network wants a login."))

  /// An answer without what it must have.
  static func malformed(_ what: String) -> Verdict {
    .retry(EngagementError(.malformedResponse, "The answer has no \(what)."))
  }

  /// Bytes that cannot be read.
  static func malformed(_ fault: JSONFault) -> Verdict {
    .retry(EngagementError(fault))
  }

  private static let refusals: [Int: (EngagementError.Code, String)] = [
    403: (.permissionDenied, "The vendor does not allow this."),
    404: (.notFound, "The vendor does not know this."),
    409: (.conflict, "The vendor has something else there."),
    410: (.notFound, "The vendor does not have this any more."),
  ]

  /// A renewal that asked for a renewal would go on for ever, and a registration has no token.
  private static func needsNoToken(_ operation: Operation) -> Bool {
    if case .vendor(VibesCall.releaseRenewal, _) = operation { return true }
    return operation == .device(.register) || operation == .device(.renew)
  }

  /// The status and, from the platform's envelope, the vendor's own number; never its words.
  private static func error(
    _ code: EngagementError.Code, _ message: String, _ response: HTTPResponse, _ now: Date
  ) -> EngagementError {
    var underlying = "\(response.status)"
    if let number = vendorCode(in: response.body) { underlying += "/\(number)" }
    return EngagementError(
      code, message, retryAfter: response.retryAfter(now: now), underlying: underlying)
  }

  private static func vendorCode(in body: [UInt8]) -> Int64? {
    (try? JSONFields(body[...]))?.objects("errors")?.first?.integer("code")
  }
}
