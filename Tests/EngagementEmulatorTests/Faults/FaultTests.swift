import EngagementEmulator
import EngagementJSON
import EngagementModel
import EngagementVendors
import Foundation
import TestSupport
import Testing

/// Each kind of fault, as a client sees it. The faulty request has one event, so that the test can
/// count its effects.
@Suite(.timeLimit(.minutes(20))) struct FaultTests {
  private static func request() -> RawRequest {
    RawRequest("POST", "/api/v3/data", Stand.body(["events": [Stand.event("ce", ["n": "x"])]]))
  }

  /// The result of a request with the fault, and the number of the event's effects.
  private static func strike(
    _ kind: String, _ more: JSON = [:]
  ) async throws -> (bytes: [UInt8], end: RawConnection.End, effects: Int, status: Int?) {
    var fault: JSONObject = ["fault": .string(kind)]
    for member in more.object?.members ?? [] { fault[member.key] = member.value }
    var result: (bytes: [UInt8], end: RawConnection.End, effects: Int, status: Int?)?
    try await Stand.run(vendors: ["braze"], faults: [.object(fault)]) { stand async throws in
      var request = Self.request()
      request.headers = [("Connection", "close")]
      let (bytes, end) = try request.receiveAll(from: stand.braze)
      let effects = await stand.emulator.times("ce", of: "x")
      let requests = await stand.emulator.requests()
      #expect(requests.map(\.fault) == [kind])
      result = (bytes, end, effects, requests.first?.status)
    }
    return try #require(result)
  }

  /// The answer without a fault.
  private static func plain() async throws -> RawAnswer {
    var answer: RawAnswer?
    try await Stand.run(vendors: ["braze"]) { stand async throws in
      answer = try Self.request().send(to: stand.braze)
    }
    return try #require(answer)
  }

  @Test(
    "X18: a refused request has no effect",
    arguments: [
      ("status", 500, ["status": 500]), ("status", 502, ["status": 502]),
      ("status", 404, ["status": 404]), ("unauthorized", 401, [:]),
      ("throttleSeconds", 429, ["seconds": 7]), ("throttleDate", 429, ["seconds": 60]),
      ("throttleGarbage", 429, [:]), ("html", 200, [:]), ("empty", 200, [:]),
      ("redirectLoop", 307, [:]), ("redirectOnce", 307, [:]), ("redirectElsewhere", 307, [:]),
    ] as [(String, Int, JSON)])
  func refusals(kind: String, status: Int, more: JSON) async throws {
    let (bytes, end, effects, recorded) = try await Self.strike(kind, more)
    #expect(RawAnswer(parsing: bytes)?.status == status && recorded == status)
    #expect(end == .closed && effects == 0)
  }

  @Test("the fault decides whether Retry-After is seconds, a date or garbage")
  func retryAfter() async throws {
    for (kind, value) in [
      ("throttleSeconds", "60"), ("throttleDate", "Sun, 22 Nov 2026 00:01:00 GMT"),
      ("throttleGarbage", "a little later, please"),
    ] {
      let bytes = try await Self.strike(kind, ["seconds": 60]).bytes
      #expect(RawAnswer(parsing: bytes)?.header("Retry-After") == value)
    }
  }

  @Test(
    "a broken connection brings no bytes, and the kind decides whether the effect happens",
    arguments: [
      ("resetBefore", .reset, 0), ("closeBefore", .closed, 0),
      ("resetAfter", .reset, 1), ("closeAfter", .closed, 1), ("hang", .closed, 0),
    ] as [(String, RawConnection.End, Int)])
  func broken(kind: String, expected: RawConnection.End, effects: Int) async throws {
    let result = try await Self.strike(kind, ["milliseconds": 1])
    #expect(result.bytes.isEmpty && result.end == expected)
    #expect(result.effects == effects && result.status == nil)
  }

  @Test(
    "a fault that delivers the whole answer keeps the vendor's body",
    arguments: [
      "delay", "slowDrip", "slowHead", "headerFlood", "headerLong", "wrongContentType",
      "duplicateAnswer", "duplicateRequest",
    ])
  func whole(kind: String) async throws {
    let plain = try await Self.plain()
    let result = try await Self.strike(kind, ["milliseconds": 1, "bytes": 1_000])
    let answer = try #require(RawAnswer(parsing: result.bytes))
    #expect(answer.status == 201 && answer.body.starts(with: plain.body))
    #expect(result.effects == (kind == "duplicateRequest" ? 2 : 1))
    switch kind {
    case "headerFlood": #expect(answer.headers.count > 1_000)
    case "headerLong": #expect(answer.header("X-Long")?.utf8.count == 1_000)
    case "wrongContentType": #expect(answer.header("Content-Type") == "text/plain")
    case "duplicateAnswer":
      let second = Array(answer.body.dropFirst(plain.body.count))
      #expect(RawAnswer(parsing: second)?.body == plain.body)
    default: #expect(answer.body == plain.body)
    }
  }

  @Test("early hints arrive before the answer")
  func earlyHints() async throws {
    let hints = try #require(RawAnswer(parsing: try await Self.strike("earlyHints").bytes))
    #expect(hints.status == 103)
    #expect(RawAnswer(parsing: hints.body)?.status == 201)
  }

  @Test("a cut answer ends within its body, its head or its JSON")
  func cuts() async throws {
    let plain = try await Self.plain()
    for (kind, end) in [("truncate", RawConnection.End.closed), ("resetMiddle", .reset)] {
      let result = try await Self.strike(kind)
      let answer = try #require(RawAnswer(parsing: result.bytes))
      #expect(answer.length == plain.body.count && answer.body.count == plain.body.count / 2)
      #expect(result.end == end && result.effects == 1)
    }
    let head = try await Self.strike("truncateHead")
    #expect(!head.bytes.isEmpty && RawAnswer(parsing: head.bytes) == nil)
    let json = try #require(RawAnswer(parsing: try await Self.strike("truncateJSON").bytes))
    #expect(json.length == json.body.count && json.json == nil)
  }

  @Test("a framing fault sends a wrong length, a broken chunk or bytes that are not HTTP")
  func framing() async throws {
    let plain = try await Self.plain()
    let short = try #require(RawAnswer(parsing: try await Self.strike("lengthShort").bytes))
    #expect(short.length == plain.body.count / 2 && short.body == plain.body)
    let conflict = try #require(RawAnswer(parsing: try await Self.strike("lengthConflict").bytes))
    #expect(conflict.headers.filter { $0.name == "content-length" }.count == 2)
    let chunk = try #require(RawAnswer(parsing: try await Self.strike("chunkBroken").bytes))
    #expect(chunk.header("Transfer-Encoding") == "chunked" && chunk.text.hasPrefix("ZZ\r\n"))
    let other = try await Self.strike("notHTTP")
    #expect(other.bytes.starts(with: Array("SSH-".utf8)) && other.status == nil)
  }

  @Test(
    "a damaged body arrives complete with wrong content",
    arguments: [
      "wrongType", "missingField", "invalidUTF8", "duplicateKey", "byteOrderMark", "oversize",
    ])
  func bodies(kind: String) async throws {
    let plain = try await Self.plain()
    let result = try await Self.strike(kind, kind == "oversize" ? ["bytes": 100_000] : [:])
    let answer = try #require(RawAnswer(parsing: result.bytes))
    #expect(answer.status == 201 && answer.length == answer.body.count)
    #expect(answer.body != plain.body && result.effects == 1)
    switch kind {
    case "wrongType", "missingField": #expect(answer.json != nil && answer.json != plain.json)
    case "oversize": #expect(answer.json?["padding"]?.string?.utf8.count == 100_000)
    case "byteOrderMark": #expect(answer.body == [0xef, 0xbb, 0xbf] + plain.body)
    case "invalidUTF8": #expect(String(validating: answer.body, as: UTF8.self) == nil)
    default: #expect(answer.text.ranges(of: "\"message\"").count == 2)
    }
  }

  @Test(
    "a gzip bomb is a valid stream and expands to the requested size",
    arguments: [0, 1, 259, 3_000_000])
  func gzipBomb(count: Int) async throws {
    let result = try await Self.strike("gzipBomb", ["bytes": .integer(Int64(count))])
    let answer = try #require(RawAnswer(parsing: result.bytes))
    #expect(answer.header("Content-Encoding") == "gzip" && result.effects == 1)
    #expect(answer.body.count < 40 + count)
    #expect(count < 1_000 || answer.body.count < count / 100)
    let text = try Self.gunzip(answer.body)
    #expect(text.count == count && text.allSatisfy { $0 == 0x20 })
  }

  @Test("a broken gzip answer has the gzip header and a plain body")
  func gzipBroken() async throws {
    let answer = try #require(RawAnswer(parsing: try await Self.strike("gzipBroken").bytes))
    #expect(answer.header("Content-Encoding") == "gzip" && answer.json != nil)
  }

  private static func gunzip(_ bytes: [UInt8]) throws -> [UInt8] {
    let process = try ChildProcess("/bin/gzip", ["-dc"], input: .pipe, output: .pipe)
    // The stream fits into the pipe, so it is written whole before the longer text is read.
    try process.input?.write(contentsOf: bytes)
    try process.input?.close()
    let text = try process.output?.readToEnd() ?? Data()
    #expect(process.wait().status == 0)
    return Array(text)
  }

  @Test("a redirect leads to a loop, to the same path or to another origin")
  func redirects() async throws {
    let faults: JSON = [["fault": "redirectLoop"], ["fault": "redirectOnce"]]
    try await Stand.run(vendors: ["braze"], faults: faults) { stand async throws in
      var target = "/api/v3/data"
      for _ in 0..<5 {
        let answer = try RawRequest("GET", target).send(to: stand.braze)
        #expect(answer.status == 307)
        target = try #require(answer.header("Location"))
      }
      #expect(target == "/_emulator/loop")
      let once = try Self.request().send(to: stand.braze)
      #expect(once.status == 307 && once.header("Location") == "/api/v3/data")
      #expect(try Self.request().send(to: stand.braze).status == 201)
      try await stand.emulator.load(
        try EmulatorFaults(json: ["faults": [["fault": "redirectElsewhere"]]]))
      let elsewhere = try Self.request().send(to: stand.braze).header("Location")
      let port = try #require(stand.braze.split(separator: ":").last)
      #expect(elsewhere == "http://localhost:\(port)/api/v3/data")
      var careless = Self.request()
      careless.headers = [("Host", "localhost:\(port)"), ("X-Braze-Api-Key", "key")]
      #expect(try careless.send(to: stand.braze).status == 201)
      let last = try #require(await stand.emulator.requests().last)
      #expect(last.host == "localhost:\(port)" && last.credentials == ["x-braze-api-key"])
    }
  }

  @Test("a connection stays usable after a fault that does not break it")
  func goesOn() async throws {
    let faults: JSON = [["fault": "delay", "milliseconds": 1], ["fault": "wrongType"]]
    try await Stand.run(vendors: ["braze"], faults: faults) { stand async throws in
      let connection = try RawConnection(stand.braze)
      for _ in 0..<3 {
        connection.send(Self.request().bytes(to: stand.braze))
        #expect(connection.answer()?.status == 201)
      }
      #expect(await stand.emulator.times("ce") == 3)
    }
  }

  /// Faults that keep the request from the vendor.
  private static let deaf: Set<String> = [
    "status", "throttleSeconds", "throttleDate", "throttleGarbage", "unauthorized", "resetBefore",
    "closeBefore", "html", "empty", "notHTTP", "redirectLoop", "redirectElsewhere", "redirectOnce",
  ]

  @Test("the record holds each of a hundred requests under random faults, with the right effects")
  func manyFaults() async throws {
    let kinds = EmulatorFaults.requestKinds.filter {
      !["hang", "slowDrip", "slowHead"].contains($0)
    }
    let faults = kinds.map { kind -> JSON in
      [
        "fault": .string(kind), "probability": 0.05, "times": "always", "milliseconds": 1,
        "bytes": 2_000,
      ]
    }
    try await Stand.run(vendors: ["braze"], faults: .array(faults)) { stand async throws in
      for _ in 0..<100 {
        var request = Self.request()
        request.headers = [("Connection", "close")]
        _ = try request.receiveAll(from: stand.braze)
      }
      let requests = await stand.emulator.requests()
      #expect(requests.count == 100)
      #expect(Set(requests.compactMap(\.fault)).count >= 10)
      let expected = requests.map { request in
        request.fault == "duplicateRequest" ? 2 : Self.deaf.contains(request.fault ?? "") ? 0 : 1
      }.reduce(0, +)
      #expect(await stand.emulator.times("ce", of: "x") == expected)
      #expect(requests.allSatisfy { $0.fault != nil || $0.status == 201 })
    }
  }
}
