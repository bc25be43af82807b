import EngagementModel

/// The rule that makes a text unusable as a URL.
enum URLFault: String, Error, CaseIterable {
  case forbiddenByte, noScheme, unknownScheme, noAuthority, userInfo, noHost, invalidHost
  case invalidPort, invalidPathSegment

  var error: EngagementError {
    EngagementError(.invalidArgument, "Not a usable URL: \(explanation).", underlying: rawValue)
  }

  private var explanation: String {
    switch self {
    case .forbiddenByte: "it has white space, a control byte or a backslash"
    case .noScheme: "it has no scheme"
    case .unknownScheme: "its scheme is none of http, https, ws, wss"
    case .noAuthority: "its scheme is not followed by //"
    case .userInfo: "it has user information before the host"
    case .noHost: "it has no host"
    case .invalidHost: "its host is neither a DNS name nor an IP address"
    case .invalidPort: "its port is not between 1 and 65535"
    case .invalidPathSegment: "a segment to append is empty, . or .."
    }
  }
}
