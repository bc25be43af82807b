import EngagementHTTP
import EngagementModel
import TestSupport
import Testing

@Suite("HTTP message heads")
struct HTTPHeadTests {
  @Test("a request's head has its request line, host and headers, including secrets")
  func writing() throws {
    var request = HTTPRequest(.get, "wss://Example.com:8443/socket?a=b#c")
    try request.headers.set("X-B", "1")
    try request.headers.set("Authorization", Secret("Bearer x"))
    #expect(
      String(decoding: try HTTPHead.bytes(of: request), as: UTF8.self)
        == "GET /socket?a=b HTTP/1.1\r\nHost: example.com:8443\r\nX-B: 1\r\nAuthorization: Bearer x\r\n\r\n"
    )
  }

  @Test("a request with a body, a second host or an invalid URL has no head")
  func unwritable() throws {
    #expect(throws: EngagementError.self) {
      try HTTPHead.bytes(of: HTTPRequest(.get, "https://example.com", body: []))
    }
    #expect(throws: EngagementError.self) { try HTTPHead.bytes(of: HTTPRequest(.get, "x")) }
    let twoHosts = HTTPRequest(
      .get, "https://example.com", headers: try HTTPHeaders(["host": "evil"]))
    #expect(throws: EngagementError.self) { try HTTPHead.bytes(of: twoHosts) }
  }

  private func read(_ pieces: [[UInt8]]) throws -> (response: HTTPResponse?, rest: [UInt8]) {
    var reader = HTTPHeadReader()
    var response: HTTPResponse?
    for piece in pieces { response = try reader.feed(piece[...]) ?? response }
    return (response, reader.rest)
  }

  @Test(
    "a response head is read in any pieces, and the bytes after it are kept",
    arguments: UInt64(1)...20)
  func reading(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let head =
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade:websocket \r\nSet-Cookie: a\r\nset-cookie:\r\n\r\n"
    let bytes = Array(head.utf8) + [0x81, 0x00, 0x0d, 0x0a]
    let (response, rest) = try read(random.cut(bytes))
    #expect(response?.status == 101)
    #expect(response?.headers.first("upgrade") == "websocket")
    #expect(response?.headers.all("Set-Cookie") == ["a", ""])
    #expect(rest == [0x81, 0x00, 0x0d, 0x0a])
  }

  @Test(
    "a status line alone is a valid head",
    arguments: ["HTTP/1.1 200 OK", "HTTP/1.0 404", "HTTP/1.1 503 ", "HTTP/1.1 101 \u{fc}ber"])
  func statusAlone(_ line: String) throws {
    #expect(try read([Array((line + "\r\n\r\n").utf8)]).response?.headers.isEmpty == true)
  }

  @Test(
    "an ambiguous or malformed head is refused",
    arguments: [
      "", "HTTP/2 200", "HTTP/1.1 20", "HTTP/1.1 2000", "HTTP/1.1 099 x", "HTTP/1.1  200",
      "http/1.1 200",
      "HTTP/1.1 2x0", "ICY 200 OK", "HTTP/1.1\t200", "HTTP/1.1 200 O\nK", "HTTP/1.1 200 O\u{0}K",
      "HTTP/1.1 200 OK\r\nA", "HTTP/1.1 200 OK\r\nA : b", "HTTP/1.1 200 OK\r\n A: b",
      "HTTP/1.1 200 OK\r\nA: b\r\n c", "HTTP/1.1 200 OK\r\nA: b\nC: d",
      "HTTP/1.1 200 OK\r\nA: b\rC: d",
      "HTTP/1.1 200 OK\r\n: b", "HTTP/1.1 200 OK\r\nA: \0", "HTTP/1.1 200 OK\nA: b",
    ])
  func malformed(_ head: String) {
    let error = #expect(throws: EngagementError.self) {
      try read([Array((head + "\r\n\r\n").utf8)])
    }
    #expect(error?.code == .malformedResponse)
  }

  @Test("a head without an end is refused at the size limit")
  func endless() {
    var reader = HTTPHeadReader()
    let bytes = [UInt8](repeating: UInt8(ascii: "a"), count: HTTPHeadReader.limit)
    #expect(throws: Never.self) { try reader.feed(bytes.dropLast()) }
    #expect(throws: EngagementError.self) { try reader.feed(bytes[..<1]) }
    #expect(throws: EngagementError.self) { try reader.feed([]) }
  }
}
