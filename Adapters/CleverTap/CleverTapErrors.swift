import EngagementAdapterAPI
import EngagementHTTP
import EngagementJSON
import EngagementModel
import EngagementPlatform

/// Interprets the vendor's statuses, for every call.
enum CleverTapErrors {
  /// The verdict on a status; nil if the body must be read.
  static func verdict(
    on response: HTTPResponse, to operation: Operation, at now: Date
  ) -> Verdict? {
    switch response.status {
    case 200...299: return nil
    case 401: return unauthorized(operation, response)
    case 429:
      return .retry(error(.rateLimited, response, after: response.retryAfter(now: now)))
    case 407, 408, 425, 500..., ..<400:
      // A redirect that was not followed comes from a gateway, and 407 from a proxy: the service is
      // down.
      return .retry(error(.unavailable, response, after: response.retryAfter(now: now)))
    case let status:
      let code = refusals[status] ?? .invalidArgument
      // Without a host nothing can be sent, and operations that wait for one must not be lost.
      return operation == .settings
        ? .retry(error(code, response)) : .refused(error(code, response))
    }
  }

  private static let refusals: [Int: EngagementError.Code] = [
    403: .permissionDenied, 404: .notFound, 409: .conflict, 410: .notFound,
  ]

  /// For templates, 401 has two causes that the answer does not tell apart: the token, or a profile that
  /// is not marked as a test profile.
  private static func unauthorized(_ operation: Operation, _ response: HTTPResponse) -> Verdict {
    guard case .templates = operation else { return .refused(error(.unauthenticated, response)) }
    return .refused(
      EngagementError(
        .permissionDenied,
        "CleverTap does not know the token, or this device's profile is no test profile. Check the"
          + " token; if it is right, mark this device's profile as a test profile in the dashboard.",
        underlying: "\(response.status)"))
  }

  private static func error(
    _ code: EngagementError.Code, _ response: HTTPResponse, after delay: Duration? = nil
  ) -> EngagementError {
    EngagementError(
      code, messages[code] ?? "CleverTap refused the request.", retryAfter: delay,
      underlying: "\(response.status)")
  }

  private static let messages: [EngagementError.Code: String] = [
    .unauthenticated: "CleverTap does not know the account or its token.",
    .permissionDenied: "CleverTap does not allow this account or profile to do this.",
    .rateLimited: "CleverTap asked for fewer requests.",
    .unavailable: "CleverTap could not answer.",
  ]

  // MARK: Answers of others

  /// Whether an answer is not the vendor's, since a portal or a proxy on the way answers with any
  /// status. The vendor says nothing, or an object; with a refusal it names an error or its number.
  ///
  /// A handshake is known by its headers, and a body that is read is checked there.
  static func isForeign(_ response: HTTPResponse, to operation: Operation) -> Bool {
    switch response.status {
    case 200...299:
      switch operation {
      case .templates, .act: return !response.body.isEmpty && members(of: response) == nil
      case .settings, .device, .registerPush, .unregisterPush, .cards, .inbox, .message, .person,
        .associate, .updatePerson, .metrics, .campaigns, .events, .upload, .optOut, .pushContainers,
        .vendor:
        return false
      }
    case 400...499:
      guard response.status != 429, !response.body.isEmpty else { return false }
      guard let fields = members(of: response) else { return true }
      return !fields.members.isEmpty
        && ["error", "code"].allSatisfy { fields.kind(of: $0) == nil }
    default: return false
    }
  }

  private static func members(of response: HTTPResponse) -> JSONFields? {
    try? JSONFields(response.body[...])
  }

  /// The verdict on an answer that is not the vendor's. It confirms and refuses nothing.
  static func foreign(_ response: HTTPResponse, at now: Date) -> Verdict {
    .retry(
      EngagementError(
        .malformedResponse,
        "The answer is none of CleverTap's: check the endpoint, and whether the network wants a"
          + " login.", retryAfter: response.retryAfter(now: now)))
  }

  static let unsupported = EngagementError(.unsupported, "CleverTap does not support this.")

  /// The vendor has refused the inbox. It is not requested again in this session.
  static let noInbox = EngagementError(
    .permissionDenied, "CleverTap keeps no inbox for this account.")

  /// The answer to an unreadable body. It is unknown whether the request had an effect.
  static func malformed(_ fault: JSONFault) -> Answer { Answer([], .retry(EngagementError(fault))) }

  /// The verdict on an answer that lacks a required part.
  static func malformed(_ what: String) -> Verdict {
    .retry(EngagementError(.malformedResponse, "The answer has no \(what)."))
  }
}
