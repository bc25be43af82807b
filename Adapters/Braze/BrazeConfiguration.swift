public import EngagementHTTP
public import EngagementModel

/// The endpoint, the key and the options of the Braze adapter.
public struct BrazeConfiguration: Hashable, Sendable {
  /// The SDK endpoint from the dashboard, such as `https://sdk.iad-01.braze.com`.
  public let origin: Origin
  /// The application's key at the vendor.
  public let apiKey: Secret
  /// Whether requests of a signed-in user have the application's signature, a JSON Web Token.
  public let signsRequests: Bool
  /// The version that requests report. After a change of it, the next sync of cards is a full one.
  public let sdkVersion: String
  /// How long the application must be unused for a session to end. The vendor's settings override
  /// it.
  public let sessionTimeout: Duration
  /// The only host for requests.
  let host: HostPattern

  /// Throws `invalidConfiguration`, which names the field, for an endpoint with a path or without
  /// TLS (a loopback address needs none), for an empty key or version, and for a session time-out
  /// that is not positive.
  public init(
    endpoint: String, apiKey: Secret, signsRequests: Bool = false, sdkVersion: String = "1.0.0",
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
    self.signsRequests = signsRequests
    self.sdkVersion = sdkVersion
    self.sessionTimeout = sessionTimeout
  }

  private static func invalid(_ message: String) -> EngagementError {
    EngagementError(.invalidConfiguration, message)
  }
}
