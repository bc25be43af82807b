import EngagementCurl
import EngagementHTTP
import EngagementModel
import Foundation
import TestServers
import Testing

@Suite struct BadInputTests {
  private func failure(
    _ script: @escaping TestServer.Script,
    _ change: (inout CurlTransport.Configuration) -> Void = { _ in }
  ) async throws -> EngagementError {
    try await withServer(nil, script) { server in
      try await EngagementCurlTests.failure(
        of: HTTPRequest(
          .post, server.url("/path?key=secret"),
          headers: try HTTPHeaders(["X-Api-Key": "secret"]), body: Array("secret".utf8)),
        by: transport(change))
    }
  }

  /// Checks the code and the message, and that the error contains no part of the request (G16).
  private func expect(
    _ error: EngagementError, _ code: EngagementError.Code, _ words: String,
    at location: SourceLocation = #_sourceLocation
  ) {
    #expect(error.code == code, "\(error)", sourceLocation: location)
    #expect(error.message.contains(words), "\(error)", sourceLocation: location)
    #expect(!"\(error)".contains("secret"), sourceLocation: location)
    #expect(!"\(error)".contains("/path"), sourceLocation: location)
  }

  @Test("a closed port is unavailable, and the message says that it was refused")
  func closedPort() async throws {
    let port = try DeadPort()
    let error = try await EngagementCurlTests.failure(
      of: HTTPRequest(.get, "http://127.0.0.1:\(port.number)/path?key=secret"), by: transport())
    expect(error, .unavailable, "refused: check the endpoint's port")
  }

  @Test("an unknown host name is unavailable")
  func unknownHost() async throws {
    let error = try await EngagementCurlTests.failure(
      of: HTTPRequest(.get, "https://nobody.invalid/path?key=secret"),
      by: transport {
        $0.connectTimeout = .seconds(600)
        $0.totalTimeout = .seconds(600)
      })
    expect(error, .unavailable, "name was not found")
  }

  @Test(
    "a response that is not HTTP is malformed",
    arguments: [
      "SSH-2.0-OpenSSH_9.2\r\n", "<html>hello</html>\r\n\r\n", "HTTP/1.1 abc OK\r\n\r\n",
      "HTTP/7.3 200 OK\r\n\r\n", "\u{0}\u{1}\u{2}\u{3}\u{4}\u{5}\u{6}\u{7}\r\n",
    ])
  func noHTTP(answer: String) async throws {
    let error = try await failure {
      try $0.readHead()
      try $0.write(answer)
    }
    expect(error, .malformedResponse, "no HTTP")
  }

  @Test("a broken chunk is malformed", arguments: ["zz\r\n", "5\r\nhello!!\r\n0\r\n\r\n"])
  func chunks(body: String) async throws {
    let error = try await failure {
      try $0.readHead()
      try $0.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(body)")
    }
    expect(error, .malformedResponse, "no HTTP")
  }

  @Test(
    "a truncated body is unavailable",
    arguments: [
      "Content-Length: 100\r\n\r\nhalf", "Transfer-Encoding: chunked\r\n\r\n64\r\nhalf",
      "Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n",
    ])
  func cut(rest: String) async throws {
    let error = try await failure {
      try $0.readHead()
      _ = try $0.read(exactly: 6)
      try $0.write("HTTP/1.1 200 OK\r\n\(rest)")
    }
    expect(error, .unavailable, "cut short")
  }

  @Test(
    "a truncated head is no answer, even without a body to come",
    arguments: [
      "HTTP/1.1 200 OK\r\n", "HTTP/1.1 204 No Content\r\nX-A: b\r\n", "HTTP/1.1 200 OK\r\nX-A",
      "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX-A: b\r\n",
      "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n",
      "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\n",
    ])
  func headCut(head: String) async throws {
    let error = try await failure {
      try $0.readHead()
      _ = try $0.read(exactly: 6)
      try $0.write(head)
    }
    #expect(error.code == .unavailable, "\(error)")
  }

  @Test("a connection that ends without a response is unavailable")
  func noAnswer() async throws {
    let error = try await failure {
      try $0.readHead()
      _ = try $0.read(exactly: 6)
    }
    expect(error, .unavailable, "without an answer")
  }

  @Test("a connection reset is unavailable")
  func reset() async throws {
    let error = try await failure {
      try $0.readHead()
      try $0.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
      $0.reset()
    }
    #expect(error.code == .unavailable)
  }

  @Test("a body at the limit is accepted, and one byte more is malformed", arguments: [0, 1])
  func limit(extra: Int) async throws {
    try await withServer {
      try $0.readHead()
      try $0.answer("200 OK", String(repeating: "x", count: 10 << 20 + extra))
    } _: { server in
      let request = HTTPRequest(.get, server.url())
      guard extra > 0 else {
        let response = try await transport().send(request)
        return #expect(response.body.count == 10 << 20)
      }
      let error = try await EngagementCurlTests.failure(of: request, by: transport())
      expect(error, .malformedResponse, "larger than the limit")
    }
  }

  @Test("G17: decoding of a small response stops when it exceeds the body limit")
  func bomb() async throws {
    let piece = GzippedZeros(64 << 20)
    try await withServer {
      try $0.readHead()
      try $0.write(
        "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(piece.bytes.count)\r\n\r\n")
      try $0.write(piece.bytes)
    } _: { server in
      #expect(piece.bytes.count < 500_000)
      let error = try await EngagementCurlTests.failure(
        of: HTTPRequest(.get, server.url()), by: transport())
      expect(error, .malformedResponse, "larger than the limit")
    }
  }

  @Test("a compressed response is decoded")
  func gzip() async throws {
    let piece = GzippedZeros(100_000)
    try await withServer {
      try $0.readHead()
      try $0.write(
        "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(piece.bytes.count)\r\n\r\n")
      try $0.write(piece.bytes)
    } _: { server in
      let response = try await transport().send(HTTPRequest(.get, server.url()))
      #expect(response.body == [UInt8](repeating: 0, count: 100_000))
      #expect(server.heads.first?.contains("Accept-Encoding: deflate, gzip") == true)
    }
  }

  @Test(
    "a body that does not match its content coding is malformed", arguments: ["gzip", "unheard-of"])
  func badCoding(name: String) async throws {
    let error = try await failure {
      try $0.readHead()
      try $0.answer("200 OK", headers: ["Content-Encoding: \(name)"], "this is not compressed")
    }
    expect(error, .malformedResponse, "can't be decoded")
  }

  @Test(
    "a response with endless headers is malformed",
    arguments: [
      "X-A: \(String(repeating: "a", count: 1000))\r\n", "X: y\r\n",
      "HTTP/1.1 100 Continue\r\n\r\n",
    ])
  func headerFlood(line: String) async throws {
    let error = try await failure {
      try $0.readHead()
      try $0.write(line.hasPrefix("HTTP") ? "" : "HTTP/1.1 200 OK\r\n")
      while true { try $0.write(line) }
    }
    expect(error, .malformedResponse, "head of the answer is too long")
  }

  @Test("a response with an endless header line is malformed")
  func longHeadLine() async throws {
    let error = try await failure {
      try $0.readHead()
      try $0.write("HTTP/1.1 200 OK\r\nX-Long: ")
      while true { try $0.write(String(repeating: "a", count: 1_000)) }
    }
    expect(error, .malformedResponse, "head of the answer is too long")
  }

  @Test("a timeout error names the phase that took too long")
  func timeouts() async throws {
    let silent: TestServer.Script = { connection in while true { _ = try connection.read() } }
    let half: TestServer.Script = {
      try $0.readHead()
      try $0.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
      try silent($0)
    }
    expect(
      try await failure(silent) { $0.totalTimeout = .milliseconds(300) },
      .deadlineExceeded, "did not answer in time")
    // A busy machine may need longer to receive the first half.
    for seconds in [0.3, 3, 30, 300] {
      let error = try await failure(half) { $0.totalTimeout = .seconds(seconds) }
      guard error.message.contains("did not answer"), seconds < 300 else {
        return expect(error, .deadlineExceeded, "not complete in time")
      }
    }
  }

  @Test("a response below the minimum speed is aborted")
  func slowLoris() async throws {
    let error = try await failure {
      try $0.readHead()
      try $0.write("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\nx")
      // The connection stays open without further bytes, so the speed falls to zero.
      while true { _ = try $0.read() }
    } _: {
      $0.lowSpeed = 1000
      $0.lowSpeedTime = .seconds(1)
      $0.totalTimeout = .seconds(3000)
    }
    expect(error, .deadlineExceeded, "too slowly")
  }

  @Test("a request times out when the server accepts no connection")
  func noAccept() async throws {
    // The listener's queue holds a few connections; later ones wait.
    let server = try TestServer(backlog: 0, accepts: false) { _ in }
    defer { server.stop() }
    let transport = transport {
      $0.connectTimeout = .milliseconds(300)
      $0.totalTimeout = .seconds(2)
    }
    let messages = await withTaskGroup(of: String?.self) { group in
      for _ in 0..<8 {
        group.addTask {
          let request = HTTPRequest(.get, server.url())
          return try? await EngagementCurlTests.failure(of: request, by: transport).message
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(messages.contains { $0?.contains("not reached in time") == true }, "\(messages)")
    #expect(messages.allSatisfy { $0?.contains("in time") == true }, "\(messages)")
  }

  @Test("a missing certificate authority file is a configuration error")
  func noAuthorities() async throws {
    let identity = try TLSIdentity("localhost", hosts: "DNS:localhost")
    try await withServer(identity) {
      try $0.readHead()
    } _: { server in
      let error = try await EngagementCurlTests.failure(
        of: HTTPRequest(.get, server.url(scheme: "https", host: "localhost")),
        by: transport(trusting: "/nowhere/secret.pem"))
      expect(error, .invalidConfiguration, "certificateAuthorities")
    }
  }
}
