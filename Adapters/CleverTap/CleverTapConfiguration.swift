public import EngagementHTTP
public import EngagementModel

/// The account, the hosts and the options of the CleverTap adapter.
public struct CleverTapConfiguration: Hashable, Sendable {
  /// The endpoint that names the host of each account.
  public static let handshake = "https://clevertap-prod.com"

  /// The account's id, as the dashboard shows it.
  public let accountID: String
  /// The account's token. The vendor's protocol sends it as plain text in every request.
  public let token: Secret
  /// The system whose links are used and that requests report.
  public let platform: Platform
  /// Whether the vendor stores the inbox. If not, messages arrive only with other answers and exist
  /// only on this device.
  public let hasServerInbox: Bool
  /// Whether the application's templates may be sent to the dashboard. Only for debug builds whose
  /// profile is marked there as a test profile.
  public let definesTemplates: Bool
  /// The client revision that requests report.
  public let clientRevision: Int
  let origin: Origin
  /// The host of a handshake that is not the vendor's own, which the handshake names in a header.
  let ownHandshakeHost: String?
  let hosts: AllowedHosts
  /// The hosts of the configured region, which needs no handshake; nil without a region.
  let region: CleverTapDomains?

  /// Throws `invalidConfiguration`, which names the invalid argument.
  ///
  /// - Parameters:
  ///   - region: A region such as `eu1`; with it there is no handshake.
  ///   - endpoint: The URL of the handshake: https, or http to this machine.
  ///   - hosts: The hosts that an answer may name; by default that of the handshake and all below
  ///     it.
  public init(
    accountID: String, token: Secret, region: String? = nil,
    endpoint: String = CleverTapConfiguration.handshake, hosts: [HostPattern]? = nil,
    platform: Platform = .iOS, hasServerInbox: Bool = true, definesTemplates: Bool = false,
    clientRevision: Int = 1
  ) throws(EngagementError) {
    guard let url = try? HTTPURL(endpoint), url.path == "/", url.query == nil else {
      throw Self.invalid("endpoint is no URL of scheme and host alone.")
    }
    guard !url.scheme.isSocket, url.origin.isConfidential else {
      throw Self.invalid("endpoint takes https, or http to a loopback address.")
    }
    guard !accountID.isEmpty, (try? HTTPHeaderField("account", accountID)) != nil else {
      throw Self.invalid("accountID is empty or cannot stand in a header.")
    }
    guard !token.revealed.isEmpty, (try? HTTPHeaderField("token", token)) != nil else {
      throw Self.invalid("token is empty or cannot stand in a header.")
    }
    origin = url.origin
    ownHandshakeHost = endpoint == Self.handshake ? nil : url.origin.authority
    self.region = try region.map { name throws(EngagementError) in
      try CleverTapDomains(region: name, of: url.host)
    }
    self.hosts = AllowedHosts(hosts ?? Self.patterns(around: url.host))
    self.accountID = accountID
    self.token = token
    self.platform = platform
    self.hasServerInbox = hasServerInbox
    self.definesTemplates = definesTemplates
    self.clientRevision = clientRevision
  }

  /// A system for which the vendor has a client.
  public enum Platform: String, Hashable, Sendable, CaseIterable {
    case iOS
    case android = "Android"
  }

  /// The host in an answer's header, in the form of a URL. Throws if requests to it are not
  /// allowed.
  func domain(named text: String) throws(EngagementError) -> String {
    let url = try hosts.url("\(origin.scheme.rawValue)://\(text)")
    guard url.path == "/", url.query == nil else {
      throw EngagementError(.invalidArgument, "An answer names a domain that is none.")
    }
    return url.origin.authority
  }

  private static func patterns(around host: HTTPHost) -> [HostPattern] {
    [host.text, "*.\(host.text)"].compactMap { try? HostPattern(validating: $0) }
  }

  fileprivate static func invalid(_ message: String) -> EngagementError {
    EngagementError(.invalidConfiguration, message)
  }
}

/// The host for an account's requests, and the host for its view events.
struct CleverTapDomains: Hashable, Sendable {
  let main: String
  let viewed: String

  init(region: String, of host: HTTPHost) throws(EngagementError) {
    guard !region.contains("."), (try? HTTPHost("\(region).example")) != nil else {
      throw CleverTapConfiguration.invalid("region is no name without a dot, such as eu1.")
    }
    guard let main = try? HTTPHost("\(region).\(host.text)"),
      let viewed = try? HTTPHost("\(region)-spiky.\(host.text)")
    else {
      throw CleverTapConfiguration.invalid(
        """
        region does not go with this endpoint: requests would go to \(region).\(host.text), and \
        \(host.text) is an address, not a name. Leave region out.
        """)
    }
    self.main = main.text
    self.viewed = viewed.text
  }
}
