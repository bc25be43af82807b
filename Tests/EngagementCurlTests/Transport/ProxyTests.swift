import EngagementHTTP
import EngagementModel
import TestServers
import Testing

@testable import EngagementCurl

@Suite struct ProxyTests {
  private func route(_ environment: [String: String], to host: String) throws -> String {
    let choice = ProxyChoice(.environment) { environment[$0] }
    let route = choice.route(to: try HTTPHost(host))
    return "\(route.server.revealed) but \(route.exceptions)"
  }

  @Test("lower-case proxy variables win, and specific ones win over general ones")
  func variables() throws {
    #expect(try route([:], to: "example.com") == " but ")
    #expect(try route(["https_proxy": "a", "HTTPS_PROXY": "b"], to: "example.com") == "a but ")
    #expect(try route(["HTTPS_PROXY": "b", "all_proxy": "c"], to: "example.com") == "b but ")
    #expect(try route(["https_proxy": "", "ALL_PROXY": "d"], to: "example.com") == "d but ")
    #expect(try route(["http_proxy": "e", "HTTP_PROXY": "f"], to: "example.com") == " but ")
    #expect(
      try route(["all_proxy": "c", "NO_PROXY": "a.example,b.example"], to: "example.com")
        == "c but a.example,b.example")
  }

  @Test("a loopback address never uses a proxy", arguments: ["127.0.0.1", "[::1]"])
  func loopback(host: String) throws {
    #expect(try route(["https_proxy": "a", "all_proxy": "b"], to: host) == " but ")
    let choice = ProxyChoice(.server(Secret("http://proxy.example")))
    #expect(choice.route(to: try HTTPHost(host)) == .direct)
    #expect(choice.route(to: try HTTPHost("localhost")) != .direct)
  }

  /// A proxy that tunnels every request to one server.
  private static func tunnel(to port: Int) -> TestServer.Script {
    { connection in
      try connection.readHead()
      try connection.write("HTTP/1.1 200 Connection established\r\nX-Proxy: 1\r\n\r\n")
      try connection.join(port)
    }
  }

  @Test("G16: only the server behind a proxy sees the headers, and its pins hold")
  func tunnel() async throws {
    let authority = try TLSIdentity("Authority", isAuthority: true)
    let identity = try TLSIdentity("server", hosts: "DNS:localhost", issuer: authority)
    try await authority.withFile { file in
      try await withServer(identity) {
        try $0.readHead()
        try $0.answer("200 OK", "ok")
      } _: { server in
        try await withServer(nil, Self.tunnel(to: server.port)) { proxy in
          let transport = transport(trusting: file) {
            $0.proxy = .server(Secret("http://u:p@127.0.0.1:\(proxy.port)"))
            if let pins = try? PinSet([identity.pin]) {
              $0.policy = RequestPolicy(otherwise: .allowWithPins(pins))
            }
          }
          let response = try await transport.send(
            HTTPRequest(
              .get, server.url("/cards", scheme: "https", host: "localhost"),
              headers: try HTTPHeaders(["X-Api-Key": "canary"])))
          #expect(response.body == Array("ok".utf8))
          #expect(response.headers.first("X-Proxy") == nil)
          let head = try #require(proxy.heads.first)
          #expect(head.hasPrefix("CONNECT localhost:\(server.port) HTTP/1.1"))
          #expect(!head.contains("canary") && head.contains("Proxy-Authorization"))
          #expect(server.heads.first?.contains("canary") == true)
        }
      }
    }
  }

  @Test("an error of a refusing proxy names the proxy and its status", arguments: [403, 407, 502])
  func refusing(status: Int) async throws {
    try await withServer {
      try $0.readHead()
      try $0.answer("\(status) No")
    } _: { proxy in
      let error = try await failure(
        of: HTTPRequest(.get, "https://example.com/"),
        by: transport { $0.proxy = .server(Secret("http://127.0.0.1:\(proxy.port)")) })
      #expect(error.code == .unavailable)
      #expect(error.message.contains("proxy") && error.message.contains("\(status)"), "\(error)")
    }
  }

  @Test("an unknown proxy is unavailable, and the error names the proxy")
  func missing() async throws {
    let error = try await failure(
      of: HTTPRequest(.get, "https://example.com/"),
      by: transport { $0.proxy = .server(Secret("http://nobody.invalid:3128")) })
    #expect(error.code == .unavailable && error.message.contains("proxy"), "\(error)")
  }
}
