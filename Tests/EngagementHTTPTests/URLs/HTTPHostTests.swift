import EngagementHTTP
import Glibc
import TestSupport
import Testing

@Suite("Hosts and origins")
struct HTTPHostTests {
  @Test(
    "literal loopback addresses are recognized",
    arguments: ["127.0.0.1", "127.255.255.254", "127.0.0.0", "[::1]", "[0:0:0:0:0:0:0:1]"])
  func loopback(_ host: String) throws {
    #expect(try HTTPHost(host).isLoopbackLiteral)
    #expect(try HTTPHost(host).isAddress)
  }

  @Test(
    "names and other addresses are not loopback",
    arguments: [
      "localhost", "127.0.0.1.example", "126.0.0.1", "128.0.0.1", "0.0.0.0", "[::]", "[::2]",
      "[::ffff:127.0.0.1]", "[::127.0.0.1]", "10.0.0.1", "[fe80::1]",
    ])
  func notLoopback(_ host: String) throws { #expect(!(try HTTPHost(host).isLoopbackLiteral)) }

  @Test("origins compare by scheme, case-insensitive host, and port")
  func origins() throws {
    let origin = try HTTPURL("https://example.com/a?b").origin
    #expect(try HTTPURL("HTTPS://EXAMPLE.com:443/c").origin == origin)
    for other in [
      "http://example.com", "https://example.com:444", "https://www.example.com",
      "wss://example.com",
    ] {
      #expect(try HTTPURL(other).origin != origin)
    }
    #expect(origin.description == "https://example.com")
    #expect(try HTTPURL("http://[::1]:8400/x").origin.authority == "[::1]:8400")
  }

  @Test(
    "an origin is confidential when it is encrypted or on loopback",
    arguments: [
      ("https://example.com", true), ("wss://example.com", true), ("http://127.0.0.1", true),
      ("ws://[::1]:1", true), ("http://localhost", false), ("http://example.com", false),
      ("ws://example.com", false), ("http://10.0.0.1", false),
    ])
  func confidential(_ url: String, _ expected: Bool) throws {
    #expect(try HTTPURL(url).origin.isConfidential == expected)
  }

  @Test("IPv6 addresses parse as the system parses them", arguments: UInt64(1)...4)
  func addressesOfVersion6(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let pieces = ["0", "1", "ffff", "db8", ":", ":", "::", "1.2.3.4", "00001", "."]
    var usable = 0
    for _ in 0..<4_000 {
      var text = ""
      for _ in 0..<Int.random(in: 1...15, using: &random) { text += random.pick(pieces) }
      let host = try? HTTPHost("[\(text)]")
      let expected = systemAddress(text, AF_INET6, bytes: 16)
      #expect((host != nil) == (expected != nil), "\(text)")
      guard let host else { continue }
      usable += 1
      let canonical = String(host.text.dropFirst().dropLast())
      #expect(systemAddress(canonical, AF_INET6, bytes: 16) == expected, "\(text)")
    }
    #expect(usable > 20)
  }

  @Test("IPv4 addresses parse as the system parses them", arguments: UInt64(1)...4)
  func addressesOfVersion4(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let pieces = ["0", "1", "9", "25", "255", "256", "00", "01", ".", ".", ".", "x"]
    for _ in 0..<4_000 {
      var text = ""
      for _ in 0..<Int.random(in: 1...9, using: &random) { text += random.pick(pieces) }
      let host = try? HTTPHost(text)
      #expect(
        (host?.isAddress == true) == (systemAddress(text, AF_INET, bytes: 4) != nil), "\(text)")
    }
  }

  private func systemAddress(_ text: String, _ family: Int32, bytes count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    return inet_pton(family, text, &bytes) == 1 ? bytes : nil
  }
}
