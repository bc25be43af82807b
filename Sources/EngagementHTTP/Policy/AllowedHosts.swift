public import EngagementModel

/// The hosts that a vendor's answer may name: where images, templates and uploads live.
///
/// A URL from an answer is a string until `url(_:)` has let it through.
public struct AllowedHosts: Hashable, Sendable, ExpressibleByArrayLiteral {
  public var patterns: [HostPattern]

  public init(_ patterns: [HostPattern]) { self.patterns = patterns }
  public init(arrayLiteral elements: HostPattern...) { patterns = elements }

  /// Whether a pattern means the URL's host, and nobody on the way can read what is sent there.
  public func allows(_ url: HTTPURL) -> Bool {
    url.origin.isConfidential && patterns.contains { $0.matches(url.host) }
  }

  /// The URL that a vendor's answer gave, checked. Throws `invalidArgument` for what is no URL
  /// and `permissionDenied` for a host that is not allowed.
  public func url(_ text: String) throws(EngagementError) -> HTTPURL {
    let url = try HTTPURL(text)
    guard allows(url) else {
      throw EngagementError(.permissionDenied, "An answer names a host that is not allowed.")
    }
    return url
  }
}
