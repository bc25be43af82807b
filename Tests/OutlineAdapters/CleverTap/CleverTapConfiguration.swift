public import EngagementHTTP
public import EngagementModel

/// Which CleverTap account the adapter speaks for, and where it begins to look for it.
public struct CleverTapConfiguration: Hashable, Sendable {
  /// The host that tells every account its own.
  public static let handshake = "https://clevertap-prod.com"

  /// The account's id, as the dashboard shows it.
  public let accountID: String
  /// Travels in clear in every request, as the vendor has it.
  public let token: Secret
  /// The name that the application gave the provider; it is part of every item's id.
  public let provider: ProviderID
  /// Whose links are taken, and what the vendor is told that this is.
  public let platform: Platform
  /// Whether the inbox is kept at the vendor too. Where it is not, messages come with answers
  /// alone and live on this device.
  public let hasServerInbox: Bool
  /// Whether the application's templates may be sent to the dashboard; for debug builds, whose
  /// profile is marked as a test profile there.
  public let definesTemplates: Bool
  /// What the vendor is told as the revision of its client.
  public let clientRevision: Int
  let origin: Origin
  let hosts: AllowedHosts
  /// The hosts of a region that was named, so that nobody has to ask; nil to ask.
  let region: CleverTapDomains?

  /// Throws `invalidConfiguration` naming the argument that cannot be used.
  ///
  /// - Parameters:
  ///   - region: Such as `eu1`; with it there is no handshake.
  ///   - handshake: Where the handshake is done: https, or http to this machine.
  ///   - hosts: The hosts that an answer may name; by default that of the handshake and all below
  ///     it.
  public init(
    accountID: String, token: Secret, region: String? = nil,
    handshake: String = CleverTapConfiguration.handshake, hosts: [HostPattern]? = nil,
    provider: ProviderID = "clevertap", platform: Platform = .iOS, hasServerInbox: Bool = true,
    definesTemplates: Bool = false, clientRevision: Int = 1
  ) throws(EngagementError) {
    guard let url = try? HTTPURL(handshake), url.path == "/", url.query == nil else {
      throw Self.invalid("handshake is no URL of scheme and host alone.")
    }
    guard !url.scheme.isSocket, url.origin.isConfidential else {
      throw Self.invalid("handshake takes https, or http to a loopback address.")
    }
    guard !accountID.isEmpty, (try? HTTPHeaderField("account", accountID)) != nil else {
      throw Self.invalid("accountID is empty or cannot stand in a header.")
    }
    guard !token.revealed.isEmpty, (try? HTTPHeaderField("token", token)) != nil else {
      throw Self.invalid("token is empty or cannot stand in a header.")
    }
    origin = url.origin
    self.region = try region.map { name throws(EngagementError) in
      try CleverTapDomains(region: name, of: url.host)
    }
    self.hosts = AllowedHosts(hosts ?? Self.patterns(around: url.host))
    self.accountID = accountID
    self.token = token
    self.provider = provider
    self.platform = platform
    self.hasServerInbox = hasServerInbox
    self.definesTemplates = definesTemplates
    self.clientRevision = clientRevision
  }

  /// A system with a client of the vendor's own.
  public enum Platform: String, Hashable, Sendable, CaseIterable {
    case iOS
    case android = "Android"
  }

  /// The host of an answer's header, as it stands in a URL; throws where it may not be asked.
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

/// The host that takes an account's requests and the one that takes what was viewed.
struct CleverTapDomains: Hashable, Sendable {
  let main: String
  let viewed: String

  init(region: String, of host: HTTPHost) throws(EngagementError) {
    guard let main = try? HTTPHost("\(region).\(host.text)"),
      let viewed = try? HTTPHost("\(region)-spiky.\(host.text)"), !region.contains(".")
    else { throw CleverTapConfiguration.invalid("region is no label of a host.") }
    self.main = main.text
    self.viewed = viewed.text
  }
}
