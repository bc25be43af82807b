import EngagementEmulator
import EngagementModel
import EngagementVendors
import Testing

/// What the items of a batch change.
@Suite(.timeLimit(.minutes(20))) struct CleverTapEventTests {
  @Test("C11: nothing is de-duplicated, and each event has its effect with its time")
  func twice() async throws {
    try await CleverTapPhone.run { stand, phone async throws in
      let items = [
        CleverTapPhone.event("Coffee ordered", ["size": "large"]), CleverTapPhone.page("menu"),
        CleverTapPhone.launch,
        CleverTapPhone.event(
          "Notification Clicked", ["wzrk_id": "7_20261122", "wzrk_c2a": "Reserve"]),
        CleverTapPhone.event("Notification Viewed", ["wzrk_id": "7_20261122", "wzrk_mid": "7_1"]),
        CleverTapPhone.fetch(4), CleverTapPhone.event("Charged", ["Amount": 3.5, "Items": [[:]]]),
      ]
      for _ in 0..<2 { try phone.good(items) }
      #expect(
        await stand.effects() == [
          "event Coffee ordered": 2, "page menu": 2, "App Launched ": 2,
          "Notification Clicked 7_20261122": 2, "Notification Viewed 7_1": 2, "wzrk_fetch 4": 2,
          "Charged ": 2,
        ])
      let click = await stand.emulator.requests().first?.effects[3]
      #expect(click?.id == "Reserve" && click?.time == CleverTapPhone.now)
      #expect(click?.user == "anonymous:g-1")
    }
  }

  @Test("C11: attributes are set, and each command has its effect, for one value or for a list")
  func commands() async throws {
    try await CleverTapPhone.run { stand, phone async throws in
      try phone.good([
        CleverTapPhone.profile(["Name": "Ada", "Phone": 359_888, "home": ["floor": 2]]),
        CleverTapPhone.profile(["drinks": ["$set": ["tea"]], "stamps": ["$incr": 3]]),
        CleverTapPhone.profile(["drinks": ["$add": "mocha"], "stamps": ["$decr": 1]]),
        CleverTapPhone.profile(["drinks": ["$remove": ["tea"]], "Name": ["$delete": 1]]),
        CleverTapPhone.profile(["home": ["floor": ["$incr": 1.5]]]),
        CleverTapPhone.profile(["Name": ["$delete": true]]),
      ])
      #expect(
        await stand.effects() == [
          "profile Name": 1, "profile Phone": 1, "profile home.floor": 1, "$set drinks": 1,
          "$incr stamps": 1, "$add drinks": 1, "$decr stamps": 1, "$remove drinks": 1,
          "$delete Name": 2, "$incr home.floor": 1,
        ])
    }
  }

  @Test(
    "C11: a command without a value that it can have is a fault",
    arguments: [
      ("$incr", "3"), ("$add", []), ("$set", [:]), ("$delete", 0), ("$remove", [true]),
    ] as [(String, JSON)])
  func wrongCommand(name: String, value: JSON) async throws {
    try await CleverTapPhone.run { stand, phone async throws in
      try phone.good([CleverTapPhone.profile(["stamps": .object([name: value])])])
      #expect(await stand.effects() == ["fault \(name) has no value that it can have": 1])
    }
  }

  @Test(
    "C11: a push token is registered and unregistered, and the record names only its fingerprint")
  func tokens() async throws {
    try await CleverTapPhone.run { stand, phone async throws in
      try phone.good([
        CleverTapPhone.token("register", "00ff11ee"),
        CleverTapPhone.token("unregister", "00ff11ee"),
        CleverTapPhone.token("register", "fcm-token", "fcm"),
      ])
      let effects = await stand.emulator.requests().flatMap(\.effects)
      #expect(effects.map(\.name) == ["register", "unregister", "register"])
      #expect(effects[0].subject == effects[1].subject && effects[1].subject != effects[2].subject)
      #expect(!"\(await stand.emulator.requests())".contains("00ff11ee"))
    }
  }

  @Test(
    "C11: after an opt-out an event is a fault, and the vendor's own are allowed if they should be")
  func optOut() async throws {
    try await CleverTapPhone.run { stand, phone async throws in
      func optOut(_ isOut: Bool, _ allows: Bool, at time: Int64) throws {
        let members: JSONObject = [
          "ct_optout": .bool(isOut), "ct_allow_sys_events_and_communication": .bool(allows),
        ]
        try phone.good([CleverTapPhone.profile(members, at: time)])
      }
      let start = CleverTapPhone.now
      let order = CleverTapPhone.event("Coffee ordered", at: start + 5)
      let launch = CleverTapPhone.event("App Launched", at: start + 5)
      try optOut(true, true, at: start)
      // It happened before, and was still on its way.
      try phone.good([CleverTapPhone.event("Coffee ordered", at: start), order, launch])
      try optOut(true, false, at: start + 1)
      try phone.good([launch])
      try optOut(false, true, at: start + 2)
      try phone.good([order])
      let effects = await stand.effects()
      #expect(effects["fault an event after the opt-out"] == 2)
      #expect(effects["event Coffee ordered"] == 2 && effects["App Launched "] == 1)
      #expect(effects["profile ct_optout"] == 3)
    }
  }

  @Test("C11: an event that the account discards has no effect, and the client is told its name")
  func discarded() async throws {
    try await CleverTapPhone.run { stand, phone async throws in
      #expect(try phone.good([CleverTapPhone.launch])["arp"] == nil)
      try await stand.emulator.configure(
        "clevertap", ["discardedEvents": ["Coffee ordered"], "arp": ["j_n": "x"]])
      let answer = try phone.good([CleverTapPhone.event("Coffee ordered")])
      #expect(answer["arp"] == ["j_n": "x", "d_e": ["Coffee ordered"]])
      #expect(await stand.effects() == ["App Launched ": 1])
    }
  }

  private static let long = String(repeating: "x", count: 1_025)
  private static let deep: JSON = ["a": ["b": ["c": ["d": 1]]]]

  @Test(
    "C11: names and values that each client cleans are faults",
    arguments: [
      (CleverTapPhone.event(long), "the name of an event is too long"),
      (
        CleverTapPhone.event("a.b"), "the name of an event has a character that is not allowed"
      ),
      (CleverTapPhone.event("a", [String(long.prefix(121)): 1]), "a key is too long"),
      (CleverTapPhone.event("a", ["k": .string(long)]), "a value is too long"),
      (CleverTapPhone.event("a", ["k": "it's"]), "a value has a character that is not allowed"),
      (CleverTapPhone.event("a", ["k$": 1]), "a key has a character that is not allowed"),
      (CleverTapPhone.event("a", ["k": .null]), "a value is null"),
      (
        CleverTapPhone.event("a", ["k": .array(Array(repeating: 1, count: 101))]),
        "a list is too long"
      ),
      (CleverTapPhone.profile(["k:": 1]), "a key has a character that is not allowed"),
      (
        CleverTapPhone.profile(["k": ["$add": [.string(long)]]]), "a value is too long"
      ),
    ] as [(JSON, String)])
  func limits(item: JSON, fault: String) async throws {
    try await CleverTapPhone.run { stand, phone async throws in
      try phone.good([item, CleverTapPhone.launch])
      #expect(await stand.effects() == ["fault \(fault)": 1, "App Launched ": 1])
    }
  }

  @Test("C11: values of 513 characters are a fault from the Android client alone")
  func androidLimits() async throws {
    try await CleverTapPhone.run { stand, original async throws in
      var phone = original
      let event = CleverTapPhone.event("a", ["k": .string(String(Self.long.prefix(513)))])
      try phone.good([event])
      phone.query = phone.query.replacing("iOS", with: "Android")
      try phone.good([event])
      #expect(await stand.effects() == ["event a": 1, "fault a value is too long": 1])
    }
  }
}
