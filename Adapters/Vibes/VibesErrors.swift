import EngagementAdapterAPI
import EngagementHTTP
import EngagementJSON
import EngagementModel
import EngagementPlatform

/// Interprets the vendor's statuses, for every call.
enum VibesErrors {
  /// The verdict on a status; nil if the body must be read.
  static func verdict(
    on response: HTTPResponse, to operation: Operation, at now: Date
  ) -> Verdict? {
    switch response.status {
    case 200...299: return nil
    case 400...499 where isForeign(response) && response.status != 429: return foreign
    case 401 where needsNoToken(operation):
      return .refused(error(.unauthenticated, "The vendor refused the device.", response, now))
    case 401: return .renew(.operation(.device(.renew)))
    case 429:
      return .retry(error(.rateLimited, "The vendor asked for fewer requests.", response, now))
    case 407, 408, 425, 500..., ..<400:
      // A redirect that was not followed comes from a gateway, and 407 from a proxy: the service is
      // down.
      return .retry(error(.unavailable, "The vendor could not answer.", response, now))
    case let status:
      let (code, message) =
        refusals[status] ?? (.invalidArgument, "The vendor refused the request.")
      return .refused(error(code, message, response, now))
    }
  }

  /// Whether a refusal is not the vendor's, since a portal or a proxy on the way answers with any
  /// status. The vendor's form is not documented: it says nothing, or names an error in JSON.
  static func isForeign(_ response: HTTPResponse) -> Bool {
    guard !response.body.isEmpty else { return false }
    guard let fields = try? JSONFields(response.body[...]) else { return true }
    return !fields.members.isEmpty
      && ["errors", "error", "message"].allSatisfy { fields.kind(of: $0) == nil }
  }

  /// The verdict on an answer that is not the vendor's.
  static let foreign = Verdict.retry(
    EngagementError(
      .malformedResponse,
      "The answer is none of Vibes's: check the endpoint, and whether the network wants a login."))

  /// The verdict on an answer that lacks a required part.
  static func malformed(_ what: String) -> Verdict {
    .retry(EngagementError(.malformedResponse, "The answer has no \(what)."))
  }

  /// The verdict on an answer that is not sound JSON.
  static func malformed(_ fault: JSONFault) -> Verdict {
    .retry(EngagementError(fault))
  }

  private static let refusals: [Int: (EngagementError.Code, String)] = [
    403: (.permissionDenied, "The vendor does not allow this."),
    404: (.notFound, "The vendor does not know this."),
    409: (.conflict, "The vendor has something else there."),
    410: (.notFound, "The vendor does not have this any more."),
  ]

  /// A renewal must not request another renewal, and a registration has no token.
  private static func needsNoToken(_ operation: Operation) -> Bool {
    if case .vendor(VibesCall.releaseRenewal, _) = operation { return true }
    return operation == .device(.register) || operation == .device(.renew)
  }

  /// The error with the status and, if the body has one, the vendor's numeric code. It never
  /// contains the vendor's text.
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
