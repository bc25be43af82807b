import EngagementHTTP
import EngagementModel

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// What is known about proxies when a transport is made.
///
/// The environment is read here and once, since libcurl would read it on its own thread while the
/// application may be changing it.
struct ProxyChoice: Sendable {
  /// What a request is told: a proxy, or an empty text for none, and the hosts to reach without it.
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
      // Plain text goes to loopback addresses alone, so `http_proxy` is never the one to ask.
      let names = ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
      let server = names.lazy.compactMap(environment).first { !$0.isEmpty }
      let exceptions = ["no_proxy", "NO_PROXY"].lazy.compactMap(environment).first
      route = Route(server: Secret(server ?? ""), exceptions: exceptions ?? "")
    }
  }

  /// No proxy can reach this machine's own loopback.
  func route(to host: HTTPHost) -> Route { host.isLoopbackLiteral ? .direct : route }

  private static func variable(_ name: String) -> String? {
    unsafe getenv(name).map { unsafe String(cString: $0) }
  }
}
