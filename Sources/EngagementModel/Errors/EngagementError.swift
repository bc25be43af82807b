/// The only error type that this library throws. Act on the code; show the message to developers.
///
/// It never contains input, headers or bodies.
public struct EngagementError: Error, Sendable {
  public var code: Code
  /// One sentence: what failed and, if there is one, the next step.
  public var message: String
  /// The provider that failed, if the failure concerns one.
  public var provider: ProviderID?
  /// The name of the operation that failed, such as `inbox`.
  public var operation: String?
  /// How long the vendor asks the client to wait before the next request.
  public var retryAfter: Duration?
  /// A short name of the cause, such as an HTTP status or a library's error code.
  public var underlying: String?
  /// The cause as a value, for the part of this package that failed; `underlying` names it for
  /// people. It takes no part in `==`.
  package var cause: (any Error)?

  public init(
    _ code: Code, _ message: String, provider: ProviderID? = nil, operation: String? = nil,
    retryAfter: Duration? = nil, underlying: String? = nil
  ) {
    self.code = code
    self.message = message
    self.provider = provider
    self.operation = operation
    self.retryAfter = retryAfter
    self.underlying = underlying
  }

  /// The kind of failure.
  public struct Code: ByteComparable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let notFound: Code = "notFound"
    public static let invalidArgument: Code = "invalidArgument"
    public static let invalidConfiguration: Code = "invalidConfiguration"
    public static let unauthenticated: Code = "unauthenticated"
    public static let permissionDenied: Code = "permissionDenied"
    public static let conflict: Code = "conflict"
    public static let rateLimited: Code = "rateLimited"
    public static let unavailable: Code = "unavailable"
    public static let unsupported: Code = "unsupported"
    public static let malformedResponse: Code = "malformedResponse"
    public static let queueFull: Code = "queueFull"
    public static let signedOut: Code = "signedOut"
    public static let consentDenied: Code = "consentDenied"
    public static let busy: Code = "busy"
    public static let newerSchema: Code = "newerSchema"
    public static let unreadable: Code = "unreadable"
    public static let cancelled: Code = "cancelled"
    public static let deadlineExceeded: Code = "deadlineExceeded"
    public static let storage: Code = "storage"
    public static let internalFailure: Code = "internalFailure"

    /// Whether the same call may succeed later without any change by the caller.
    public var mayRetry: Bool { Self.passing.contains(self) }

    private static let passing: Set<Code> = [
      .rateLimited, .unavailable, .busy, .deadlineExceeded, .malformedResponse,
    ]
  }
}

extension EngagementError: Hashable {
  public static func == (left: Self, right: Self) -> Bool {
    left.code == right.code && left.message == right.message && left.provider == right.provider
      && left.operation == right.operation && left.retryAfter == right.retryAfter
      && left.underlying == right.underlying
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(code)
    hasher.combine(message)
    hasher.combine(provider)
    hasher.combine(operation)
    hasher.combine(retryAfter)
    hasher.combine(underlying)
  }
}

extension EngagementError: CustomStringConvertible {
  public var description: String {
    var text = ""
    if let provider { text += "\(provider): " }
    if let operation { text += "\(operation): " }
    text += "\(message) [\(code)]"
    if let underlying { text += " (\(underlying))" }
    return text
  }
}
