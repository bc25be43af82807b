public import EngagementModel

/// What a response says about asking elsewhere.
///
/// A transport follows nothing by itself; whoever sends decides with this rule. Only reading
/// requests are repeated, at most three times in a row, and never beyond the origin: headers and
/// cookies with credentials go along with a followed request.
public enum Redirect: Hashable, Sendable {
  /// The response is no redirect.
  case none
  /// The same request at its new place. It counts as one more followed.
  case follow(HTTPRequest)
  case refused(Refusal)

  /// Why a redirect is not followed.
  public enum Refusal: String, Hashable, Sendable, CaseIterable {
    case notReading, tooMany, noLocation, invalidLocation, otherOrigin, plainText

    /// `malformedResponse` where the answer makes no sense, else `unavailable`: gateways redirect
    /// to another host while a service is down, and what waits to be delivered must outlive that.
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

  /// The rule. `followed` is how many redirects led to this response already.
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
