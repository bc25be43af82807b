public import EngagementHTTP
public import EngagementModel

/// What the Braze adapter has to be told: where the vendor is and who asks.
public struct BrazeConfiguration: Hashable, Sendable {
  /// The SDK endpoint that the dashboard shows, such as `https://sdk.iad-01.braze.com`.
  public let origin: Origin
  /// The application's key at the vendor.
  public let apiKey: Secret
  /// The name under which the application knows this provider.
  public let provider: ProviderID
  /// Whether requests of a signed-in user carry the application's signature, a JSON Web Token.
  public let signsRequests: Bool
  /// The version told to the vendor. With another one, the next sync of cards is a full one.
  public let sdkVersion: String
  /// When a session ends without use, until the vendor's settings name another time.
  public let sessionTimeout: Duration
  /// The one host that requests go to.
  let host: HostPattern

  /// Throws `invalidConfiguration`, naming the field, for an endpoint with a path or without TLS
  /// (a loopback address may do without), for an empty key or version, and for a session that
  /// would end at once.
  public init(
    endpoint: String, apiKey: Secret, provider: ProviderID = "braze",
    signsRequests: Bool = false, sdkVersion: String = "1.0.0",
    sessionTimeout: Duration = .seconds(1_800)
  ) throws(EngagementError) {
    guard let url = try? HTTPURL(endpoint), url.path == "/", url.query == nil else {
      throw Self.invalid("endpoint: this is no URL of scheme and host alone.")
    }
    guard !url.scheme.isSocket, url.origin.isConfidential else {
      throw Self.invalid("endpoint: it takes https, or http to a loopback address.")
    }
    guard !apiKey.revealed.isEmpty else { throw Self.invalid("apiKey: it is empty.") }
    guard !sdkVersion.isEmpty else { throw Self.invalid("sdkVersion: it is empty.") }
    guard sessionTimeout > .zero else {
      throw Self.invalid("sessionTimeout: it is not above zero.")
    }
    origin = url.origin
    host = try HostPattern(validating: url.host.text)
    self.apiKey = apiKey
    self.provider = provider
    self.signsRequests = signsRequests
    self.sdkVersion = sdkVersion
    self.sessionTimeout = sessionTimeout
  }

  private static func invalid(_ message: String) -> EngagementError {
    EngagementError(.invalidConfiguration, message)
  }
}
