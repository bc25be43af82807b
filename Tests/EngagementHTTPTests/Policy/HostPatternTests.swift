import EngagementHTTP
import EngagementModel
import Testing

@Suite("Host patterns")
struct HostPatternTests {
  @Test(
    "a pattern matches one host or all subdomains of one",
    arguments: [
      ("example.com", "example.com", true), ("EXAMPLE.com", "example.COM", true),
      ("example.com", "www.example.com", false), ("example.com", "example.com.evil", false),
      ("*.example.com", "www.example.com", true), ("*.example.com", "a.b.example.com", true),
      ("*.Example.com", "A.EXAMPLE.COM", true), ("*.example.com", "example.com", false),
      ("*.example.com", "evilexample.com", false), ("*.example.com", "example.com.evil", false),
      ("*.example.com", "www.example.com.evil", false), ("*.co.uk", "a.co.uk", true),
      ("127.0.0.1", "127.0.0.1", true), ("127.0.0.1", "127.0.0.2", false),
      ("[::1]", "[0:0:0:0:0:0:0:1]", true), ("*.example.com", "127.0.0.1", false),
      ("localhost", "localhost", true),
    ])
  func matching(_ pattern: String, _ host: String, _ expected: Bool) throws {
    #expect(try HostPattern(validating: pattern).matches(HTTPHost(host)) == expected)
    #expect(HostPattern(stringLiteral: pattern).matches(try HTTPHost(host)) == expected)
  }

  @Test(
    "an invalid pattern is refused, and as a literal matches no host",
    arguments: [
      "", "*", "*.", "*.com", "**.example.com", "*example.com", "a.*.com", "*.*.com", "*.1.2.3.4",
      "*.[::1]", "https://example.com", "example.com/", "example.com:443", "example.com.", ".com",
      "exa mple.com", "bücher.example", "*.\u{301}example.com",
    ])
  func refused(_ pattern: String) throws {
    let error = #expect(throws: EngagementError.self) { try HostPattern(validating: pattern) }
    #expect(error?.code == .invalidConfiguration)
    let literal = HostPattern(stringLiteral: pattern)
    for host in ["example.com", "a.com", "1.2.3.4", "[::1]"] {
      #expect(!literal.matches(try HTTPHost(host)))
    }
    #expect(literal.description == "(no host)")
  }

  @Test("a pattern prints in its normalized spelling")
  func description() throws {
    #expect(try HostPattern(validating: "*.Example.com").description == "*.example.com")
    #expect(try HostPattern(validating: "[::0:1]").description == "[::1]")
  }
}

@Suite("Allowed hosts")
struct AllowedHostsTests {
  private let hosts: AllowedHosts = ["*.cdn.example", "api.example", "127.0.0.1"]

  @Test(
    "a URL on an allowed host passes if it is encrypted or on loopback",
    arguments: [
      "https://img.cdn.example/a.png", "https://api.example:8443/x", "wss://api.example/socket",
      "http://127.0.0.1:8400/x",
    ])
  func allowed(_ url: String) throws { #expect(try hosts.url(url) == HTTPURL(url)) }

  @Test(
    "any other URL is refused",
    arguments: [
      ("http://img.cdn.example/a.png", EngagementError.Code.permissionDenied),
      ("https://cdn.example/a.png", .permissionDenied),
      ("https://evil.example/", .permissionDenied),
      ("https://127.0.0.2/", .permissionDenied),
      ("https://api.example@evil.example/", .invalidArgument),
      ("https:\\\\api.example", .invalidArgument), ("file:///etc/passwd", .invalidArgument),
      ("https://169.254.169.254/latest", .permissionDenied),
      ("ws://api.example/", .permissionDenied),
    ])
  func refused(_ url: String, _ code: EngagementError.Code) {
    let error = #expect(throws: EngagementError.self) { try hosts.url(url) }
    #expect(error?.code == code)
  }

  @Test("an empty list allows no host")
  func empty() throws { #expect(!AllowedHosts([]).allows(try HTTPURL("https://api.example/"))) }
}
