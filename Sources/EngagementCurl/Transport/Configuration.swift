public import EngagementHTTP
public import EngagementModel

extension CurlTransport {
  /// What a transport may do and how long it may take.
  public struct Configuration: Sendable {
    /// Asked before a name is resolved or a byte is sent.
    public var policy = RequestPolicy()
    /// The longest that finding, reaching and greeting a server may take. At least a millisecond.
    public var connectTimeout: Duration = .seconds(10)
    /// The longest that a request may take from its start to the last byte of its answer. At least
    /// a millisecond.
    public var totalTimeout: Duration = .seconds(30)
    /// The pace, in bytes a second, below which a peer is given up.
    public var lowSpeed = 10
    /// How long a peer may stay below `lowSpeed`, in whole seconds, at least one. A server that has
    /// not begun to answer is slow, too.
    public var lowSpeedTime: Duration = .seconds(10)
    /// How long a connection that no request uses is kept for the next one, in whole seconds, at
    /// least one.
    public var idleTime: Duration = .seconds(118)
    /// The most bytes of a body, decoded, that are taken.
    public var maximumBodyBytes = 10 << 20
    /// Where requests pass through. Loopback addresses are always reached directly.
    public var proxy = Proxy.environment
    /// A PEM file of certificate authorities that are trusted beside the system's: a company's
    /// own, or a test's. There is no way to switch verification off.
    public var certificateAuthorities: String?
    /// Told of each request whose connection shows none of the pinned keys, whether it was refused
    /// or only reported. No request goes on while it runs, so it must not wait for anything.
    public var onPinMismatch: (@Sendable (PinMismatch) -> Void)?

    public init() {}
  }

  /// Where requests pass through on their way.
  public enum Proxy: Sendable {
    /// What `https_proxy`, `all_proxy` and `no_proxy`, in lower or upper case, say when the
    /// transport is made.
    case environment
    /// No proxy, whatever the environment says.
    case none
    /// The proxy's URL, such as `http://proxy.example:3128`, with its password where it has one.
    case server(Secret)
  }
}

/// A connection that showed none of the keys that are pinned for its host.
public struct PinMismatch: Hashable, Sendable {
  public let host: HTTPHost
  /// The SHA-256 of each key of the verified chain, the server's own first.
  public let keys: [[UInt8]]
  /// Whether the request was refused. Otherwise it was sent, since the pins only report.
  public let wasRefused: Bool
}
