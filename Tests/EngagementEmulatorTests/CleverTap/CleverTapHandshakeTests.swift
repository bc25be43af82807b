import EngagementEmulator
import EngagementModel
import Testing

@Suite(.timeLimit(.minutes(20))) struct CleverTapHandshakeTests {
  private static func hello(
    _ phone: CleverTapPhone, _ query: String = "", headers: [(String, String)]? = nil
  ) throws -> RawAnswer {
    var request = RawRequest("GET", "/hello\(query)")
    request.headers = headers ?? phone.headers
    return try request.send(to: phone.endpoint)
  }

  @Test("X18: the handshake names this server for both domains, with the query or without")
  func domains() async throws {
    try await CleverTapPhone.run { stand, phone async throws in
      let authority = String(phone.endpoint.dropFirst("http://".count))
      for query in ["", "?os=Android&t=80100&z=demo"] {
        let answer = try Self.hello(phone, query)
        #expect(answer.status == 200)
        #expect(answer.header("X-WZRK-RD") == authority)
        #expect(answer.header("X-WZRK-SPIKY-RD") == authority)
        #expect(answer.header("X-WZRK-MUTE") == nil)
      }
      let record = await stand.emulator.requests()
      #expect(record.allSatisfy { $0.effects.isEmpty && $0.host == authority })
      #expect(record.first?.credentials == ["x-clevertap-token"])
    }
  }

  @Test("X18: the domains of events and of views are settings, and batches repeat them")
  func settings() async throws {
    try await CleverTapPhone.run { stand, phone async throws in
      #expect(try phone.send([CleverTapPhone.launch]).header("X-WZRK-RD") == nil)
      let names: JSON = ["domain": "127.0.0.1:1", "viewedDomain": "localhost:1"]
      try await stand.emulator.configure("clevertap", names)
      for answer in [try Self.hello(phone), try phone.send([CleverTapPhone.launch])] {
        #expect(answer.header("X-WZRK-RD") == "127.0.0.1:1")
        #expect(answer.header("X-WZRK-SPIKY-RD") == "localhost:1")
      }
      try await stand.emulator.configure(
        "clevertap", ["domain": .null, "viewedDomain": .null])
      let answer = try Self.hello(phone)
      #expect(answer.header("X-WZRK-SPIKY-RD") == answer.header("X-WZRK-RD"))
      #expect(answer.header("X-WZRK-RD")?.hasSuffix(":1") == false)
    }
  }

  @Test("X18: a muted server says so at the handshake and with each batch, and for how long")
  func mute() async throws {
    try await CleverTapPhone.run { stand, phone async throws in
      try await stand.emulator.configure("clevertap", ["muted": true])
      #expect(try Self.hello(phone).header("X-WZRK-MUTE") == "true")
      #expect(try Self.hello(phone).header("X-WZRK-MUTE-DURATION") == nil)
      try await stand.emulator.configure("clevertap", ["muteSeconds": 60])
      let end = "\((CleverTapPhone.now + 60) * 1_000)"
      #expect(try Self.hello(phone).header("X-WZRK-MUTE-DURATION") == end)
      let batch = try phone.send([CleverTapPhone.launch])
      #expect(batch.header("X-WZRK-MUTE") == "true")
      #expect(batch.header("X-WZRK-MUTE-DURATION") == end)
      try await stand.emulator.configure("clevertap", ["muted": false, "muteSeconds": .null])
      #expect(try Self.hello(phone).header("X-WZRK-MUTE") == nil)
    }
  }

  @Test(
    "X18: a handshake without its account, or with another's query, is refused",
    arguments: [
      ("", [], 401), ("", [("X-CleverTap-Account-Id", "demo")], 401),
      ("", [("X-CleverTap-Token", "demo-token")], 401),
      ("?os=iOS&t=70700&z=other", CleverTapPhone.account, 400),
      ("?os=webOS&t=70700&z=demo", CleverTapPhone.account, 400),
      ("?os=iOS&t=seven&z=demo", CleverTapPhone.account, 400),
    ] as [(String, [(String, String)], Int)])
  func refused(query: String, headers: [(String, String)], status: Int) async throws {
    try await CleverTapPhone.run { _, phone async throws in
      #expect(try Self.hello(phone, query, headers: headers).status == status)
    }
  }

  @Test("X18: another account gets a 403, and another or an expired token a 401, on every call")
  func accounts() async throws {
    try await CleverTapPhone.run { stand, phone async throws in
      func statuses() throws -> Set<Int> {
        let batch = try phone.send([CleverTapPhone.launch])
        let inbox = try phone.send([CleverTapPhone.fetch(7)], path: "/inbox/v2/getMessages")
        return [try Self.hello(phone).status, batch.status, inbox.status]
      }
      #expect(try statuses() == [200])
      for (setting, status) in [
        (["account": "other"], 403), (["account": .null, "token": "other"], 401),
        (["token": "demo-token"], 200), (["expireTokens": true], 401),
      ] as [(JSON, Int)] {
        try await stand.emulator.configure("clevertap", setting)
        #expect(try statuses() == [status], "\(setting)")
      }
      #expect(!"\(await stand.emulator.requests())".contains("demo-token"))
    }
  }

  @Test("X18: an unknown path gives a 404 that lists the known paths")
  func unknownPath() async throws {
    try await CleverTapPhone.run { _, phone async throws in
      for (method, path) in [("GET", "/"), ("GET", "/a1"), ("POST", "/hello"), ("GET", "/files")] {
        let answer = try RawRequest(method, path).send(to: phone.endpoint)
        #expect(answer.status == 404)
        #expect(answer.json?["paths"]?.array?.contains("POST /a1") == true)
      }
    }
  }
}
