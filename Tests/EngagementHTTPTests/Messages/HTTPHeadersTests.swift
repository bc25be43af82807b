import EngagementHTTP
import EngagementModel
import TestSupport
import Testing

@Suite("Header fields")
struct HTTPHeadersTests {
  @Test("names are found in any case, and repeated ones keep their order")
  func lookUp() throws {
    let headers = try HTTPHeaders(["Set-Cookie": "a=1", "ETag": "x", "set-cookie": "b=2"])
    #expect(headers.first("etag") == "x")
    #expect(headers.all("SET-COOKIE") == ["a=1", "b=2"])
    #expect(headers.first("Age") == nil)
    #expect(headers.contains("eTag"))
    #expect(headers.fields.map(\.name) == ["Set-Cookie", "ETag", "set-cookie"])
  }

  @Test("only ASCII letters match in any case")
  func caseOfASCIIOnly() throws {
    var headers = HTTPHeaders()
    try headers.set("K", "x")
    // KELVIN SIGN, whose lower case is the letter k.
    #expect(!headers.contains("\u{212a}"))
    // ^ and ~ differ in the bit that tells the cases of a letter apart.
    try headers.set("x^", "1")
    #expect(!headers.contains("x~"))
  }

  @Test("setting a name replaces all its fields at the place of the first")
  func setting() throws {
    var headers = try HTTPHeaders(["A": "1", "B": "2", "a": "3", "C": "4"])
    try headers.set("a", "5")
    #expect(headers == (try HTTPHeaders(["a": "5", "B": "2", "C": "4"])))
    headers.remove("b")
    #expect(headers.count == 2)
    try headers.set("D", "6")
    #expect(headers.fields.last?.name == "D")
  }

  @Test("spaces and tabs around a value are trimmed")
  func trimming() throws {
    let headers = try HTTPHeaders(["A": " \t x y \t", "B": " ", "C": ""])
    #expect(headers.all("A") == ["x y"])
    #expect(headers.all("B") == [""])
    #expect(headers.all("C") == [""])
  }

  @Test(
    "a name that is not a token is refused",
    arguments: [
      "", " ", "A ", " A", "A:", "A\r", "A\n", "A\r\nB", "A\0", "A\t", "é", "A\u{7f}", "(A)", "A/B",
      "A\u{301}", "\"A\"", "A=B", "A@B", "A,B", "A;B", "[A]", "{A}", "A\\B", "A?B", "<A>",
    ])
  func invalidNames(_ name: String) throws {
    var headers = HTTPHeaders()
    let error = #expect(throws: EngagementError.self) { try headers.set(name, "x") }
    #expect(error?.code == .invalidArgument)
    #expect(throws: EngagementError.self) { try headers.append(name, Secret("x")) }
    #expect(headers.isEmpty)
  }

  @Test(
    "a value with a control byte is refused, even inside a combined character",
    arguments: [
      "a\r\nX: b", "\r\n", "a\r", "a\n", "\na", "a\0b", "a\u{1b}[31m", "a\u{7f}", "a\u{8}",
      "a\u{b}b",
      "a\r\n", "x\n\u{301}", "\r\n\r\nGET / HTTP/1.1",
    ])
  func injection(_ value: String) throws {
    var headers = HTTPHeaders()
    let error = #expect(throws: EngagementError.self) { try headers.set("X-Probe", value) }
    #expect(error?.code == .invalidArgument)
    #expect(error?.description.contains("X-Probe") == true)
    #expect(throws: EngagementError.self) { try headers.append("X-Probe", value) }
    #expect(throws: EngagementError.self) { try headers.set("X-Probe", Secret(value)) }
    #expect(throws: EngagementError.self) { try headers.append("X-Probe", Secret(value)) }
    #expect(headers.isEmpty)
  }

  @Test("non-ASCII text is kept byte for byte")
  func beyondASCII() throws {
    var headers = HTTPHeaders()
    try headers.set("X", "e\u{301}🎉")
    #expect(headers.first("X").map { Array($0.utf8) } == Array("e\u{301}🎉".utf8))
  }

  @Test("random text is refused or stays on its own line", arguments: UInt64(1)...8)
  func noTextBreaksItsLine(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let scalars: [Unicode.Scalar] = [
      "\r", "\n", "\0", "\t", " ", ":", "a", "Z", "-", "\u{301}", "é", "\u{85}", "\u{2028}", "🎉",
    ]
    for _ in 0..<2_000 {
      var text = String.UnicodeScalarView()
      for _ in 0..<Int.random(in: 0...6, using: &random) { text.append(random.pick(scalars)) }
      var request = HTTPRequest(.get, "https://example.com/")
      let wasTaken =
        (try? request.headers.append(random.chance(50) ? "X" : String(text), String(text))) != nil
      let head = try HTTPHead.bytes(of: request)
      #expect(head.count { $0 == 0x0d } == (wasTaken ? 4 : 3))
      #expect(head.count { $0 == 0x0a } == (wasTaken ? 4 : 3))
      #expect(!head.contains(0))
    }
  }
}

@Suite("Secret header values")
struct SecretHeaderTests {
  private func headers(_ secret: String) throws -> HTTPHeaders {
    var headers = try HTTPHeaders(["Accept": "text/plain"])
    try headers.set("Authorization", Secret(secret))
    return headers
  }

  @Test("a secret is never printed")
  func redaction() throws {
    let headers = try headers("Bearer canary")
    #expect(headers.description == "Accept: text/plain, Authorization: <redacted>")
    var dumped = ""
    dump(headers, to: &dumped)
    dump(headers.fields[1], to: &dumped)
    dump(headers.fields[1].value, to: &dumped)
    let texts = [
      "\(headers)", String(reflecting: headers), "\(headers.fields)",
      String(reflecting: headers.fields[1].value), dumped,
    ]
    for text in texts { #expect(!text.contains("canary")) }
  }

  @Test(
    "standard credential headers are never printed",
    arguments: ["authorization", "Proxy-Authorization", "COOKIE", "Set-Cookie"])
  func credentials(_ name: String) throws {
    let headers = try HTTPHeaders([name: "canary"])
    #expect(headers.description == "\(name): <redacted>")
    var dumped = ""
    dump(headers, to: &dumped)
    #expect(!(dumped + String(reflecting: headers.fields)).contains("canary"))
    #expect(headers.first(name) == "canary")
  }

  @Test("only the secret accessor returns a secret value")
  func reading() throws {
    let headers = try headers(" Bearer canary ")
    #expect(headers.first("authorization") == nil)
    #expect(headers.all("authorization").isEmpty)
    #expect(headers.secret("authorization") == Secret("Bearer canary"))
    #expect(headers.secret("accept") == nil)
    #expect(headers.contains("authorization"))
    #expect(headers.fields[1].value.revealed == "Bearer canary")
  }

  @Test("headers with different secrets are unequal")
  func equality() throws {
    #expect(try headers("a") == headers("a"))
    #expect(try headers("a").hashValue == headers("a").hashValue)
    #expect(try headers("a") != headers("b"))
    var plain = try HTTPHeaders(["Accept": "text/plain"])
    try plain.set("Authorization", "a")
    #expect(try headers("a") != plain)
  }
}
