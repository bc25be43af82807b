import EngagementHTTP
import EngagementModel
import Testing

@Suite("Opening a web socket")
struct WebSocketHandshakeTests {
  private static let accept = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="

  /// The key of RFC 6455 §1.3.
  private static func handshake(_ subprotocols: [String] = []) throws -> WebSocketHandshake {
    try WebSocketHandshake(nonce: Array("the sample nonce".utf8), subprotocols: subprotocols)
  }

  private static func answer(_ changes: KeyValuePairs<String, String> = [:]) throws -> HTTPResponse
  {
    var headers = try HTTPHeaders([
      "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Accept": accept,
    ])
    for (name, value) in changes { try headers.set(name, value) }
    return HTTPResponse(101, headers: headers)
  }

  @Test("the key and the accept value match the vectors of RFC 6455 §1.3")
  func vectors() throws {
    #expect(try Self.handshake().key == "dGhlIHNhbXBsZSBub25jZQ==")
    #expect(WebSocketHandshake.accept(for: "dGhlIHNhbXBsZSBub25jZQ==") == Self.accept)
  }

  @Test("the client's headers request a web socket and keep the request's own headers")
  func asking() throws {
    var request = HTTPRequest(.get, "wss://example.com/")
    request.headers = try HTTPHeaders([
      "Origin": "https://example.com", "connection": "close", "Sec-WebSocket-Key": "x",
      "Sec-WebSocket-Extensions": "permessage-deflate", "Sec-WebSocket-Protocol": "mine",
    ])
    try request.headers.set("Authorization", Secret("Bearer x"))
    let headers = try Self.handshake(["a", "b"]).headers(for: request)
    var expected = try HTTPHeaders([
      "Origin": "https://example.com", "Connection": "Upgrade",
      "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    ])
    try expected.set("Authorization", Secret("Bearer x"))
    try expected.set("Upgrade", "websocket")
    try expected.set("Sec-WebSocket-Version", "13")
    try expected.set("Sec-WebSocket-Protocol", "a, b")
    #expect(headers == expected)
    let plain = try Self.handshake().headers(for: HTTPRequest(.get, "wss://example.com/"))
    #expect(!plain.contains("Sec-WebSocket-Protocol"))
  }

  @Test("a wrong key length, a body, a POST or an invalid subprotocol is refused")
  func unusable() throws {
    for count in [0, 15, 17] {
      #expect(throws: EngagementError.self) {
        try WebSocketHandshake(nonce: [UInt8](repeating: 0, count: count))
      }
    }
    for subprotocols in [["a", "a"], ["a,b"], [""], ["a\r\nb"]] {
      #expect(throws: EngagementError.self) { try Self.handshake(subprotocols) }
    }
    let post = HTTPRequest(.post, "wss://example.com/")
    #expect(throws: EngagementError.self) { try Self.handshake().headers(for: post) }
    let body = HTTPRequest(.get, "wss://example.com/", body: [])
    #expect(throws: EngagementError.self) { try Self.handshake().headers(for: body) }
  }

  @Test(
    "an upgrade response is accepted, with tokens in any case",
    arguments: [
      [:], ["Upgrade": "WebSocket"], ["Connection": "keep-alive, uPGRADE"],
      ["Connection": " upgrade ,close"], ["Sec-WebSocket-Extensions": ""], ["Server": "x"],
    ] as [KeyValuePairs<String, String>])
  func accepted(_ changes: KeyValuePairs<String, String>) throws {
    #expect(try Self.handshake().subprotocol(acceptedBy: Self.answer(changes)) == nil)
  }

  @Test("the connection's tokens may be spread over several headers")
  func spreadTokens() throws {
    var answer = try Self.answer(["Connection": "keep-alive"])
    try answer.headers.append("connection", "Upgrade")
    #expect(throws: Never.self) { try Self.handshake().subprotocol(acceptedBy: answer) }
  }

  @Test(
    "a response that breaks a handshake rule is refused",
    arguments: [
      ["Upgrade": "h2c"], ["Upgrade": ""], ["Upgrade": "websocket, h2c"], ["Connection": "close"],
      ["Connection": ""], ["Connection": "upgrader"], ["Sec-WebSocket-Accept": ""],
      ["Sec-WebSocket-Accept": "S3pPLMBiTxaQ9kYGzzhZRbK+xOo="],
      ["Sec-WebSocket-Accept": "dGhlIHNhbXBsZSBub25jZQ=="],
      ["Sec-WebSocket-Extensions": "permessage-deflate"], ["Sec-WebSocket-Protocol": "c"],
      ["Sec-WebSocket-Protocol": "A"], ["Sec-WebSocket-Protocol": "a, b"],
      ["Sec-WebSocket-Protocol": ""],
    ] as [KeyValuePairs<String, String>])
  func refused(_ changes: KeyValuePairs<String, String>) throws {
    let answer = try Self.answer(changes)
    let error = #expect(throws: EngagementError.self) {
      try Self.handshake(["a", "b"]).subprotocol(acceptedBy: answer)
    }
    #expect(error?.code == .malformedResponse)
  }

  @Test(
    "a response without a required header is refused",
    arguments: ["Upgrade", "Connection", "Sec-WebSocket-Accept"])
  func incomplete(_ name: String) throws {
    var answer = try Self.answer()
    answer.headers.remove(name)
    #expect(throws: EngagementError.self) { try Self.handshake().subprotocol(acceptedBy: answer) }
  }

  @Test(
    "a repeated accept or subprotocol header is refused",
    arguments: ["Sec-WebSocket-Accept", "Sec-WebSocket-Protocol"])
  func repeated(_ name: String) throws {
    var answer = try Self.answer(["Sec-WebSocket-Protocol": "a"])
    #expect(try Self.handshake(["a"]).subprotocol(acceptedBy: answer) == "a")
    try answer.headers.append(name, try #require(answer.headers.first(name)))
    #expect(throws: EngagementError.self) {
      try Self.handshake(["a"]).subprotocol(acceptedBy: answer)
    }
  }

  @Test(
    "any other status throws the error code for that status",
    arguments: [
      (200, EngagementError.Code.malformedResponse), (302, .unavailable), (400, .malformedResponse),
      (401, .unauthenticated), (403, .permissionDenied), (404, .notFound), (408, .unavailable),
      (426, .malformedResponse), (429, .rateLimited), (500, .unavailable), (503, .unavailable),
    ])
  func statuses(_ status: Int, _ code: EngagementError.Code) throws {
    var answer = try Self.answer()
    answer.status = status
    let error = #expect(throws: EngagementError.self) {
      try Self.handshake().subprotocol(acceptedBy: answer)
    }
    #expect(error?.code == code)
    #expect(error?.underlying == "status \(status)")
  }

  @Test("a client accepts the server's response to its request")
  func bothSides() throws {
    let handshake = try Self.handshake(["c", "b", "a"])
    var request = HTTPRequest(.get, "ws://127.0.0.1:8403/socket")
    request.headers = try handshake.headers(for: request)
    let answer = try WebSocketHandshake.response(to: request, subprotocols: ["a", "b"])
    #expect(answer.headers.first("Sec-WebSocket-Accept") == Self.accept)
    #expect(try handshake.subprotocol(acceptedBy: answer) == "b")
    let none = try WebSocketHandshake.response(to: request)
    #expect(try handshake.subprotocol(acceptedBy: none) == nil)
  }

  @Test(
    "a server refuses a request that is not a valid handshake",
    arguments: [
      ["Upgrade": "h2c"], ["Connection": "close"], ["Sec-WebSocket-Version": "8"],
      ["Sec-WebSocket-Key": "dGhlIHNhbXBsZQ=="], ["Sec-WebSocket-Key": "not Base64 at all ==="],
      ["Sec-WebSocket-Key": ""],
    ] as [KeyValuePairs<String, String>])
  func serverRefuses(_ changes: KeyValuePairs<String, String>) throws {
    var request = HTTPRequest(.get, "ws://127.0.0.1/")
    request.headers = try Self.handshake().headers(for: request)
    for (name, value) in changes { try request.headers.set(name, value) }
    let error = #expect(throws: EngagementError.self) {
      try WebSocketHandshake.response(to: request)
    }
    #expect(error?.code == .invalidArgument)
  }

  @Test("a server refuses other methods and a second key")
  func serverRefusesMore() throws {
    var request = HTTPRequest(.get, "ws://127.0.0.1/")
    request.headers = try Self.handshake().headers(for: request)
    var post = request
    post.method = .post
    #expect(throws: EngagementError.self) { try WebSocketHandshake.response(to: post) }
    try request.headers.append("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ==")
    #expect(throws: EngagementError.self) { try WebSocketHandshake.response(to: request) }
  }
}
