/// Scheme, host and port: what a credential belongs to and a redirect must not leave.
public struct Origin: Hashable, Sendable, CustomStringConvertible {
  /// The schemes that the library speaks.
  public enum Scheme: String, Hashable, Sendable, CaseIterable {
    case http, https, ws, wss

    /// The port where the URL names none.
    public var defaultPort: Int { isEncrypted ? 443 : 80 }

    /// Whether the bytes travel in TLS.
    public var isEncrypted: Bool { self == .https || self == .wss }

    /// Whether it opens a web socket.
    public var isSocket: Bool { self == .ws || self == .wss }
  }

  public let scheme: Scheme
  public let host: HTTPHost
  public let port: Int

  /// Whether a request to it can be read or changed by nobody on the way: it is encrypted, or it
  /// never leaves the machine.
  public var isConfidential: Bool { scheme.isEncrypted || host.isLoopbackLiteral }

  /// The host, and the port where it is not the scheme's own: a `Host` header's value.
  public var authority: String { port == scheme.defaultPort ? host.text : "\(host):\(port)" }

  public var description: String { "\(scheme.rawValue)://\(authority)" }
}
