/// The token under which a push service reaches this installation.
public struct PushRegistration: Hashable, Sendable {
  /// The token's text: lower-case hex for APNs, unchanged for FCM.
  public var token: Secret
  public var service: Service
  public var environment: PushEnvironment

  public init(
    token: Secret, service: Service, environment: PushEnvironment = .production
  ) {
    self.token = token
    self.service = service
    self.environment = environment
  }

  /// The push service that issued the token.
  public struct Service: ByteComparable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let apns: Service = "apns"
    public static let fcm: Service = "fcm"
  }
}

/// The environment that a token is valid in. APNs separates development builds.
public enum PushEnvironment: String, Hashable, Sendable, CaseIterable {
  case production, sandbox
}
