import EngagementAdapterAPI
import EngagementHTTP
import EngagementModel
import EngagementPlatform

/// Interprets Atomic's failures.
enum AtomicErrors {
  private static let codes: [Int: EngagementError.Code] = [
    403: .permissionDenied, 404: .notFound, 409: .conflict, 410: .notFound,
  ]

  /// The statuses below 500 that allow a retry.
  private static let passing: [Int: EngagementError.Code] = [
    408: .deadlineExceeded, 425: .unavailable, 429: .rateLimited,
  ]

  /// The answer to a status outside 200…299.
  static func answer(from response: HTTPResponse, at now: Date) -> Answer {
    let status = response.status
    switch status {
    case 401: return Answer([], .renew(.credential))
    case 500...599: return retry(.unavailable, response, now)
    case 400...499:
      if let code = passing[status] { return retry(code, response, now) }
      return refused(codes[status] ?? .invalidArgument, "refused the call", status)
    default: return refused(.malformedResponse, "answered with a status of no meaning", status)
    }
  }

  /// The answer to a feed that is not found: the container or the address is wrong.
  static func refusedFeed(of container: ContainerID) -> Answer {
    refused(.notFound, "has no feed of the container \"\(container)\"", 404)
  }

  /// The answer to errors inside a success. It omits their titles, which are the vendor's text.
  static let insideSuccess = refused(
    .invalidArgument, "answered with errors inside a success", nil)

  /// The answer to an unreadable body: lists do not change, and it is unknown whether the call had
  /// an effect.
  static let unreadable = Answer.retry(
    .malformedResponse, "Atomic sent an answer that cannot be read.")

  private static func retry(
    _ code: EngagementError.Code, _ response: HTTPResponse, _ now: Date
  ) -> Answer {
    var error = EngagementError(
      code, "Atomic cannot answer now.", underlying: "status \(response.status)")
    error.retryAfter = response.retryAfter(now: now)
    return Answer([], .retry(error))
  }

  private static func refused(
    _ code: EngagementError.Code, _ what: String, _ status: Int?
  ) -> Answer {
    let cause = status.map { "status \($0)" }
    return Answer([], .refused(EngagementError(code, "Atomic \(what).", underlying: cause)))
  }
}
