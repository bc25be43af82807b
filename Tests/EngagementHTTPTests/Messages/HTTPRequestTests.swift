import EngagementHTTP
import EngagementModel
import Testing

@Suite("Requests and responses")
struct HTTPRequestTests {
  private func request() throws -> HTTPRequest {
    var headers = try HTTPHeaders(["X-Trace": "header-canary"])
    try headers.set("Authorization", Secret("secret-canary"))
    return HTTPRequest(
      .put, "https://Example.com:443/cards/1?user=query-canary", headers: headers,
      body: Array("body-canary".utf8))
  }

  @Test("a request prints its method, origin and path and nothing else")
  func description() throws {
    let request = try request()
    #expect(request.description == "PUT https://example.com/cards/1")
    var texts = ["\(request)", String(reflecting: request), "\([request])"]
    var dumped = ""
    dump(request, to: &dumped)
    texts.append(dumped)
    for text in texts { #expect(!text.contains("canary")) }
  }

  @Test("an invalid URL or method is not printed")
  func descriptionOfNonsense() {
    #expect(HTTPRequest(.get, "https://user:canary@host/").description == "GET <invalid URL>")
    let injected = HTTPRequest(HTTPMethod("GET canary"), "https://host/")
    #expect(injected.description == "<invalid method> https://host/")
  }

  @Test("a response prints its status and length and nothing else")
  func responses() throws {
    let response = HTTPResponse(
      200, headers: try HTTPHeaders(["Set-Cookie": "canary"]), body: Array("canary".utf8))
    #expect(response.description == "200, 6 bytes")
    var dumped = ""
    dump(response, to: &dumped)
    #expect(!(dumped + String(reflecting: response)).contains("canary"))
  }

  @Test("requests compare by bytes, with header names in any case")
  func equality() throws {
    #expect(try request() == request())
    #expect(try request().hashValue == request().hashValue)
    var other = try request()
    other.headers.remove("X-Trace")
    #expect(try request() != other)
    #expect(HTTPRequest(.get, "https://h/e\u{301}") != HTTPRequest(.get, "https://h/é"))
    let lower = try HTTPHeaders(["a": "1"])
    let upper = try HTTPHeaders(["A": "1"])
    #expect(
      HTTPRequest(.get, "https://h/", headers: lower)
        == HTTPRequest(.get, "https://h/", headers: upper))
    #expect(HTTPRequest(.post, "https://h/", body: []) != HTTPRequest(.post, "https://h/"))
  }

  @Test("methods are case-sensitive, and only GET and HEAD are safe")
  func methods() {
    #expect(HTTPMethod("get") != .get)
    #expect([HTTPMethod.get, .head].allSatisfy { $0.isSafe })
    #expect(![HTTPMethod.post, .put, .patch, .delete, .options].contains { $0.isSafe })
  }

  @Test(
    "a method that is not a token is refused",
    arguments: ["", "GET /x HTTP/1.1\r\nA:", "G T", "GÉT"])
  func invalidMethods(_ method: String) {
    let error = #expect(throws: EngagementError.self) {
      try HTTPRequest(HTTPMethod(method), "https://example.com/").target()
    }
    #expect(error?.code == .invalidArgument)
  }

  @Test(
    "a request that sets a framing header is refused",
    arguments: ["host", "Content-Length", "transfer-encoding", "TE", "Trailer"])
  func framing(_ name: String) throws {
    var request = HTTPRequest(.get, "https://example.com/")
    #expect(try request.target().text == "https://example.com/")
    try request.headers.set(name, "0")
    let error = #expect(throws: EngagementError.self) { try request.target() }
    #expect(error?.code == .invalidArgument)
  }
}
