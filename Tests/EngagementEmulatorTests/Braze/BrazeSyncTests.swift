import EngagementEmulator
import EngagementFormats
import EngagementModel
import Testing

@Suite(.timeLimit(.minutes(20))) struct BrazeSyncTests {
  @Test("X18: the seeded feed has every kind of card, with ids that Braze clients accept")
  func seededFeed() async throws {
    try await Stand.run(vendors: ["braze"]) { stand async throws in
      let answer = try stand.sync()
      let cards = try #require(answer["cards"]?.array)
      #expect(answer["full_sync"] == true && answer["message"] == "success")
      #expect(
        Set(cards.compactMap { $0["tp"]?.string }) == [
          "short_news", "text_announcement", "captioned_image", "banner_image", "control",
          "hologram",
        ])
      #expect(cards.count == 12)
      #expect(cards.contains { $0["p"] == true } && cards.contains { $0["p"] == 1 })
      #expect(cards.contains { $0["v"] == 0 } && cards.contains { $0["v"] == false })
      #expect(cards.contains { $0["ar"]?.string != nil })
      #expect(!cards.contains { $0["t"] == true }, "a test card comes by push alone")
      let items = try await stand.emulator.items(of: "braze")
      #expect(items.count == 13 && items.contains { $0["t"] == true })
      for card in cards {
        let id = try #require(card["id"]?.string.flatMap { Base64.bytes(from: $0) })
        let text = String(decoding: id, as: UTF8.self)
        #expect(
          text.wholeMatch(of: /[0-9a-f]{24}_\$_cc=[0-9a-f-]{36}&mv=[0-9a-f]{24}&pi=cmp/) != nil)
        if card["tp"] != "control" {
          for key in ["tt", "ds", "u", "uw", "ca", "ea", "v", "cl", "p", "r", "db", "t", "e"] {
            #expect(card[key] != nil, "\(key) of \(text)")
          }
        }
      }
    }
  }

  @Test("the same seed gives the same feed, and another seed gives another feed")
  func determinism() async throws {
    var feeds: [JSON] = []
    for seed: UInt64 in [7, 7, 8] {
      let emulator = try await Emulator.start(
        .init(Stand.registrations, vendors: ["braze"], seed: seed, clock: Stand.start))
      feeds.append(.array(try await emulator.items(of: "braze")))
      await emulator.stop()
    }
    #expect(feeds[0] == feeds[1] && feeds[0] != feeds[2])
  }

  @Test("outside a session a sync lists no card and gives no watermark, and no event has an effect")
  func sessions() async throws {
    try await Stand.run(vendors: ["braze"]) { stand async throws in
      let outside = try stand.sync(inSession: false)
      #expect(outside["cards"] == [] && outside["full_sync"] == true)
      #expect(outside["last_full_sync_at"] == 0 && outside["last_card_updated_at"] == 0)
      try stand.data(["events": [["name": "ce", "time": 1, "data": ["n": "lost"]]]])
      #expect(await stand.emulator.requests().flatMap(\.effects).isEmpty)
      #expect(
        await stand.emulator.requests().last?.summary
          == "1 events, 0 effects of ada, 1 events outside a session")
      let full = try stand.sync()
      #expect(full.cards.count == 12)
      #expect(try stand.sync(user: "bea", inSession: false).cards.isEmpty, "a session is a user's")
      #expect(try stand.sync(user: "bea").cards.count == 12)
      try stand.data(user: "bea", ["events": [Stand.event("se", [:])]])
      #expect(try stand.sync(user: "bea", inSession: false).cards.isEmpty, "it has ended")
      try await stand.emulator.configure("braze", ["requiresSession": false])
      #expect(try stand.sync(user: "bea", inSession: false).cards.count == 12)
    }
  }

  @Test("a delta without changes is empty and repeats the watermarks")
  func emptyDelta() async throws {
    try await Stand.run(vendors: ["braze"]) { stand async throws in
      let full = try stand.sync()
      let delta = try stand.sync(after: full)
      #expect(delta["full_sync"] == false && delta["cards"] == [])
      for mark in ["last_full_sync_at", "last_card_updated_at"] {
        #expect(delta[mark] == full[mark])
      }
    }
  }

  @Test("a changed card is in the next delta only, with a later timestamp")
  func changedCard() async throws {
    try await Stand.run(vendors: ["braze"]) { stand async throws in
      let full = try stand.sync()
      let id = try #require(full["cards"]?.array?.first?["id"])
      try await stand.emulator.put(["id": id, "tt": "Changed"], in: "braze")
      let delta = try stand.sync(after: full)
      let card = try #require(delta["cards"]?.array?.first)
      #expect(delta["cards"]?.array?.count == 1 && card["id"] == id && card["tt"] == "Changed")
      #expect(card["ca"]?.integer ?? 0 > full["last_card_updated_at"]?.integer ?? .max)
      #expect(card["tp"] == full["cards"]?.array?.first?["tp"])
      #expect(try stand.sync(after: delta)["cards"] == [])
    }
  }

  @Test("two changes within one second each arrive in their own delta")
  func stampsDiffer() async throws {
    try await Stand.run(vendors: ["braze"]) { stand async throws in
      let full = try stand.sync()
      try await stand.emulator.put(["id": "a", "tp": "short_news"], in: "braze")
      let first = try stand.sync(after: full)
      try await stand.emulator.put(["id": "b", "tp": "short_news"], in: "braze")
      let second = try stand.sync(after: first)
      #expect(first.cards.keys.sorted() == ["a"] && second.cards.keys.sorted() == ["b"])
    }
  }

  @Test("a removed card is a tombstone in a delta and absent from a full sync")
  func tombstone() async throws {
    try await Stand.run(vendors: ["braze"]) { stand async throws in
      let full = try stand.sync()
      let id = try #require(full["cards"]?.array?.first?["id"]?.string)
      #expect(try await stand.emulator.remove(id, from: "braze"))
      #expect(try await stand.emulator.remove(id, from: "braze") == false)
      #expect(try stand.sync(after: full)["cards"] == [["id": .string(id), "r": true]])
      #expect(try stand.sync().cards[id] == nil)
    }
  }

  @Test("a removed test card has no tombstone")
  func removedTestCard() async throws {
    try await Stand.run(vendors: ["braze"]) { stand async throws in
      let full = try stand.sync()
      let items = try await stand.emulator.items(of: "braze")
      let test = try #require(items.first { $0["t"] == true }?["id"]?.string)
      #expect(full.cards[test] == nil)
      #expect(try await stand.emulator.remove(test, from: "braze"))
      #expect(try stand.sync(after: full)["cards"] == [])
      #expect(try stand.sync().cards[test] == nil)
    }
  }

  @Test("an impression, a click and a dismissal affect one user on every device")
  func userState() async throws {
    try await Stand.run(vendors: ["braze"]) { stand async throws in
      let full = try stand.sync()
      let ids = full.cards.filter { $0.value["db"] == true }.keys.sorted()
      try stand.data([
        "events": [
          Stand.event("cci", ["ids": [.string(ids[0])]]),
          Stand.event("ccc", ["ids": [.string(ids[1])]]),
          Stand.event("ccd", ["ids": [.string(ids[2])]]),
        ]
      ])
      let delta = try stand.sync(after: full, device: "d-2").cards
      #expect(delta.count == 3)
      #expect(delta[ids[0]]?["v"] == true && delta[ids[0]]?["cl"] == false)
      #expect(delta[ids[1]]?["v"] == true && delta[ids[1]]?["cl"] == true)
      #expect(delta[ids[2]] == ["id": .string(ids[2]), "r": true])
      #expect(try stand.sync().cards[ids[2]] == nil)
      #expect(try stand.sync(user: "bob").cards[ids[2]]?["v"] == false)
    }
  }

  @Test("a pinned card that is not dismissible stays after a dismissal")
  func notDismissible() async throws {
    try await Stand.run(vendors: ["braze"]) { stand async throws in
      let id = try #require(
        try stand.sync().cards.first { $0.value["p"] == true && $0.value["db"] == false }?.key)
      try stand.data(["events": [Stand.event("ccd", ["ids": [.string(id)]])]])
      #expect(try stand.sync().cards[id] != nil)
      #expect(await stand.emulator.times("ccd", of: id, by: "ada") == 1)
    }
  }

  @Test("expired cards leave the full sync")
  func expiry() async throws {
    try await Stand.run(vendors: ["braze"]) { stand async throws in
      let before = try stand.sync().cards.count
      await stand.emulator.advanceClock(by: .seconds(2 * 86_400))
      #expect(try stand.sync().cards.count == before - 1)
      await stand.emulator.advanceClock(by: .seconds(30 * 86_400))
      #expect(try stand.sync().cards.count == before - 3)
    }
  }

  @Test("old, unknown and future watermarks lead to a full sync")
  func badWatermarks() async throws {
    try await Stand.run(vendors: ["braze"]) { stand async throws in
      let full = try stand.sync()
      let mark = try #require(full["last_full_sync_at"]?.integer)
      #expect(try stand.sync(full: mark, updated: mark + 86_400)["full_sync"] == true)
      #expect(try stand.sync(full: 0, updated: mark)["full_sync"] == true)
      #expect(try stand.sync(full: mark, updated: 0)["full_sync"] == true)
      await stand.emulator.advanceClock(by: .seconds(86_401))
      #expect(try stand.sync(after: full)["full_sync"] == true)
    }
  }

  @Test("disabled cards leave the sync, and the configuration reports them as disabled")
  func cardsDisabled() async throws {
    try await Stand.run(vendors: ["braze"]) { stand async throws in
      let full = try stand.sync()
      try await stand.emulator.configure("braze", ["cardsEnabled": false])
      let config = try stand.data(["respond_with": ["config": ["config_time": 0]]])["config"]
      #expect(config?["content_cards"]?["enabled"] == false)
      let answer = try stand.sync(after: full)
      #expect(answer["full_sync"] == true && answer["cards"] == [])
    }
  }

  @Test("a sync above the device's limit gets a 429 with Retry-After")
  func syncLimit() async throws {
    try await Stand.run(vendors: ["braze"]) { stand async throws in
      try await stand.emulator.configure(
        "braze", ["syncLimit": ["capacity": 2, "refillSeconds": 180]])
      _ = try stand.sync()
      _ = try stand.sync()
      let request = RawRequest("POST", "/api/v3/content_cards/sync", Stand.body())
      let refused = try request.send(to: stand.braze)
      #expect(refused.status == 429 && refused.header("Retry-After") == "180")
      _ = try stand.sync(device: "d-2")
      await stand.emulator.advanceClock(by: .seconds(180))
      _ = try stand.sync()
      #expect(try request.send(to: stand.braze).status == 429)
      try await stand.emulator.configure("braze", ["syncLimit": .null])
      _ = try stand.sync()
    }
  }

  @Test("a user has at most 250 cards, the newest ones")
  func limit() async throws {
    try await Stand.run(vendors: ["braze"]) { stand async throws in
      for number in 1...250 {
        try await stand.emulator.put(
          ["id": .string("n-\(number)"), "tp": "short_news"], in: "braze")
      }
      let cards = try stand.sync().cards
      #expect(cards.count == 250 && cards.keys.allSatisfy { $0.hasPrefix("n-") })
    }
  }
}
