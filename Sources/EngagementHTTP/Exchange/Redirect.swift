public import EngagementModel

/// What to do with a response that may be a redirect.
///
/// No transport follows redirects by itself; the caller of the transport applies this rule. Only
/// GET and HEAD requests are repeated, at most three times in a row, and only within the same
/// origin, because a followed request carries headers and cookies with credentials.
public enum Redirect: Hashable, Sendable {
  /// The response is not a redirect.
  case none
  /// Send this request: the same one with the new URL. It counts as one more followed redirect.
  case follow(HTTPRequest)
  case refused(Refusal)

  /// Why a redirect is not followed.
  public enum Refusal: String, Hashable, Sendable, CaseIterable {
    case notReading, tooMany, noLocation, invalidLocation, otherOrigin, plainText

    /// `malformedResponse` if the redirect is invalid, otherwise `unavailable`. Gateways redirect
    /// to another host while a service is down, and actions waiting for delivery must survive that.
    public var error: EngagementError {
      let malformed = self == .noLocation || self == .invalidLocation
      return EngagementError(
        malformed ? .malformedResponse : .unavailable,
        "A redirect was not followed: \(explanation).", underlying: rawValue)
    }

    private var explanation: String {
      switch self {
      case .notReading: "only GET and HEAD are repeated"
      case .tooMany: "there were \(Redirect.limit) before it"
      case .noLocation: "it names no place, or several"
      case .invalidLocation: "its place is not a usable URL"
      case .otherOrigin: "it leads to another origin"
      case .plainText: "without TLS only a loopback address can be reached"
      }
    }
  }

  /// How many redirects in a row are followed.
  public static let limit = 3

  /// Applies the rule. `followed` is the number of redirects that led to this response.
  public static func next(
    after response: HTTPResponse, to request: HTTPRequest, followed: Int
  ) -> Redirect {
    guard [301, 302, 303, 307, 308].contains(response.status) else { return .none }
    guard request.method.isSafe else { return .refused(.notReading) }
    guard followed < limit else { return .refused(.tooMany) }
    let locations = response.headers.all("Location")
    guard locations.count == 1, let location = locations.first else { return .refused(.noLocation) }
    guard let old = try? HTTPURL(request.url), let new = try? old.resolving(location) else {
      return .refused(.invalidLocation)
    }
    guard new.origin == old.origin else { return .refused(.otherOrigin) }
    guard new.origin.isConfidential else { return .refused(.plainText) }
    var next = request
    next.url = new.text
    return .follow(next)
  }
}
