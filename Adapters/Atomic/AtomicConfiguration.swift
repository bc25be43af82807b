public import EngagementHTTP
public import EngagementModel
import EngagementPlatform

/// The endpoint, the keys and the options of the Atomic adapter.
public struct AtomicConfiguration: Hashable, Sendable {
  /// The host of clients without one of their own.
  public static let standardEndpoint = "https://client-api.atomic.io"

  /// The host for clients, such as `https://999-1.client-api.atomic.io`.
  public let endpoint: HTTPURL
  public let environmentID: String
  public let apiKey: Secret
  /// A UUID that identifies this start of the application.
  public let instanceID: String
  /// How long before its expiry a token counts as expired. 60 s by default.
  public let expiryMargin: Duration
  /// How long the kit does not ask the application again after it had no token. Zero by default.
  public let retryInterval: Duration
  /// The claim that names the user, if the API key defines one. Otherwise the first of
  /// `atomic_sub`, `atomic_id`, `sub` and `id` does.
  public let userClaim: String?
  /// The interval of feed requests while there is no socket; nil for never. 15 s by default.
  public let pollInterval: Duration?
  /// Whether signing out unregisters the push token. Atomic's own clients differ; false by default.
  public let unregistersPushOnSignOut: Bool

  /// Throws `invalidConfiguration`, which names the field.
  ///
  /// - Parameters:
  ///   - instanceID: Nil for a random one.
  ///   - pollInterval: Zero means never; any other value becomes at least one second.
  public init(
    endpoint: String = AtomicConfiguration.standardEndpoint, environmentID: String,
    apiKey: Secret, instanceID: String? = nil, expiryMargin: Duration = .seconds(60),
    retryInterval: Duration = .zero, userClaim: String? = nil,
    pollInterval: Duration = .seconds(15),
    unregistersPushOnSignOut: Bool = false
  ) throws(EngagementError) {
    self.endpoint = try Self.checked(endpoint)
    self.environmentID = environmentID
    self.apiKey = apiKey
    self.instanceID = instanceID ?? UUID().uuidString.lowercased()
    self.expiryMargin = expiryMargin
    self.retryInterval = retryInterval
    self.userClaim = userClaim
    self.pollInterval = pollInterval > .zero ? max(pollInterval, .seconds(1)) : nil
    self.unregistersPushOnSignOut = unregistersPushOnSignOut
    try require(!apiKey.revealed.isEmpty, "apiKey is empty")
    try require((try? root(.https)) != nil, "environmentID is no part of a path")
    try require(!self.instanceID.isEmpty, "instanceID is empty")
    try require(expiryMargin >= .zero, "expiryMargin is negative")
    try require(retryInterval >= .zero, "retryInterval is negative")
    try require(userClaim != "", "userClaim is empty")
  }

  /// The root URL of the environment, for HTTP or for the socket.
  func root(_ kind: RootKind) throws(EngagementError) -> HTTPURL {
    switch kind {
    case .https: try endpoint.appending(path: [environmentID])
    case .socket: try HTTPURL(socketEndpoint).appending(path: [environmentID, "socket"])
    }
  }

  enum RootKind { case https, socket }

  /// The socket uses TLS if the endpoint does.
  private var socketEndpoint: String {
    let scheme: Origin.Scheme = endpoint.scheme.isEncrypted ? .wss : .ws
    return "\(scheme.rawValue)://\(endpoint.origin.authority)\(endpoint.path)"
  }

  private static func checked(_ endpoint: String) throws(EngagementError) -> HTTPURL {
    guard let url = try? HTTPURL(endpoint), !url.scheme.isSocket, url.query == nil else {
      throw EngagementError(.invalidConfiguration, "endpoint is no https URL without a query.")
    }
    guard url.origin.isConfidential else {
      throw EngagementError(
        .invalidConfiguration, "endpoint is http and not an address of this machine.")
    }
    return url
  }

  private func require(_ condition: Bool, _ fault: String) throws(EngagementError) {
    guard condition else { throw EngagementError(.invalidConfiguration, "\(fault).") }
  }
}
