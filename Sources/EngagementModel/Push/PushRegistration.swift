/// The token under which a push service reaches this installation.
public struct PushRegistration: Hashable, Sendable {
  /// The token's text: lower-case hex for APNs, as it came for FCM.
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

  /// The push service that gave the token.
  public struct Service: ByteComparable {
    public let text: String
    public init(_ text: String) { self.text = text }

    public static let apns: Service = "apns"
    public static let fcm: Service = "fcm"
  }
}

/// Where a token is good: APNs keeps development builds apart.
public enum PushEnvironment: String, Hashable, Sendable, CaseIterable {
  case production, sandbox
}
