/// The one error that this library throws. Act on the code; show the message to a developer.
///
/// No input, header or body is ever part of it.
public struct EngagementError: Error, Hashable, Sendable {
  public var code: Code
  /// One sentence: what failed and, where there is one, the next step.
  public var message: String
  /// The provider that failed, where one did.
  public var provider: ProviderID?
  /// The name of the operation that failed, such as `inbox`.
  public var operation: String?
  /// How long the vendor asked to be left alone.
  public var retryAfter: Duration?
  /// A short name of the cause, such as a status or a library's error code.
  public var underlying: String?

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

  /// What kind of failure it is.
  public struct Code: ByteComparable {
    public let text: String
    public init(_ text: String) { self.text = text }

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

    /// Whether the same call may succeed later without anyone changing anything.
    public var mayRetry: Bool { Self.passing.contains(self) }

    private static let passing: Set<Code> = [
      .rateLimited, .unavailable, .busy, .deadlineExceeded, .malformedResponse,
    ]
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
