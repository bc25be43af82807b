import EngagementEmulator
import EngagementModel
import EngagementVendors
import Testing

@Suite(.timeLimit(.minutes(20))) struct BrazeDataTests {
  @Test("each event is one effect, and a repeated event counts again")
  func effects() async throws {
    try await Stand.run(vendors: ["braze"]) { stand async throws in
      let events: JSON = [
        Stand.event("ss", [:]), Stand.event("se", ["d": 30]),
        Stand.event("ce", ["n": "ordered", "p": ["sku": "1"]]),
        Stand.event("p", ["pid": "sku-1", "c": "EUR", "p": 9.99, "q": 2]),
        Stand.event("cci", ["ids": ["a", "b"]]), Stand.event("ccic", ["ids": ["c"]]),
        Stand.event("ccc", ["ids": ["a"]]), Stand.event("ccd", ["ids": ["b"]]),
        Stand.event("pc", ["cid": "campaign"]), Stand.event("ffi", ["fid": "flag"]),
        Stand.event("uae", ["a": "someone@example.com", "l": "email"]),
        Stand.event("sgu", ["group_id": "g", "status": "subscribed"]),
        Stand.event("si", ["trigger_ids": ["t-1", "t-2"]]), ["time": 1], 7,
      ]
      #expect(try stand.data(["events": events])["message"] == "success")
      try stand.data(["events": events])
      let expected = [
        ("ss", "s-1"), ("se", "s-1"), ("ce", "ordered"), ("p", "sku-1"), ("cci", "a"),
        ("cci", "b"), ("ccic", "c"), ("ccc", "a"), ("ccd", "b"), ("pc", "campaign"),
        ("ffi", "flag"), ("uae", "email"), ("sgu", "g"), ("si", "t-1,t-2"),
      ].map { VendorEffect($0.0, of: $0.1, by: "ada") }
      let requests = await stand.emulator.requests()
      #expect(requests.map(\.effects) == [expected, expected])
      #expect(await stand.emulator.times("cci") == 4)
      #expect(await stand.emulator.times("cci", of: "a", by: "ada") == 2)
      #expect(await stand.emulator.times("cci", of: "a", by: "bob") == 0)
    }
  }

  @Test("attributes and push tokens are recorded without their values")
  func attributes() async throws {
    try await Stand.run(vendors: ["braze"]) { stand async throws in
      try stand.data([
        "attributes": [
          [
            "user_id": "ada", "email": "ada@example.com", "push_token": "00ffee11",
            "custom": ["tier": "gold", "old": .null],
          ]
        ]
      ])
      let names = await stand.emulator.requests()[0].effects.map(\.name)
      #expect(names == ["attribute", "push_token", "attribute", "attribute"])
      #expect(await stand.emulator.times("attribute", of: "custom.tier", by: "ada") == 1)
      let record = "\(await stand.emulator.requests())"
      #expect(!record.contains("00ffee11") && !record.contains("ada@example.com"))
      #expect(await stand.emulator.times("push_token") == 1)
    }
  }

  @Test("the configuration is sent only if the client's is older")
  func configuration() async throws {
    try await Stand.run(vendors: ["braze"]) { stand async throws in
      func config(_ time: JSON) throws -> JSON? {
        try stand.data(["respond_with": ["config": ["config_time": time]]])["config"]
      }
      let config = try #require(try config(0))
      for key in ["events_blacklist", "attributes_blacklist", "purchases_blacklist"] {
        #expect(config[key] == [])
      }
      #expect(config["content_cards"]?["enabled"] == true)
      let time = try #require(config["time"])
      #expect(try stand.data(["respond_with": ["config": ["config_time": time]]])["config"] == nil)
      try await stand.emulator.configure(
        "braze",
        [
          "eventsBlacklist": ["secret"], "messagingSessionTimeout": 30, "minimumSessionTimeout": 20,
        ])
      let changed = try stand.data(["respond_with": ["config": ["config_time": time]]])["config"]
      #expect(changed?["events_blacklist"] == ["secret"])
      #expect(changed?["messaging_session_timeout"] == 30)
      #expect(changed?["minimum_session_timeout"] == 20)
      #expect(try stand.data([:])["config"] == nil)
    }
  }

  @Test("a blacklisted event, purchase or attribute has no effect")
  func blacklists() async throws {
    try await Stand.run(vendors: ["braze"]) { stand async throws in
      try await stand.emulator.configure(
        "braze",
        [
          "eventsBlacklist": ["e"], "purchasesBlacklist": ["p"], "attributesBlacklist": ["a"],
        ])
      try stand.data([
        "events": [Stand.event("ce", ["n": "e"]), Stand.event("p", ["pid": "p"])],
        "attributes": [["custom": ["a": 1]]],
      ])
      #expect(await stand.emulator.effects().isEmpty)
    }
  }

  @Test("triggers are sent on request, and a template is filled in")
  func triggers() async throws {
    try await Stand.run(vendors: ["braze"]) { stand async throws in
      let triggers = try stand.data(["respond_with": ["triggers": true]])["triggers"]?.array
      #expect(triggers?.count == 1 && triggers?.first?["type"] == "inapp")
      #expect(try stand.data([:])["triggers"] == nil)
      let answer = try RawRequest(
        "POST", "/api/v3/template", Stand.body(["template": ["trigger_id": "t-1"]])
      ).send(to: stand.braze)
      #expect(answer.json?["templated_message"]?["data"]?["trigger_id"] == "t-1")
    }
  }

  @Test(
    "a request that Braze would refuse gets an error inside a 200",
    arguments: [
      ("invalid_api_key", ["device_id": "d"]),
      ("invalid_api_key", ["api_key": "", "device_id": "d"]),
      ("no_device_identifier", ["api_key": "key"]),
      ("blacklisted", ["api_key": "blocked", "device_id": "d"]),
    ] as [(String, JSON)])
  func bodyErrors(error: String, body: JSON) async throws {
    try await Stand.run(vendors: ["braze"]) { stand async throws in
      try await stand.emulator.configure("braze", ["blockedAPIKeys": ["blocked"]])
      for path in ["/api/v3/data", "/api/v3/content_cards/sync"] {
        let answer = try RawRequest("POST", path, body).send(to: stand.braze)
        #expect(answer.status == 200 && answer.json?["error"] == .string(error))
      }
      #expect(await stand.emulator.effects().isEmpty)
    }
  }

  @Test(
    "a body that is not a JSON object is refused with 400", arguments: ["", "[]", "{", "\u{0}"])
  func unreadable(body: String) async throws {
    try await Stand.run(vendors: ["braze"]) { stand async throws in
      var request = RawRequest("POST", "/api/v3/data")
      request.body = Array(body.utf8)
      #expect(try request.send(to: stand.braze).status == 400)
    }
  }

  @Test("an unknown path gives a 404 that lists the known paths")
  func unknownPath() async throws {
    try await Stand.run(vendors: ["braze"]) { stand async throws in
      for (method, path) in [("GET", "/api/v3/data"), ("POST", "/api/v3/dta"), ("POST", "/%zz")] {
        let answer = try RawRequest(method, path).send(to: stand.braze)
        #expect(answer.status == 404)
        #expect(answer.json?["paths"]?.array?.contains("POST /api/v3/data") == true)
      }
    }
  }

  @Test("the first user adopts the anonymous user's card state")
  func adoption() async throws {
    try await Stand.run(vendors: ["braze"]) { stand async throws in
      let id = try #require(try stand.sync(user: nil).cards.keys.sorted().first)
      try stand.data(user: nil, ["events": [Stand.event("cci", ["ids": [.string(id)]])]])
      #expect(await stand.emulator.times("cci", of: id, by: "anonymous:d-1") == 1)
      #expect(BrazeDataTests.isViewed(try stand.sync(user: "ada").cards[id]))
      #expect(!BrazeDataTests.isViewed(try stand.sync(user: "bob").cards[id]))
    }
  }

  private static func isViewed(_ card: JSON?) -> Bool { card?["v"] == true || card?["v"] == 1 }

  @Test("an event that names a user counts for that user")
  func eventUser() async throws {
    try await Stand.run(vendors: ["braze"]) { stand async throws in
      try stand.data(user: "ada", ["events": [Stand.event("ce", ["n": "late"], user: "bob")]])
      #expect(await stand.emulator.times("ce", of: "late", by: "bob") == 1)
    }
  }
}
