/// Scheme, host and port. A credential belongs to one origin, and no redirect may leave it.
public struct Origin: Hashable, Sendable, CustomStringConvertible {
  /// The schemes that the library supports.
  public enum Scheme: String, Hashable, Sendable, CaseIterable {
    case http, https, ws, wss

    /// The port if the URL has none.
    public var defaultPort: Int { isEncrypted ? 443 : 80 }

    /// Whether the connection uses TLS.
    public var isEncrypted: Bool { self == .https || self == .wss }

    /// Whether it opens a web socket.
    public var isSocket: Bool { self == .ws || self == .wss }
  }

  public let scheme: Scheme
  public let host: HTTPHost
  public let port: Int

  /// Whether no third party can read or change a request to this origin: it is encrypted, or it
  /// stays on this machine.
  public var isConfidential: Bool { scheme.isEncrypted || host.isLoopbackLiteral }

  /// The value of a `Host` header: the host, and the port unless it is the scheme's default.
  public var authority: String { port == scheme.defaultPort ? host.text : "\(host):\(port)" }

  public var description: String { "\(scheme.rawValue)://\(authority)" }
}
