import EngagementEmulator
import EngagementFormats
import EngagementJSON
import EngagementModel
import Testing

@Suite(.timeLimit(.minutes(20))) struct CleverTapCampaignTests {
  private static func list(_ answer: JSON, _ key: String) -> [JSON] { answer[key]?.array ?? [] }

  @Test("X18 C9: a launch brings the client-side campaigns, with the caps and the mode")
  func launch() async throws {
    try await CleverTapPhone.run { stand, phone async throws in
      try await stand.emulator.configure("clevertap", ["imc": 3, "imp": 7])
      let answer = try phone.good([CleverTapPhone.launch])
      #expect(answer["imc"] == 3 && answer["imp"] == 7 && answer["inapp_delivery_mode"] == "CS")
      let campaigns = Self.list(answer, "inapp_notifs_cs")
      #expect(campaigns.count == 4 && answer["inapp_notifs_ss"] == nil)
      #expect(campaigns.count { $0["suppressed"] == true } == 2)
      #expect(campaigns.count { $0["wzrk_cgId"]?.integer != nil } == 1)
      #expect(campaigns.count { $0["type"] == "custom-code" } == 3)
      #expect(campaigns.allSatisfy { $0["delivery"] == nil && $0["ti"]?.integer != nil })
      let file = campaigns.first?["vars"]?["picture"]?.string
      #expect(file == "\(phone.endpoint)/files/stamp.png")
    }
  }

  @Test("C9: a batch after a launch brings the mode and the caps, and no list that is known")
  func known() async throws {
    try await CleverTapPhone.run { stand, phone async throws in
      try phone.good([CleverTapPhone.launch])
      let next = try phone.good([CleverTapPhone.event("Coffee ordered")])
      #expect(next == ["imc": 10, "imp": 10, "inapp_delivery_mode": "CS"])
      let fetched = try phone.good([CleverTapPhone.fetch(5)])
      #expect(Self.list(fetched, "inapp_notifs_cs").count == 4)
    }
  }

  @Test(
    "C9: a server-side campaign is announced without its content and delivered when it is evaluated"
  )
  func serverSide() async throws {
    try await CleverTapPhone.run { stand, phone async throws in
      try await stand.emulator.configure("clevertap", ["deliveryMode": "SS"])
      let launch = try phone.good([CleverTapPhone.launch])
      #expect(launch["inapp_delivery_mode"] == "SS" && launch["inapp_notifs_cs"] == nil)
      #expect(Self.list(launch, "inapp_notifs_applaunched").count == 1)
      let announced = try #require(Self.list(launch, "inapp_notifs_ss").first)
      #expect(announced["vars"] == nil && announced["type"] == nil)
      #expect(announced["whenTriggers"]?.array?.first?["eventName"] == "Table reserved")
      let id = try #require(announced["ti"])
      let answer = try phone.good(
        [CleverTapPhone.event("Table reserved")], meta: ["inapps_eval": [id]])
      let delivered = try #require(Self.list(answer, "inapp_notifs").first)
      #expect(delivered["ti"] == id && delivered["vars"]?["title"] == "We kept your table")
      #expect(delivered["vars"]?["note"]?.string?.hasSuffix("/files/terms.txt") == true)
      let later = try phone.good([CleverTapPhone.fetch(6, ["tgtId": id])])
      #expect(Self.list(later, "inapp_notifs").first == delivered)
      let subject = "\(id.integer ?? 0)"
      #expect(await stand.emulator.times("inapps_eval", of: subject) == 1)
      try phone.good([CleverTapPhone.launch], meta: ["inapps_eval": ["12"]])
      #expect(
        await stand.emulator.times(
          "fault", of: "an evaluated campaign that was never announced") == 1)
    }
  }

  @Test("C9: without a mode both lists come and no mode")
  func noMode() async throws {
    try await CleverTapPhone.run { stand, phone async throws in
      try await stand.emulator.configure("clevertap", ["deliveryMode": .null])
      let answer = try phone.good([CleverTapPhone.launch])
      #expect(answer["inapp_delivery_mode"] == nil)
      #expect(Self.list(answer, "inapp_notifs_cs").count == 4)
      #expect(Self.list(answer, "inapp_notifs_ss").count == 1)
    }
  }

  @Test("C9: suppressed campaigns that a client reports are counted")
  func suppressed() async throws {
    try await CleverTapPhone.run { stand, phone async throws in
      let reports: JSON = [
        ["wzrk_id": "7_20261122", "wzrk_pivot": "wzrk_default", "wzrk_cgId": 3],
        ["wzrk_id": "8_20261122", "wzrk_pivot": "wzrk_default"],
      ]
      try phone.good([CleverTapPhone.launch], meta: ["inapps_suppressed": reports])
      #expect(
        await stand.effects() == [
          "App Launched ": 1, "inapps_suppressed 7_20261122": 1, "inapps_suppressed 8_20261122": 1,
        ])
    }
  }

  @Test(
    "C9: a new campaign comes with the next batch, a changed one too, and a removed one is stale")
  func changes() async throws {
    try await CleverTapPhone.run { stand, phone async throws in
      try phone.good([CleverTapPhone.launch])
      func next() throws -> JSON { try phone.good([CleverTapPhone.event("Coffee ordered")]) }
      let item = try await stand.emulator.put(
        ["ti": 77, "type": "custom-code", "templateName": "offer", "vars": [:]], in: "clevertap")
      #expect(item["delivery"] == "inapp_notifs_cs" && item["wzrk_id"] == "77_20261122")
      #expect(Self.list(try next(), "inapp_notifs_cs").count == 5)
      #expect(try next()["inapp_notifs_cs"] == nil)
      try await stand.emulator.put(["ti": 77, "delivery": "inapp_notifs"], in: "clevertap")
      let moved = try next()
      #expect(Self.list(moved, "inapp_notifs_cs").count == 4)
      #expect(Self.list(moved, "inapp_notifs").first?["templateName"] == "offer")
      #expect(try await stand.emulator.remove("77", from: "clevertap"))
      #expect(try next()["inapp_stale"] == ["77"])
      #expect(try next()["inapp_stale"] == nil)
      #expect(try await stand.emulator.remove("77", from: "clevertap") == false)
    }
  }

  @Test("C9: a campaign ends by the emulator's clock")
  func end() async throws {
    try await CleverTapPhone.run { stand, phone async throws in
      await stand.emulator.advanceClock(by: .seconds(31 * 86_400))
      #expect(try phone.good([CleverTapPhone.launch])["inapp_notifs_cs"] == [])
    }
  }

  @Test(
    "C9: what a client fetches that this account has none of comes empty", arguments: [0, 1, 4])
  func fetched(t: Int64) async throws {
    try await CleverTapPhone.run { stand, phone async throws in
      let keys = [0: "pc_notifs", 1: "ff_notifs", 4: "vars"]
      let answer = try phone.good([CleverTapPhone.fetch(t)])
      #expect(answer[keys[Int(t)] ?? ""]?.object != nil)
      #expect(await stand.emulator.times("wzrk_fetch", of: "\(t)") == 1)
    }
  }

  @Test(
    "C9: a campaign that the vendor could not have is refused",
    arguments: [
      [], "x", ["ti": ""], ["ti": []], ["ti": 7, "delivery": "later"], ["ti": 7, "delivery": 1],
    ] as [JSON])
  func refused(item: JSON) async throws {
    try await CleverTapPhone.run { stand, _ async throws in
      let before = try await stand.emulator.items(of: "clevertap")
      await #expect(throws: EngagementError.self) {
        try await stand.emulator.put(item, in: "clevertap")
      }
      #expect(try await stand.emulator.items(of: "clevertap") == before)
    }
  }
}
