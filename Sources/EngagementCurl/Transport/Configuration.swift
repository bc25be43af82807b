public import EngagementHTTP
public import EngagementModel

extension CurlTransport {
  /// The policy, the limits and the proxy of a transport.
  public struct Configuration: Sendable {
    /// The transport asks it before it resolves a name or sends a byte.
    public var policy = RequestPolicy()
    /// The limit for resolving, connecting and the TLS handshake. At least a millisecond.
    public var connectTimeout: Duration = .seconds(10)
    /// The limit for a request, from its start to the last byte of its answer. At least a
    /// millisecond.
    public var totalTimeout: Duration = .seconds(30)
    /// The transport ends a transfer that is slower than this, in bytes per second.
    public var lowSpeed = 10
    /// How long a transfer may stay below `lowSpeed`, in whole seconds, at least one. A server that
    /// has not begun to answer counts as slow, too.
    public var lowSpeedTime: Duration = .seconds(10)
    /// How long an unused connection is kept for reuse, in whole seconds, at least one.
    public var idleTime: Duration = .seconds(118)
    /// The greatest size of a decoded body, in bytes.
    public var maximumBodyBytes = 10 << 20
    /// The proxy for requests. Requests to loopback addresses never use it.
    public var proxy = Proxy.environment
    /// A PEM file of certificate authorities to trust besides the system's, such as a company's own
    /// or a test's. Verification can't be switched off.
    public var certificateAuthorities: String?
    /// Called for each request whose connection has none of the pinned keys, whether it is refused
    /// or only reported. No request proceeds during the call, so it must not wait for anything.
    public var onPinMismatch: (@Sendable (PinMismatch) -> Void)?

    public init() {}
  }

  /// The proxy that requests use.
  public enum Proxy: Sendable {
    /// The proxy from `https_proxy`, `all_proxy` and `no_proxy`, in lower or upper case, read when
    /// the transport is made.
    case environment
    /// No proxy, even if the environment names one.
    case none
    /// The proxy's URL, such as `http://proxy.example:3128`, with its password if it has one.
    case server(Secret)
  }
}

/// A connection that has none of the keys pinned for its host.
public struct PinMismatch: Hashable, Sendable {
  public let host: HTTPHost
  /// The SHA-256 of each key of the verified chain, the server's own first.
  public let keys: [[UInt8]]
  /// Whether the request was refused. Otherwise it was sent, because the pins only report.
  public let wasRefused: Bool
}
