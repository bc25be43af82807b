import EngagementEmulator
import EngagementModel
import EngagementVendors
import Foundation
import Testing

/// Who may ask the emulated Atomic, and with which headers.
@Suite(.timeLimit(.minutes(20))) struct AtomicAccessTests {
  private static let end = JSON.number(Stand.start.timeIntervalSince1970 + 60)

  @Test(
    "the first claim that names a user decides, and a number becomes a text",
    arguments: [
      (["atomic_sub": "a", "atomic_id": "b", "sub": "c", "id": "d"], "a"),
      (["atomic_id": "b", "sub": "c", "id": "d"], "b"), (["sub": "c", "id": "d"], "c"),
      (["id": "d"], "d"), (["sub": 42], "42"), (["atomic_sub": .null, "sub": "c"], "c"),
    ] as [(JSON, String)])
  func claims(claims: JSON, user: String) async throws {
    try await Stand.runAtomic(cards: [Stand.card("1")]) { stand async throws in
      var phone = AtomicPhone(stand)
      var all = try #require(claims.object)
      all["exp"] = Self.end
      phone.token = AtomicPhone.token(.object(all))
      #expect(try phone.act("dismiss", "1").status == 200)
      #expect(await stand.emulator.times("card-dismissed", of: "1", by: user) == 1)
    }
  }

  @Test(
    "a malformed token, one without a user, without an end or for too long is refused",
    arguments: [
      "", "a.b", "a.b.c.d", "a b.c.d", "!.e30.", AtomicPhone.token([]), AtomicPhone.token([:]),
      AtomicPhone.token(["sub": "a"]), AtomicPhone.token(["exp": end]),
      AtomicPhone.token(["sub": "", "exp": end]), AtomicPhone.token(["sub": [], "exp": end]),
      AtomicPhone.token(["sub": "a", "exp": "soon"]),
      AtomicPhone.token("a", for: 604_801),
    ])
  func invalid(token: String) async throws {
    try await Stand.runAtomic { stand async throws in
      var phone = AtomicPhone(stand)
      phone.token = token
      let answer = try phone.call("GET", "feed/BqWL1sT")
      #expect(answer.status == 401)
      #expect(answer.json == ["errors": [["title": "Invalid token"]]])
      let socket = try phone.socket()
      socket.send("auth", ["authToken": .string(token)])
      #expect(socket.next()?["data"]?["errorType"] == "invalid-token")
    }
  }

  @Test("a token ends at its time and when it is expired on demand, and a new one is good")
  func expired() async throws {
    try await Stand.runAtomic { stand async throws in
      var phone = AtomicPhone(stand)
      #expect(try phone.call("GET", "user-metrics").status == 200)
      await stand.emulator.advanceClock(by: .seconds(86_400))
      let answer = try phone.call("GET", "user-metrics")
      #expect(answer.status == 401 && answer.json == ["errors": [["title": "Expired token"]]])
      phone.token = AtomicPhone.token("user_123", serial: 1, for: 90_000)
      #expect(try phone.call("GET", "user-metrics").status == 200)
      try await stand.emulator.expireCredentials(of: "atomic")
      #expect(try phone.call("GET", "user-metrics").status == 401)
      phone.token = AtomicPhone.token("user_123", serial: 2, for: 90_000)
      #expect(try phone.call("GET", "user-metrics").status == 200)
      try await stand.emulator.configure("atomic", ["expireTokens": true])
      #expect(try phone.call("GET", "user-metrics").status == 401)
      let recorded = await stand.emulator.requests().map { $0.json.encodedText }.joined()
      #expect(!recorded.contains(phone.token))
      #expect(
        await stand.emulator.requests().first?.credentials == [
          "authorization", "x-atomic-sdk-api-key",
        ])
    }
  }

  @Test("a request without a header of the vendor's clients is refused with its name")
  func headers() async throws {
    try await Stand.runAtomic { stand async throws in
      let phone = AtomicPhone(stand)
      for (name, _) in AtomicPhone.headers {
        var request = phone.request("GET", "feed/BqWL1sT")
        request.headers.removeAll { $0.0 == name }
        let answer = try request.send(to: stand.atomic)
        let isKey = name == "x-atomic-sdk-api-key"
        #expect(answer.status == (isKey ? 401 : 400), "\(name)")
        let title = answer.json?["errors"]?.array?.first?["title"]?.string
        #expect(title?.contains(isKey ? "API key" : name) == true)
      }
      var long = phone.request("GET", "feed/BqWL1sT")
      long.headers.removeAll { $0.0 == "x-atomic-sdk-client-app-version" }
      long.headers.append(("x-atomic-sdk-client-app-version", String(repeating: "1", count: 129)))
      #expect(try long.send(to: stand.atomic).status == 400)
      try await stand.emulator.configure("atomic", ["strict": false])
      #expect(try long.send(to: stand.atomic).status == 200)
      try await stand.emulator.configure("atomic", ["apiKey": "other"])
      #expect(try long.send(to: stand.atomic).status == 401)
    }
  }

  @Test(
    "a path or method that the vendor does not have is unknown",
    arguments: [
      ("GET", ""), ("GET", "feed"), ("GET", "feed/a/b"), ("POST", "feed/a"), ("GET", "dismiss"),
      ("POST", "vote"), ("PUT", "dismiss"), ("GET", "socket"),
    ])
  func unknown(method: String, path: String) async throws {
    try await Stand.runAtomic { stand async throws in
      let answer = try AtomicPhone(stand).call(method, path, method == "GET" ? nil : [:])
      #expect(answer.status == 404)
      #expect(answer.json?["paths"]?.array?.contains("PUT /{environment}/analytics") == true)
    }
  }

  @Test("a refusal has the status 200 and errors where the settings say so")
  func errorsInOK() async throws {
    try await Stand.runAtomic { stand async throws in
      try await stand.emulator.configure("atomic", ["errorsInOK": true])
      let answer = try AtomicPhone(stand).act("dismiss", "unknown")
      #expect(answer.status == 200 && answer.json?["errors"]?.array?.count == 1)
      #expect(await stand.emulator.effects().isEmpty)
    }
  }

  @Test("a theme needs no token, and feeds, themes and metrics answer a condition with 304")
  func conditions() async throws {
    try await Stand.runAtomic(cards: [Stand.card("1")]) { stand async throws in
      let phone = AtomicPhone(stand)
      var theme = RawRequest("GET", "/env-1/theme/BqWL1sT")
      theme.headers = AtomicPhone.headers
      #expect(try theme.send(to: stand.atomic).json?["theme"]?.object?.isEmpty == false)
      for path in ["feed/BqWL1sT", "theme/BqWL1sT", "user-metrics"] {
        let tag = try #require(try phone.call("GET", path).header("ETag"))
        var request = phone.request("GET", path)
        request.headers.append(("If-None-Match", tag))
        let answer = try request.send(to: stand.atomic)
        #expect(answer.status == 304 && answer.body.isEmpty && answer.header("ETag") == tag)
        guard path != "theme/BqWL1sT" else { continue }
        try await stand.emulator.put(Stand.card("\(path)-new"), in: "atomic")
        #expect(try request.send(to: stand.atomic).status == 200)
      }
    }
  }

  @Test("an invalid setting is refused with its name")
  func settings() async throws {
    try await Stand.runAtomic { stand async throws in
      for (name, value): (String, JSON) in [
        ("containers", "a"), ("maximumTokenAge", -1), ("strict", 1), ("apiKey", 5),
      ] {
        let error = await #expect(throws: EngagementError.self) {
          try await stand.emulator.configure("atomic", .object([name: value]))
        }
        #expect(error?.message.contains(name) == true)
      }
    }
  }
}
