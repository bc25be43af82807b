import EngagementHTTP
import EngagementModel
import TestSupport
import Testing

@Suite("Building and resolving URLs")
struct HTTPURLBuildingTests {
  @Test("path segments and query items are appended to the base URL")
  func appending() throws {
    let base = try HTTPURL("https://example.com/v1/?key=1")
    let url = try base.appending(path: ["users", "a/b c"], query: [("q", "x&y")])
    #expect(url.text == "https://example.com/v1/users/a%2Fb%20c?key=1&q=x%26y")
    #expect(try base.appending() == base)
    let root = try HTTPURL("https://example.com")
    #expect(try root.appending(path: ["x"]).text == "https://example.com/x")
    #expect(try root.appending(query: [("a", "b")]).text == "https://example.com/?a=b")
    #expect(try HTTPURL("https://example.com/x?").appending(query: [("a", "b")]).query == "a=b")
  }

  @Test(
    "an empty or dot segment is refused, so an id cannot change the endpoint",
    arguments: ["", ".", ".."])
  func walking(_ segment: String) throws {
    let error = #expect(throws: EngagementError.self) {
      try HTTPURL("https://example.com/users").appending(path: [segment, "cards"])
    }
    #expect(error?.code == .invalidArgument)
  }

  @Test("a URL built from any segments parses back equal", arguments: UInt64(1)...4)
  func builtURLsParse(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let base = try HTTPURL("https://example.com/v1")
    for _ in 0..<500 {
      let text = String(
        decoding: random.bytes(Int.random(in: 0...12, using: &random)), as: UTF8.self)
      let url = try base.appending(path: ["_" + text], query: [(text, text)])
      #expect(try HTTPURL(url.text) == url)
      #expect(url.path.split(separator: "/").count == 2)
    }
  }

  @Test(
    "references resolve as RFC 3986 §5.4 specifies",
    arguments: [
      ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"),
      ("/g", "http://a/g"), ("//g", "http://g/"), ("?y", "http://a/b/c/d;p?y"),
      ("g?y", "http://a/b/c/g?y"), ("#s", "http://a/b/c/d;p?q"), ("g#s", "http://a/b/c/g"),
      ("g?y#s", "http://a/b/c/g?y"), (";x", "http://a/b/c/;x"), ("g;x", "http://a/b/c/g;x"),
      ("g;x?y#s", "http://a/b/c/g;x?y"), ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"),
      ("./", "http://a/b/c/"), ("..", "http://a/b/"), ("../", "http://a/b/"),
      ("../g", "http://a/b/g"), ("../..", "http://a/"), ("../../", "http://a/"),
      ("../../g", "http://a/g"), ("../../../g", "http://a/g"), ("../../../../g", "http://a/g"),
      ("/./g", "http://a/g"), ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."),
      (".g", "http://a/b/c/.g"), ("g..", "http://a/b/c/g.."), ("..g", "http://a/b/c/..g"),
      ("./../g", "http://a/b/g"), ("./g/.", "http://a/b/c/g/"), ("g/./h", "http://a/b/c/g/h"),
      ("g/../h", "http://a/b/c/h"), ("g;x=1/./y", "http://a/b/c/g;x=1/y"),
      ("g;x=1/../y", "http://a/b/c/y"), ("g?y/./x", "http://a/b/c/g?y/./x"),
      ("g?y/../x", "http://a/b/c/g?y/../x"), ("HTTPS://Other:1/x/../y", "https://other:1/y"),
      ("/a//b", "http://a/a//b"),
    ])
  func resolving(_ reference: String, _ expected: String) throws {
    #expect(try HTTPURL("http://a/b/c/d;p?q").resolving(reference).text == expected)
  }

  @Test(
    "a reference that gives no usable URL is refused",
    arguments: [
      "g:h", "mailto:x", "javascript:alert(1)", "http:g", "http:", "//", "//user@host/", "/a b",
      "\\\\evil",
      "/\\evil", "//evil\\@good", "\r\nX: y", "https:///x", "//host:0/", "file:///etc/passwd",
    ])
  func unresolvable(_ reference: String) {
    #expect(throws: EngagementError.self) { try HTTPURL("http://a/b").resolving(reference) }
  }
}
