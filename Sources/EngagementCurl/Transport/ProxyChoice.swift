import EngagementHTTP
import EngagementModel
import EngagementPlatform

/// The proxy settings at the time when a transport is made.
///
/// It reads the environment once, here: libcurl would read it on its own thread while the
/// application may be changing it.
struct ProxyChoice: Sendable {
  /// The proxy of a request, or an empty text for none, and the hosts to reach without it.
  struct Route: Hashable, Sendable {
    let server: Secret
    let exceptions: String

    static let direct = Route(server: Secret(""), exceptions: "")
  }

  private let route: Route

  init(_ proxy: CurlTransport.Proxy, environment: (String) -> String? = Self.variable) {
    switch proxy {
    case .none: route = .direct
    case .server(let server): route = Route(server: server, exceptions: "")
    case .environment:
      // Plain text is sent only to loopback addresses, so `http_proxy` never applies.
      let names = ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
      let server = names.lazy.compactMap(environment).first { !$0.isEmpty }
      let exceptions = ["no_proxy", "NO_PROXY"].lazy.compactMap(environment).first
      route = Route(server: Secret(server ?? ""), exceptions: exceptions ?? "")
    }
  }

  /// The route to a host. A proxy can't reach this machine's loopback addresses.
  func route(to host: HTTPHost) -> Route { host.isLoopbackLiteral ? .direct : route }

  private static func variable(_ name: String) -> String? {
    unsafe getenv(name).map { unsafe String(cString: $0) }
  }
}
