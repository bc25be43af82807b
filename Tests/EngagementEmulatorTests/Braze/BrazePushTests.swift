import EngagementEmulator
import EngagementModel
import Testing

@Suite(.timeLimit(.minutes(20))) struct BrazePushTests {
  @Test("an APNs push has the vendor's members and the card that it carries")
  func apns() async throws {
    try await Stand.run(vendors: ["braze"]) { stand async throws in
      let id = try #require(try stand.sync().cards.keys.sorted().first)
      let push = try await stand.emulator.push(
        [
          "title": "T", "body": "B", "url": "https://harbour.example.com", "webView": true,
          "item": .string(id), "user": "u-1", "extras": ["k": "v", "aps": "not this"],
        ], from: "braze")
      #expect(push["aps"] == ["alert": ["title": "T", "body": "B"]])
      #expect(push["ab"]?["ab_cd"]?["id"] == .string(id) && push["ab"]?["ab_cd"]?["t"] == true)
      #expect(push["ab"]?["ab_cd_uid"] == "u-1")
      #expect(push["ab_uri"] == "https://harbour.example.com" && push["ab_use_webview"] == true)
      #expect(push["k"] == "v")
    }
  }

  @Test("a silent push has no alert, and an FCM push has only text values")
  func others() async throws {
    try await Stand.run(vendors: ["braze"]) { stand async throws in
      let id = try #require(try stand.sync().cards.keys.sorted().first)
      let silent = try await stand.emulator.push(["silent": true], from: "braze")
      #expect(silent["aps"] == ["content-available": 1] && silent["ab"]?["c"] != nil)
      let fcm = try await stand.emulator.push(
        [
          "platform": "fcm", "title": "T", "webView": false, "item": .string(id), "user": "u-1",
          "extras": ["t": "v"],
        ], from: "braze")
      #expect(fcm["extra"] == #"{"t":"v"}"#, "the pairs travel as one text")
      #expect(fcm["t"] == "T" && fcm["_ab"] == "true" && fcm["ab_use_webview"] == "false")
      #expect(fcm["ab_cd"]?.string?.contains(id) == true && fcm["ab_cd_uid"] == "u-1")
      #expect(fcm.object?.members.allSatisfy { $0.value.string != nil } == true)
    }
  }

  @Test(
    "an invalid push is refused",
    arguments: [
      ["item": "nobody"], ["platform": "pigeon"], ["title": 7], ["tittle": "x"], [],
    ] as [JSON])
  func refused(message: JSON) async throws {
    try await Stand.run(vendors: ["braze"]) { stand async throws in
      await #expect(throws: EngagementError.self) {
        try await stand.emulator.push(message, from: "braze")
      }
    }
  }

  @Test(
    "an invalid card is refused",
    arguments: [[], ["id": ""], ["id": 7], "card"] as [JSON])
  func refusedCards(item: JSON) async throws {
    try await Stand.run(vendors: ["braze"]) { stand async throws in
      let before = try await stand.emulator.items(of: "braze")
      await #expect(throws: EngagementError.self) {
        try await stand.emulator.put(item, in: "braze")
      }
      #expect(try await stand.emulator.items(of: "braze") == before)
    }
  }

  @Test(
    "an invalid setting gives an error with its name and changes nothing",
    arguments: [
      ("cardsEnable", ["cardsEnable": true]), ("cardsEnabled", ["cardsEnabled": 1]),
      ("authentication", ["authentication": "maybe"]),
      ("eventsBlacklist", ["eventsBlacklist": [1]]),
      ("minimumSessionTimeout", ["minimumSessionTimeout": -1]),
      ("rateLimit.", ["rateLimit": ["x": 1]]),
      ("syncLimit.refillSeconds", ["syncLimit": ["refillSeconds": 0]]),
    ] as [(String, JSON)])
  func wrongSettings(name: String, settings: JSON) async throws {
    try await Stand.run(vendors: ["braze"]) { stand async throws in
      let error = await #expect(throws: EngagementError.self) {
        try await stand.emulator.configure("braze", settings)
      }
      #expect(error?.code == .invalidArgument && error?.message.contains(name) == true)
      #expect(try stand.sync().cards.count == 12)
    }
  }

  @Test("an unknown vendor gives an error that lists the started vendors")
  func notStarted() async throws {
    try await Stand.run(vendors: ["braze"]) { stand async throws in
      let error = await #expect(throws: EngagementError.self) {
        _ = try await stand.emulator.items(of: "brase")
      }
      #expect(error?.code == .notFound && error?.message.contains("braze") == true)
    }
  }
}
