import EngagementEmulator
import EngagementModel
import Testing

@Suite(.timeLimit(.minutes(20))) struct LoopbackGuardTests {
  private static func endpoints(_ stand: Stand) -> [String] {
    Stand.vendors.map(stand.emulator.endpoint) + [stand.emulator.controlEndpoint]
  }

  @Test(
    "G21: a Host header of another machine is refused on every port",
    arguments: [
      "evil.example.com", "127.0.0.1.evil.example.com", "localhost.evil.example.com",
      "127.0.0.1:80x", "evil.example.com:8400", "[::2]", "0.0.0.0", "",
    ])
  func foreignHost(host: String) async throws {
    try await Stand.run { stand async throws in
      for endpoint in Self.endpoints(stand) {
        var request = RawRequest("GET", "/")
        request.headers = [("Host", host)]
        #expect(try request.send(to: endpoint).status == 403)
      }
      #expect(await stand.emulator.requests().isEmpty)
    }
  }

  @Test(
    "a Host header of this machine is accepted",
    arguments: ["127.0.0.1", "localhost", "LOCALHOST:1", "127.0.0.1:8400", "[::1]:8400"])
  func ownHost(host: String) async throws {
    try await Stand.run(vendors: ["braze"]) { stand async throws in
      var request = RawRequest("GET", "/")
      request.headers = [("Host", host)]
      #expect(try request.send(to: stand.braze).status == 404)
    }
  }

  @Test("G21: a request with no Host header or with two is refused")
  func missingHost() async throws {
    try await Stand.run { stand async throws in
      for endpoint in Self.endpoints(stand) {
        for head in [
          "GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.0\r\n\r\n",
          "GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example.com\r\n\r\n",
        ] {
          let connection = try RawConnection(endpoint)
          connection.send(head)
          let status = connection.answer()?.status
          #expect(status == 403 || status == 400)
        }
      }
    }
  }

  @Test(
    "G21: a foreign Origin is refused on every port",
    arguments: [
      "https://evil.example.com", "http://localhost.evil.example.com", "null", "file://",
      "http://127.0.0.1@evil.example.com",
    ])
  func foreignOrigin(origin: String) async throws {
    try await Stand.run { stand async throws in
      for endpoint in Self.endpoints(stand) {
        for method in ["GET", "POST", "OPTIONS"] {
          var request = RawRequest(method, "/", method == "POST" ? [:] : nil)
          request.headers = [("Origin", origin)]
          #expect(try request.send(to: endpoint).status == 403)
        }
      }
    }
  }

  @Test("a local web page may call a vendor after a preflight")
  func ownOrigin() async throws {
    try await Stand.run(vendors: ["braze"]) { stand async throws in
      var preflight = RawRequest("OPTIONS", "/api/v3/data")
      preflight.headers = [
        ("Origin", "http://localhost:3000"), ("Access-Control-Request-Headers", "x-braze-api-key"),
      ]
      let allowed = try preflight.send(to: stand.braze)
      #expect(allowed.header("Access-Control-Allow-Origin") == "http://localhost:3000")
      #expect(allowed.header("Access-Control-Allow-Headers") == "x-braze-api-key")
      var request = RawRequest("POST", "/api/v3/data", Stand.body())
      request.headers = [("Origin", "http://localhost:3000")]
      let answer = try request.send(to: stand.braze)
      #expect(answer.status == 201)
      #expect(answer.header("Access-Control-Allow-Origin") == "http://localhost:3000")
    }
  }

  @Test(
    "G21: the control interface requires its token",
    arguments: [nil, "Bearer", "Bearer wrong", "Basic token", ""])
  func token(authorization: String?) async throws {
    try await Stand.run(vendors: ["braze"]) { stand async throws in
      for (method, path) in [("GET", "/_emulator/status"), ("POST", "/_emulator/offline")] {
        var request = RawRequest(method, path, method == "POST" ? ["offline": true] : nil)
        request.headers = authorization.map { [("Authorization", $0)] } ?? []
        let answer = try request.send(to: stand.emulator.controlEndpoint)
        #expect(answer.status == 401)
        #expect(answer.header("WWW-Authenticate") == "Bearer")
      }
      #expect(try stand.control("GET", "status").json?["offline"] == false)
    }
  }

  @Test("G21: control tokens are long, distinct and never printed")
  func tokens() async throws {
    let first = try await Emulator.start(.init(Stand.registrations, vendors: [], seed: 1))
    let second = try await Emulator.start(.init(Stand.registrations, vendors: [], seed: 1))
    #expect(first.controlToken != second.controlToken)
    #expect(first.controlToken.revealed.utf8.count >= 43)
    #expect("\(first.controlToken)" == "<redacted>")
    await first.stop()
    await second.stop()
  }
}
