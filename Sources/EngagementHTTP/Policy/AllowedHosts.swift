public import EngagementModel

/// The hosts that a vendor's answer may name, for example for images, templates and uploads.
///
/// A URL from an answer is text until `url(_:)` accepts it.
public struct AllowedHosts: Hashable, Sendable, ExpressibleByArrayLiteral {
  public var patterns: [HostPattern]

  public init(_ patterns: [HostPattern]) { self.patterns = patterns }
  public init(arrayLiteral elements: HostPattern...) { patterns = elements }

  /// Whether a pattern matches the URL's host and the connection is confidential.
  public func allows(_ url: HTTPURL) -> Bool {
    url.origin.isConfidential && patterns.contains { $0.matches(url.host) }
  }

  /// The URL from a vendor's answer, checked. Throws `invalidArgument` if the text is not a URL and
  /// `permissionDenied` if the host is not allowed.
  public func url(_ text: String) throws(EngagementError) -> HTTPURL {
    let url = try HTTPURL(text)
    guard allows(url) else {
      throw EngagementError(.permissionDenied, "An answer names a host that is not allowed.")
    }
    return url
  }
}
