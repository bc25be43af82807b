import EngagementHTTP
public import EngagementModel

/// Which application of which Vibes instance the adapter speaks for.
public struct VibesConfiguration: Hashable, Sendable {
  /// The device interface for North America.
  public static let northAmerica =
    "https://public-api.vibescm.com/mobile_apps"
  /// The device interface for Europe.
  public static let europe =
    "https://public-api.vibescmeurope.com/mobile_apps"

  /// The name that the application gave the provider; it is part of every item's id.
  public let provider: ProviderID
  /// The application's id at the vendor.
  public let appID: String
  let endpoint: HTTPURL
  let hosts: AllowedHosts
  /// Who tells the vendor whose device this is.
  public var association: Association
  /// The kinds of events to report, out of those that the vendor has.
  public let reported: Set<EngagementEvent.Kind>
  /// What the vendor is told as the version of its client.
  public var clientVersion: String
  /// Where a token is good that a push brought.
  public var pushEnvironment: PushEnvironment
  /// What a device counts as whose own system is neither of the two that the vendor knows.
  public var otherSystem = System.android

  /// Throws `invalidConfiguration` naming the argument that cannot be used.
  ///
  /// - Parameters:
  ///   - appID: The application's id at the vendor.
  ///   - endpoint: The URL up to and with `mobile_apps`: https, or http to this machine.
  public init(
    appID: String, endpoint: String = VibesConfiguration.northAmerica,
    provider: ProviderID = "vibes", association: Association = .onSignIn,
    reporting reported: Set<EngagementEvent.Kind>? = nil,
    clientVersion: String = "1.0.0", pushEnvironment: PushEnvironment = .production
  ) throws(EngagementError) {
    guard let url = try? HTTPURL(endpoint), url.origin.isConfidential, url.query == nil,
      !url.scheme.isSocket, let host = try? HostPattern(validating: url.host.text)
    else {
      throw EngagementError(
        .invalidConfiguration, "endpoint is no https URL, or no http URL of this machine.")
    }
    guard (try? url.appending(path: [appID])) != nil else {
      throw EngagementError(.invalidConfiguration, "appID is empty or no single path segment.")
    }
    self.provider = provider
    self.appID = appID
    self.endpoint = url
    hosts = AllowedHosts([host])
    self.association = association
    self.reported = VibesEventType.kinds.intersection(reported ?? VibesEventType.kinds)
    self.clientVersion = clientVersion
    self.pushEnvironment = pushEnvironment
  }

  /// Who ties the device to a person.
  public enum Association: String, Hashable, Sendable, CaseIterable {
    /// This library, with the user's id, when somebody signs in.
    case onSignIn
    /// The application's own server, as the vendor recommends: a client can claim to be anybody.
    case byServer
  }

  /// What the vendor can send pushes to.
  public enum System: String, Hashable, Sendable, CaseIterable {
    case iOS
    case android = "Android"
  }
}
