import EngagementHTTP
public import EngagementModel

/// The application, the instance and the options of the Vibes adapter.
public struct VibesConfiguration: Hashable, Sendable {
  /// The endpoint for North America.
  public static let northAmerica =
    "https://public-api.vibescm.com/mobile_apps"
  /// The endpoint for Europe.
  public static let europe =
    "https://public-api.vibescmeurope.com/mobile_apps"

  /// The application's id at the vendor.
  public let appID: String
  let endpoint: HTTPURL
  let hosts: AllowedHosts
  /// How the device is associated with a person.
  public var association: Association
  /// The kinds of events to report, among those that the vendor supports.
  public let reported: Set<EngagementEvent.Kind>
  /// The client version that requests report. The default is that of the vendor's iOS client whose
  /// requests this adapter sends, since the vendor may serve older clients less.
  public var clientVersion: String
  /// The environment of a push token that arrives in a push.
  public var pushEnvironment: PushEnvironment
  /// The system that requests report for a device that is neither iOS nor Android.
  public var otherSystem = System.android

  /// Throws `invalidConfiguration`, which names the invalid argument.
  ///
  /// - Parameters:
  ///   - appID: The application's id at the vendor.
  ///   - endpoint: The URL up to `mobile_apps`, included: https, or http to this machine.
  public init(
    appID: String, endpoint: String = VibesConfiguration.northAmerica,
    association: Association = .onSignIn,
    reporting reported: Set<EngagementEvent.Kind>? = nil,
    clientVersion: String = "4.8.3", pushEnvironment: PushEnvironment = .production
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
    self.appID = appID
    self.endpoint = url
    hosts = AllowedHosts([host])
    self.association = association
    self.reported = VibesEventType.kinds.intersection(reported ?? VibesEventType.kinds)
    self.clientVersion = clientVersion
    self.pushEnvironment = pushEnvironment
  }

  /// How the device is associated with a person.
  public enum Association: String, Hashable, Sendable, CaseIterable {
    /// This library associates it, with the user's id, at each sign-in.
    case onSignIn
    /// The application's own server associates it, as the vendor recommends, because a client can
    /// claim any id.
    case byServer
  }

  /// The systems that the vendor can send pushes to.
  public enum System: String, Hashable, Sendable, CaseIterable {
    case iOS
    case android = "Android"
  }
}
