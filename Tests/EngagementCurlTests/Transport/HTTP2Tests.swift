import EngagementCurl
import EngagementHTTP
import EngagementModel
import TestServers
import Testing

@Suite struct HTTP2Tests {
  private func withTransport(
    pinned: Bool, script: @escaping TestServer.Script,
    body: (CurlTransport, TestServer) async throws -> Void
  ) async throws {
    let authority = try TLSIdentity("Authority", isAuthority: true)
    let identity = try TLSIdentity("server", hosts: "DNS:localhost", issuer: authority)
    let pins = try PinSet([authority.pin])
    try await authority.withFile { file in
      try await withServer(identity, protocols: ["h2", "http/1.1"], script) { server in
        let transport = transport(trusting: file) {
          if pinned { $0.policy = RequestPolicy(otherwise: .allowWithPins(pins)) }
        }
        try await body(transport, server)
      }
    }
  }

  @Test(
    "concurrent requests share one HTTP/2 connection, with and without pins",
    .timeLimit(.minutes(20)), arguments: [false, true])
  func shared(pinned: Bool) async throws {
    try await withTransport(pinned: pinned) { connection in
      guard connection.agreed == "h2" else { throw TestFailure("no agreement on HTTP/2") }
      var peer = try HTTP2(connection)
      // The server answers after all requests have arrived, so they are in flight together.
      while peer.asked.count < 20 { try peer.readFrame() }
      for _ in 0..<20 { try peer.answerNext("ok") }
      while true {
        try peer.readFrame()
        if !peer.asked.isEmpty { try peer.answerNext("ok") }
      }
    } body: { transport, server in
      let url = server.url(scheme: "https", host: "localhost")
      try await withThrowingTaskGroup(of: HTTPResponse.self) { group in
        for _ in 0..<20 { group.addTask { try await transport.send(HTTPRequest(.get, url)) } }
        while let response = try await group.next() {
          #expect(response.status == 200 && response.body == Array("ok".utf8))
          #expect(response.headers.first("X-A") == "1")
        }
      }
      for _ in 0..<5 {
        let response = try await transport.send(HTTPRequest(.get, url))
        #expect(response.status == 200)
      }
      #expect(server.connections == 1)
    }
  }

  @Test("an HTTP/2 connection that ends is unavailable for all its requests")
  func ended() async throws {
    try await withTransport(pinned: false) { connection in
      var peer = try HTTP2(connection)
      while peer.asked.isEmpty { try peer.readFrame() }
    } body: { transport, server in
      let url = server.url(scheme: "https", host: "localhost")
      let codes = await withTaskGroup(of: EngagementError.Code?.self) { group in
        for _ in 0..<5 {
          group.addTask {
            try? await failure(of: HTTPRequest(.get, url), by: transport).code
          }
        }
        return await group.reduce(into: []) { $0.append($1) }
      }
      #expect(codes == [.unavailable, .unavailable, .unavailable, .unavailable, .unavailable])
    }
  }
}
