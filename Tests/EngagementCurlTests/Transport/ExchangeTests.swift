import EngagementCurl
import EngagementHTTP
import EngagementModel
import TestServers
import Testing

@Suite struct ExchangeTests {
  @Test("a request is sent with exactly its method, target and headers")
  func request() async throws {
    try await withServer {
      try $0.readHead()
      try $0.answer()
    } _: { server in
      let headers = try HTTPHeaders(["X-Api-Key": "k", "X-Empty": "", "X-Two": "1", "X-Two": "2"])
      _ = try await transport().send(
        HTTPRequest(.get, server.url("/a/../b/./c?q=%20#part"), headers: headers))
      let lines = server.heads.first?.split(separator: "\r\n").map(String.init) ?? []
      #expect(lines.first == "GET /a/../b/./c?q=%20 HTTP/1.1")
      #expect(lines.dropFirst().first == "Host: 127.0.0.1:\(server.port)")
      let others = lines.dropFirst(2).filter { !$0.hasPrefix("Accept-Encoding: ") }
      #expect(others == ["X-Api-Key: k", "X-Empty:", "X-Two: 1", "X-Two: 2"])
    }
  }

  @Test(
    "a body is sent at once with its Content-Length",
    arguments: ["POST", "PUT", "PATCH", "DELETE", "REPORT"], [0, 5, 3_000_000])
  func body(method: String, count: Int) async throws {
    let bodies = Pile<[UInt8]>()
    try await withServer {
      try $0.readHead()
      bodies.add(try $0.read(exactly: count))
      try $0.answer("201 Created")
    } _: { server in
      let body = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
      let response = try await transport().send(
        HTTPRequest(HTTPMethod(method), server.url(), body: body))
      #expect(response.status == 201)
      #expect(bodies.all == [body])
      let head = try #require(server.heads.first)
      #expect(head.hasPrefix("\(method) / HTTP/1.1\r\n"))
      #expect(head.contains("\r\nContent-Length: \(count)\r\n"))
      #expect(!head.contains("Expect") && !head.contains("Content-Type"))
    }
  }

  @Test(
    "a missing body is sent as Content-Length 0 for POST, PUT and PATCH only",
    arguments: [
      (HTTPMethod.post, true), (.put, true), (.patch, true), (.get, false), (.delete, false),
      (.options, false), (.head, false),
    ])
  func noBody(method: HTTPMethod, isAnnounced: Bool) async throws {
    try await withServer {
      try $0.readHead()
      try $0.write("HTTP/1.1 204 No Content\r\n\r\n")
    } _: { server in
      let response = try await transport().send(HTTPRequest(method, server.url()))
      #expect(response.status == 204)
      #expect(server.heads.first?.contains("Content-Length: 0") == isAnnounced)
    }
  }

  @Test(
    "G16: every status is a response, and redirects are not followed",
    arguments: [200, 204, 301, 302, 304, 307, 308, 400, 401, 404, 429, 500, 503, 599])
  func status(status: Int) async throws {
    try await withServer {
      while true {
        try $0.readHead()
        try $0.answer("\(status) Some", headers: ["Location: /other"])
      }
    } _: { server in
      let response = try await transport().send(HTTPRequest(.get, server.url("/first")))
      #expect(response.status == status)
      #expect(response.headers.first("location") == "/other")
      #expect(server.heads.count == 1)
    }
  }

  @Test("repeated headers keep their order, and invalid headers and trailers are dropped")
  func headers() async throws {
    try await withServer {
      try $0.readHead()
      try $0.write(
        "HTTP/1.1 103 Early Hints\r\nX-Early: 1\r\n\r\n"
          + "HTTP/1.1 200 OK\r\nSet-Cookie: a=1\r\nX-A:  one \r\nset-cookie: b=2\r\n"
          + "Bad Name: x\r\nX-Control: a\u{1}b\r\nX-Empty:\r\nTransfer-Encoding: chunked\r\n\r\n"
          + "2\r\nhi\r\n0\r\nX-Trailer: late\r\n\r\n")
    } _: { server in
      let response = try await transport().send(HTTPRequest(.get, server.url()))
      #expect(response.headers.all("Set-Cookie") == ["a=1", "b=2"])
      #expect(
        response.headers.fields.map(\.name) == [
          "Set-Cookie", "X-A", "set-cookie", "X-Empty", "Transfer-Encoding",
        ])
      #expect(response.headers.first("X-A") == "one")
      #expect(response.body == Array("hi".utf8))
    }
  }

  @Test(
    "an empty 200 is a response without a body, with or without a length",
    arguments: [
      "Content-Length: 0\r\n", "", "Transfer-Encoding: chunked\r\n",
    ])
  func empty(header: String) async throws {
    try await withServer {
      try $0.readHead()
      try $0.write("HTTP/1.1 200 OK\r\n\(header)\r\n")
      if header.contains("chunked") { try $0.write("0\r\n\r\n") }
    } _: { server in
      let response = try await transport().send(HTTPRequest(.get, server.url()))
      #expect(response.body.isEmpty)
    }
  }

  @Test("a HEAD response ends after its head")
  func head() async throws {
    try await withServer {
      try $0.readHead()
      try $0.write("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
      _ = try $0.read()
    } _: { server in
      let response = try await transport().send(HTTPRequest(.head, server.url()))
      #expect(response.headers.first("Content-Length") == "1000" && response.body.isEmpty)
    }
  }

  @Test(
    "a request with a forbidden URL is refused before a connection is made",
    arguments: [
      ("ws://127.0.0.1:1/", EngagementError.Code.invalidArgument),
      ("wss://example.com/", .invalidArgument), ("ftp://example.com/", .invalidArgument),
      ("http://u@127.0.0.1/", .invalidArgument), ("http://example.com/", .permissionDenied),
      ("http://localhost/", .permissionDenied), ("https://denied.example/", .permissionDenied),
    ])
  func refused(url: String, code: EngagementError.Code) async throws {
    let transport = transport {
      $0.policy = RequestPolicy([.init("denied.example", .deny)])
    }
    #expect(try await failure(of: HTTPRequest(.get, url), by: transport).code == code)
  }

  @Test("a request with a framing header is refused")
  func framing() async throws {
    let headers = try HTTPHeaders(["Transfer-Encoding": "chunked"])
    let request = HTTPRequest(.post, "http://127.0.0.1:1/", headers: headers)
    #expect(try await failure(of: request, by: transport()).code == .invalidArgument)
  }
}
