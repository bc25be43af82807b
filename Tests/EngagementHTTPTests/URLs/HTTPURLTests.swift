import EngagementHTTP
import EngagementModel
import TestSupport
import Testing

@Suite("URLs")
struct HTTPURLTests {
  @Test(
    "a valid URL is read into one normalized spelling",
    arguments: [
      ("https://example.com", "https://example.com/"),
      ("HTTPS://EXAMPLE.COM/Path", "https://example.com/Path"),
      ("hTTp://Example.com", "http://example.com/"),
      ("ws://example.com/socket", "ws://example.com/socket"),
      ("WSS://example.com:443/", "wss://example.com/"),
      ("https://example.com:443/", "https://example.com/"),
      ("http://example.com:80/", "http://example.com/"),
      ("https://example.com:80/", "https://example.com:80/"),
      ("https://example.com:1/", "https://example.com:1/"),
      ("https://example.com:65535/", "https://example.com:65535/"),
      ("https://example.com?a=1", "https://example.com/?a=1"),
      ("https://example.com/?", "https://example.com/?"),
      ("https://example.com/a?b?c", "https://example.com/a?b?c"),
      ("https://example.com#top", "https://example.com/"),
      ("https://example.com/a?b#c?d/e", "https://example.com/a?b"),
      ("https://example.com/a//b/../c/.", "https://example.com/a//b/../c/."),
      ("https://example.com/%41%zz%", "https://example.com/%41%zz%"),
      ("https://example.com/a|b{c}^`<>\"", "https://example.com/a|b{c}^`<>\""),
      ("https://example.com/@user:pass@x", "https://example.com/@user:pass@x"),
      ("https://example.com/?q=a@b:c/d?e", "https://example.com/?q=a@b:c/d?e"),
      (
        "https://example.com/画像.png?é=ü", "https://example.com/%E7%94%BB%E5%83%8F.png?%C3%A9=%C3%BC"
      ),
      ("https://a-b.c--d.example", "https://a-b.c--d.example/"),
      ("https://xn--bcher-kva.example", "https://xn--bcher-kva.example/"),
      ("https://localhost", "https://localhost/"),
      ("https://1.2.3.4.example", "https://1.2.3.4.example/"),
      ("https://3com.example", "https://3com.example/"),
      ("https://127.0.0.1:8400/x", "https://127.0.0.1:8400/x"),
      ("https://0.0.0.0", "https://0.0.0.0/"),
      ("https://255.255.255.255", "https://255.255.255.255/"),
      ("https://[::1]", "https://[::1]/"),
      ("https://[::1]:8443/x", "https://[::1]:8443/x"),
      ("https://[0:0:0:0:0:0:0:1]/", "https://[::1]/"),
      ("https://[::]/", "https://[::]/"),
      ("https://[2001:DB8::A:0:0:1]/", "https://[2001:db8::a:0:0:1]/"),
      ("https://[2001:db8:0:0:1:0:0:1]/", "https://[2001:db8::1:0:0:1]/"),
      ("https://[1:0:3:4:5:6:7:8]/", "https://[1:0:3:4:5:6:7:8]/"),
      ("https://[1:2:3:4:5:6:7::]/", "https://[1:2:3:4:5:6:7:0]/"),
      ("https://[::ffff:127.0.0.1]/", "https://[::ffff:7f00:1]/"),
      ("https://[1:2:3:4:5:6:7.8.9.10]/", "https://[1:2:3:4:5:6:708:90a]/"),
      ("https://\(label63).example", "https://\(label63).example/"),
      ("https://\(name253)", "https://\(name253)/"),
    ])
  func usable(_ text: String, _ spelling: String) throws {
    let url = try HTTPURL(text)
    #expect(url.text == spelling)
    #expect(try HTTPURL(spelling) == url)
  }

  @Test(
    "an ambiguous URL is refused with the rule that it breaks",
    arguments: [
      ("", "noScheme"), ("example.com", "noScheme"), ("//example.com", "noScheme"),
      ("/path", "noScheme"), ("://example.com", "noScheme"), ("1https://example.com", "noScheme"),
      ("hţtps://example.com", "noScheme"), ("%68ttps://example.com", "noScheme"),
      ("ftp://example.com", "unknownScheme"), ("file:///etc/passwd", "unknownScheme"),
      ("javascript:alert(1)", "unknownScheme"), ("JaVaScRiPt://x/%0aalert(1)", "unknownScheme"),
      ("data:text/html,x", "unknownScheme"), ("httpss://example.com", "unknownScheme"),
      ("feed:https://example.com", "unknownScheme"), ("gopher://example.com", "unknownScheme"),
      ("example.com:443", "unknownScheme"),
      ("https:", "noAuthority"), ("https:/example.com", "noAuthority"),
      ("https:example.com", "noAuthority"), ("https:?x", "noAuthority"),
      ("https://", "noHost"), ("https:///path", "noHost"), ("https://?x", "noHost"),
      ("https://#x", "noHost"), ("https://:443/", "noHost"), ("https:////example.com", "noHost"),
      ("https:\\\\evil", "forbiddenByte"), ("https://good\\@evil", "forbiddenByte"),
      ("https://example.com\\.evil", "forbiddenByte"),
      ("https://example.com/a\\b", "forbiddenByte"),
      (" https://example.com", "forbiddenByte"), ("https://example.com ", "forbiddenByte"),
      ("https://exa mple.com", "forbiddenByte"), ("https://example.com/a b", "forbiddenByte"),
      ("https://example.com/\r\nHost: evil", "forbiddenByte"),
      ("https://example.com\n", "forbiddenByte"),
      ("https://example.com/\0", "forbiddenByte"), ("https://exam\tple.com", "forbiddenByte"),
      ("https://example.com/\u{7f}", "forbiddenByte"), ("java\nscript:x", "forbiddenByte"),
      ("https://good@evil", "userInfo"), ("https://user:pass@example.com/", "userInfo"),
      ("https://@example.com", "userInfo"), ("https://good%40x@evil", "userInfo"),
      ("https://example.com:0", "invalidPort"), ("https://example.com:65536", "invalidPort"),
      ("https://example.com:", "invalidPort"), ("https://example.com:/", "invalidPort"),
      ("https://example.com:+443", "invalidPort"), ("https://example.com:-1", "invalidPort"),
      ("https://example.com:0443", "invalidPort"), ("https://example.com:4x", "invalidPort"),
      ("https://example.com:99999999999999999999", "invalidPort"),
      ("https://a:80:80", "invalidPort"),
      ("https://example.com:٤٤٣", "invalidPort"), ("https://[::1]:", "invalidPort"),
      ("https://example.com.", "invalidHost"), ("https://example.com..", "invalidHost"),
      ("https://.example.com", "invalidHost"), ("https://a..b", "invalidHost"),
      ("https://.", "invalidHost"), ("https://-a.example", "invalidHost"),
      ("https://a-.example", "invalidHost"), ("https://a_b.example", "invalidHost"),
      ("https://bücher.example", "invalidHost"), ("https://ｅxample.com", "invalidHost"),
      ("https://example。com", "invalidHost"), ("https://exa%6dple.com", "invalidHost"),
      ("https://example.com%00.evil", "invalidHost"), ("https://a,b", "invalidHost"),
      ("https://*.example.com", "invalidHost"), ("https://a!b", "invalidHost"),
      ("https://127.1", "invalidHost"), ("https://2130706433", "invalidHost"),
      ("https://0x7f.0.0.1", "invalidHost"), ("https://0x7f000001", "invalidHost"),
      ("https://127.0.0.0x1", "invalidHost"), ("https://a.0x", "invalidHost"),
      ("https://0177.0.0.1", "invalidHost"), ("https://127.0.0.01", "invalidHost"),
      ("https://256.0.0.1", "invalidHost"), ("https://1.2.3", "invalidHost"),
      ("https://1.2.3.4.5", "invalidHost"), ("https://1.2.3.4.", "invalidHost"),
      ("https://evil.example.1", "invalidHost"),
      ("https://::1", "noHost"), ("https://[::1", "invalidHost"), ("https://::1]", "invalidHost"),
      ("https://[]", "invalidHost"), ("https://[::1]x", "invalidHost"),
      ("https://x[::1]", "invalidHost"), ("https://[[::1]]", "invalidHost"),
      ("https://[fe80::1%25eth0]", "invalidHost"), ("https://[fe80::1%eth0]", "invalidHost"),
      ("https://[v1.fe80]", "invalidHost"), ("https://[1:2:3:4:5:6:7]", "invalidHost"),
      ("https://[1:2:3:4:5:6:7:8:9]", "invalidHost"), ("https://[1::2::3]", "invalidHost"),
      ("https://[:::]", "invalidHost"), ("https://[:1:2:3:4:5:6:7]", "invalidHost"),
      ("https://[1:2:3:4:5:6:7:]", "invalidHost"), ("https://[1:2:3:4::5:6:7:8]", "invalidHost"),
      ("https://[12345::]", "invalidHost"), ("https://[::g]", "invalidHost"),
      ("https://[1.2.3.4::]", "invalidHost"), ("https://[::1.2.3]", "invalidHost"),
      ("https://[::1.2.3.4:5]", "invalidHost"), ("https://[127.0.0.1]", "invalidHost"),
      ("https://\(label63)a.example", "invalidHost"), ("https://a\(name253)", "invalidHost"),
    ])
  func refused(_ text: String, _ rule: String) {
    let error = #expect(throws: EngagementError.self) { try HTTPURL(text) }
    #expect(error?.code == .invalidArgument)
    #expect(error?.underlying == rule)
  }

  @Test("an error contains no part of the URL")
  func errorsAreDiscreet() {
    let error = #expect(throws: EngagementError.self) {
      try HTTPURL("https://me:canary@host/canary")
    }
    #expect(error?.description.contains("canary") == false)
  }

  @Test("a URL exposes its parts, and its description leaves out the query")
  func parts() throws {
    let url = try HTTPURL("wss://Socket.Example:8443/a/b?api-key=canary&x=1#frag")
    #expect(url.scheme == .wss)
    #expect(url.host.text == "socket.example")
    #expect(url.port == 8443)
    #expect(url.path == "/a/b")
    #expect(url.query == "api-key=canary&x=1")
    #expect(url.target == "/a/b?api-key=canary&x=1")
    #expect("\(url)" == "wss://socket.example:8443/a/b")
    var dumped = ""
    dump(url, to: &dumped)
    #expect(!(dumped + String(reflecting: url)).contains("canary"))
  }

  @Test("random text is refused or parses to one stable URL", arguments: UInt64(1)...8)
  func randomTexts(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let pieces = [
      "https", "http", "ws", ":", "/", "//", "\\", "@", "?", "#", "[", "]", "::", "1", "127.0.0.1",
      "a", "example.com", ".", "%", "%25", "\r\n", "\0", " ", "é", "🎉", "0x1", "65536", "443", "-",
    ]
    var usable = 0
    for _ in 0..<4_000 {
      var text = random.chance(70) ? "https://" : ""
      for _ in 0..<Int.random(in: 0...6, using: &random) { text += random.pick(pieces) }
      guard let url = try? HTTPURL(text) else { continue }
      usable += 1
      #expect(try HTTPURL(url.text) == url)
      #expect(url.text.utf8.allSatisfy { 0x21...0x7e ~= $0 && $0 != UInt8(ascii: "\\") })
      #expect(url.path.hasPrefix("/") && !url.host.text.isEmpty && 1...65535 ~= url.port)
    }
    #expect(usable > 50)
  }
}

private let label63 = String(repeating: "a", count: 63)
private let name253 = String(repeating: "\(label63).", count: 3) + String(repeating: "b", count: 61)
