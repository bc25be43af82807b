import EngagementEmulator
import EngagementFormats
import EngagementModel
import Foundation
import Testing

/// What a client reads from the emulated Braze's configuration, and what a test may set there.
@Suite(.timeLimit(.minutes(20))) struct BrazeSettingsTests {
  private static func config(_ stand: Stand) throws -> JSON {
    try #require(try stand.data(["respond_with": ["config": ["config_time": 0]]])["config"])
  }

  @Test(
    "B6: the limits of requests and of endpoints, and the way to wait, are in the configuration")
  func limits() async throws {
    try await Stand.run(vendors: ["braze"]) { stand async throws in
      let first = try Self.config(stand)
      #expect(first["global_request_rate_limit"]?["endpoint_overrides"] == nil)
      #expect(first["request_backoff"] == nil)
      try await stand.emulator.configure(
        "braze",
        [
          "requestLimit": ["capacity": 12, "refillRate": 1.5],
          "endpointLimits": ["content_cards/sync": ["capacity": 2, "refillRate": 60.5]],
          "requestBackoff": ["shortest": 500, "longest": 3_000, "factor": 1.5],
        ])
      let config = try Self.config(stand)
      let limit = config["global_request_rate_limit"]
      #expect(limit?["enabled"] == true && limit?["capacity"] == 12)
      #expect(limit?["refill_rate"] == 1.5)
      #expect(
        limit?["endpoint_overrides"]
          == ["content_cards/sync": ["capacity": 2, "refill_rate": 60.5]])
      #expect(
        config["request_backoff"]
          == [
            "min_sleep_duration_ms": 500, "max_sleep_duration_ms": 3_000, "scale_factor": 1.5,
          ])
      try await stand.emulator.configure(
        "braze", ["requestBackoff": .null, "endpointLimits": [:]])
      let last = try Self.config(stand)
      #expect(last["request_backoff"] == nil)
      #expect(last["global_request_rate_limit"]?["endpoint_overrides"] == nil)
      #expect(last["global_request_rate_limit"]?["capacity"] == 12)
    }
  }

  @Test("B6: a success asks for a pause while the emulator is told to")
  func pause() async throws {
    try await Stand.run(vendors: ["braze"]) { stand async throws in
      func pause() throws -> String? {
        try RawRequest("POST", "/api/v3/data", Stand.body()).send(to: stand.braze)
          .header("Retry-After")
      }
      #expect(try pause() == nil)
      try await stand.emulator.configure("braze", ["dataPause": 7])
      #expect(try pause() == "7")
      try await stand.emulator.configure("braze", ["dataPause": .null])
      #expect(try pause() == nil)
    }
  }

  @Test(
    "a setting with a wrong value is refused by name, and changes nothing",
    arguments: [
      ("requestLimit.refillRate", ["requestLimit": ["capacity": 12]]),
      ("requestLimit.refillRate", ["requestLimit": ["capacity": 12, "refillRate": 0]]),
      (
        "endpointLimits.data.capacity",
        ["endpointLimits": ["data": ["capacity": -1, "refillRate": 1]]]
      ),
      ("endpointLimits.session", ["endpointLimits": ["session": ["refillRate": 1]]]),
      ("requestBackoff.scale", ["requestBackoff": ["scale": 2]]),
      ("dataPause", ["dataPause": "soon"]),
    ] as [(String, JSON)])
  func wrong(name: String, settings: JSON) async throws {
    try await Stand.run(vendors: ["braze"]) { stand async throws in
      let before = try Self.config(stand)
      let error = await #expect(throws: EngagementError.self) {
        try await stand.emulator.configure("braze", settings)
      }
      #expect(error?.message.contains(name) == true, "\(error?.message ?? "")")
      #expect(try Self.config(stand) == before)
    }
  }

  @Test("the stamps of many changes within a second differ, and none is ahead of the clock")
  func stamps() async throws {
    try await Stand.run(vendors: ["braze"]) { stand async throws in
      let now = Int64(Stand.start.timeIntervalSince1970)
      var sync = try stand.sync()
      var marks: Set<Int64> = []
      for number in 1...40 {
        try await stand.emulator.put(
          ["id": .string("n-\(number)"), "tp": "short_news"], in: "braze")
        sync = try stand.sync(after: sync)
        #expect(sync.cards.keys.sorted() == ["n-\(number)"])
        for card in sync.cards.values { #expect(try #require(card["ca"]?.integer) <= now) }
        for mark in ["last_full_sync_at", "last_card_updated_at"] {
          #expect(try #require(sync[mark]?.integer) <= now, "\(mark)")
        }
        marks.insert(try #require(sync["last_card_updated_at"]?.integer))
      }
      #expect(marks.count == 40)
      try await stand.emulator.configure("braze", ["cardsEnabled": true])
      #expect(try #require(try Self.config(stand)["time"]?.integer) <= now)
    }
  }
}
