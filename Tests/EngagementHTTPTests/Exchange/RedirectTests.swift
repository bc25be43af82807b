import EngagementHTTP
import EngagementModel
import Testing

@Suite("Redirects")
struct RedirectTests {
  private func response(_ status: Int, _ locations: String...) throws -> HTTPResponse {
    var response = HTTPResponse(status)
    for location in locations { try response.headers.append("Location", location) }
    return response
  }

  private func request(_ method: HTTPMethod = .get, _ url: String = "https://example.com/a/b?c")
    throws
    -> HTTPRequest
  {
    var headers = HTTPHeaders()
    try headers.set("Authorization", Secret("Bearer x"))
    return HTTPRequest(method, url, headers: headers)
  }

  @Test(
    "the five redirect statuses are followed within the origin",
    arguments: [301, 302, 303, 307, 308], [HTTPMethod.get, .head])
  func followed(_ status: Int, _ method: HTTPMethod) throws {
    let request = try request(method)
    var expected = request
    expected.url = "https://example.com/d?e"
    let next = Redirect.next(after: try response(status, "/d?e#f"), to: request, followed: 0)
    #expect(next == .follow(expected))
  }

  @Test(
    "a location is resolved against the request's URL",
    arguments: [
      ("https://EXAMPLE.com:443/x", "https://example.com/x"),
      ("//example.com/x", "https://example.com/x"),
      ("x", "https://example.com/a/x"), ("../x", "https://example.com/x"),
      ("?q", "https://example.com/a/b?q"), ("", "https://example.com/a/b?c"),
    ])
  func relative(_ location: String, _ url: String) throws {
    guard
      case .follow(let next) = Redirect.next(
        after: try response(302, location), to: try request(), followed: 2)
    else { return #expect(Bool(false), "not followed") }
    #expect(next.url == url)
    #expect(next.headers == (try request().headers))
  }

  @Test("other statuses do not redirect", arguments: [200, 201, 204, 300, 304, 305, 306, 400, 500])
  func otherStatuses(_ status: Int) throws {
    #expect(
      Redirect.next(after: try response(status, "/x"), to: try request(), followed: 0) == .none)
  }

  @Test(
    "a redirect to another origin or an invalid location is refused",
    arguments: [
      ("https://evil.example/", Redirect.Refusal.otherOrigin), ("//evil.example/", .otherOrigin),
      ("https://example.com.evil/", .otherOrigin), ("https://www.example.com/", .otherOrigin),
      ("http://example.com/", .otherOrigin), ("https://example.com:8443/", .otherOrigin),
      ("wss://example.com/", .otherOrigin),
      ("https://example.com@evil.example/", .invalidLocation),
      ("\\\\evil.example", .invalidLocation),
      ("/\\evil.example", .invalidLocation), ("file:///etc/passwd", .invalidLocation),
      ("gopher://example.com/", .invalidLocation), ("javascript:alert(1)", .invalidLocation),
      ("https:///x", .invalidLocation), ("/a b", .invalidLocation), ("//", .invalidLocation),
      ("https:x", .invalidLocation),
    ])
  func refused(_ location: String, _ refusal: Redirect.Refusal) throws {
    let next = Redirect.next(after: try response(302, location), to: try request(), followed: 0)
    #expect(next == .refused(refusal))
  }

  @Test(
    "a redirect of any method but GET and HEAD is refused",
    arguments: [HTTPMethod.post, .put, .patch, .delete, "get"])
  func methods(_ method: HTTPMethod) throws {
    let next = Redirect.next(after: try response(307, "/x"), to: try request(method), followed: 0)
    #expect(next == .refused(.notReading))
  }

  @Test("the fourth redirect in a row is refused", arguments: [3, 4, Int.max])
  func chains(_ followed: Int) throws {
    let next = Redirect.next(after: try response(302, "/x"), to: try request(), followed: followed)
    #expect(next == .refused(.tooMany))
  }

  @Test("a redirect must have exactly one location")
  func locations() throws {
    let none = Redirect.next(after: try response(302), to: try request(), followed: 0)
    #expect(none == .refused(.noLocation))
    let two = Redirect.next(after: try response(302, "/x", "/y"), to: try request(), followed: 0)
    #expect(two == .refused(.noLocation))
  }

  @Test("a plain HTTP redirect is followed only on loopback")
  func plainText() throws {
    let local = try request(.get, "http://127.0.0.1:8400/a")
    var expected = local
    expected.url = "http://127.0.0.1:8400/x"
    #expect(
      Redirect.next(after: try response(302, "/x"), to: local, followed: 0) == .follow(expected))
    let remote = try request(.get, "http://example.com/a")
    #expect(
      Redirect.next(after: try response(302, "/x"), to: remote, followed: 0) == .refused(.plainText)
    )
  }

  @Test(
    "an unusable location is a malformed response, and other refusals are unavailable",
    arguments: Redirect.Refusal.allCases)
  func codes(_ refusal: Redirect.Refusal) {
    let senseless: [Redirect.Refusal] = [.noLocation, .invalidLocation]
    #expect(refusal.error.code == (senseless.contains(refusal) ? .malformedResponse : .unavailable))
    #expect(refusal.error.underlying == refusal.rawValue)
  }
}
