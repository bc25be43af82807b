import EngagementAdapterAPI
import EngagementEmulator
import EngagementFormats
import EngagementJSON
import EngagementModel
import EngagementVendors
import Testing

@testable import EngagementCleverTapTools

/// Pushes, settings and what the laws need.
@Suite(.timeLimit(.minutes(20))) struct CleverTapControlTests {
  @Test("X18: an APNs push has the vendor's members, its extras and what travels with it")
  func apns() async throws {
    try await CleverTapPhone.run { stand, phone async throws in
      let id = try #require(try phone.inbox().first?["_id"])
      let push = try await stand.emulator.push(
        [
          "title": "T", "body": "B", "url": "harbour://menu", "image": "https://a.example/i.png",
          "item": id, "raiseViewed": true, "extras": ["k": "v", "aps": "not this", "wzrk_id": "x"],
        ], from: "clevertap")
      #expect(
        push["aps"] == ["alert": ["title": "T", "body": "B"], "mutable-content": 1])
      #expect(push["wzrk_id"]?.string?.hasSuffix("_20261122") == true && push["k"] == "v")
      #expect(push["wzrk_dl"] == "harbour://menu" && push["wzrk_rnv"] == true)
      #expect(push["wzrk_pivot"] == "wzrk_default" && push["wzrk_pid"]?.string != nil)
      #expect(push["ct_mediaUrl"] == "https://a.example/i.png")
      let preview = try JSON(parsing: Array((push["wzrk_inbox"]?.string ?? "").utf8))
      #expect(preview["_id"] == id)
    }
  }

  @Test("X18: a silent push has no alert, and an FCM push has only text values")
  func others() async throws {
    try await CleverTapPhone.run { stand, phone async throws in
      let silent = try await stand.emulator.push(["silent": true], from: "clevertap")
      #expect(silent["aps"] == ["content-available": 1] && silent["wzrk_pn_s"] == true)
      let campaign = try #require(
        try phone.good([CleverTapPhone.launch])["inapp_notifs_cs"]?.array?[0])
      let fcm = try await stand.emulator.push(
        [
          "platform": "fcm", "title": "T", "extras": ["n": 7], "image": "https://a.example/i.png",
          "item": .string("\(campaign["ti"]?.integer ?? 0)"),
        ], from: "clevertap")
      #expect(fcm["nt"] == "T" && fcm["wzrk_pn"] == "true" && fcm["n"] == "7")
      #expect(fcm["wzrk_bp"] == "https://a.example/i.png" && fcm["wzrk_inapp"]?.string != nil)
      #expect(fcm.object?.members.allSatisfy { $0.value.string != nil } == true)
      let hidden = try await stand.emulator.push(
        ["platform": "fcm", "silent": true], from: "clevertap")
      #expect(hidden["nt"] == nil && hidden["wzrk_pn_s"] == "true")
    }
  }

  @Test(
    "X18: an invalid push is refused",
    arguments: [["item": "nobody"], ["platform": "pigeon"], ["title": 7], ["tittle": "x"], []]
      as [JSON])
  func refused(message: JSON) async throws {
    try await CleverTapPhone.run { stand, _ async throws in
      await #expect(throws: EngagementError.self) {
        try await stand.emulator.push(message, from: "clevertap")
      }
    }
  }

  @Test(
    "X18: an invalid setting gives an error with its name and changes nothing",
    arguments: [
      ("mute", ["mute": true]), ("muted", ["muted": 1]), ("muteSeconds", ["muteSeconds": -1]),
      ("deliveryMode", ["deliveryMode": "cs"]), ("imc", ["imc": "3", "muted": true]),
      ("arp", ["muted": true, "arp": []]), ("discardedEvents", ["discardedEvents": [1]]),
      ("account", ["account": 7]), ("inboxV1", ["inboxV1": "yes"]),
    ] as [(String, JSON)])
  func wrongSettings(name: String, settings: JSON) async throws {
    try await CleverTapPhone.run { stand, phone async throws in
      let error = await #expect(throws: EngagementError.self) {
        try await stand.emulator.configure("clevertap", settings)
      }
      #expect(error?.code == .invalidArgument && error?.message.contains(name) == true)
      let answer = try phone.send([CleverTapPhone.event("Coffee ordered")])
      #expect(answer.header("X-WZRK-MUTE") == nil && answer.json?["arp"] == nil)
    }
  }

  @Test("X18: the seeds of two servers give the same items, and no seed gives none")
  func seeds() throws {
    let first = CleverTapServer(seed: 7, at: Stand.start)
    #expect(first.items == CleverTapServer(seed: 7, at: Stand.start).items)
    #expect(first.items != CleverTapServer(seed: 8, at: Stand.start).items)
    #expect(first.items.count == 15)
    #expect(CleverTapServer(seed: nil, at: Stand.start).items == [])
    let ids = first.items.compactMap { CleverTapCampaign.id($0["ti"]) ?? $0["_id"]?.string }
    #expect(Set(ids).count == 12)
  }

  @Test(
    "X18: one user's items are listed as their bytes are, broken ones too, until they are cleared")
  func rawItems() throws {
    var server = CleverTapServer(seed: nil, at: Stand.start)
    let (message, broken) = (Array(#"{"_id":"m-1", "x":1}"#.utf8), Array(#"{"_id":"#.utf8))
    let campaign = Array(#"{"ti":5, "wzrk_ttl":1}"#.utf8)
    server.put([message, broken], in: .inbox, for: "ada", at: Stand.start)
    server.put([campaign], in: .campaigns, for: "ada", at: Stand.start)
    func text(_ identity: String, _ item: JSON, _ path: String) throws -> String {
      let call = try Self.request(identity, item, path)
      #expect(server.user(of: call) == User(UserID(identity)))
      let answer = server.answer(call, at: Stand.start)
      return String(decoding: answer.reply.body, as: UTF8.self)
    }
    let order = CleverTapPhone.event("App Launched")
    let list = #"[{"ti":5, "wzrk_ttl":1}]"#
    #expect(try text("ada", order, "/a1").contains(list))
    #expect(try !text("bob", order, "/a1").contains(list))
    server.clear(.campaigns, of: "ada", at: Stand.start)
    server.clear(.inbox, of: "ada", at: Stand.start)
    #expect(try text("ada", order, "/a1").contains(#""inapp_stale":["5"]"#))
    #expect(server.items == [])
  }

  /// A batch that gives its device the identity.
  private static func request(
    _ identity: String, _ item: JSON, _ path: String
  ) throws -> VendorRequest {
    let meta: JSON = [
      "type": "meta", "g": .string("g-\(identity)"), "tk": "demo-token", "id": "demo", "l_ts": 0,
      "f_ts": 0, "ddnd": true, "frs": true, "fl": true,
      "af": [
        "Version": "2", "SDK Version": 7, "OS Version": "1", "OS": "iOS", "useIP": false,
      ],
    ]
    let profile = CleverTapPhone.profile(["Identity": .string(identity)])
    return VendorRequest(
      method: "POST", target: "\(path)?\(CleverTapPhone.query)",
      headers: CleverTapPhone.account + [CleverTapPhone.json],
      body: JSON.array([meta, profile, item]).encoded())
  }

  @Test("X18: the items of one user's newer inbox keep their bytes")
  func rawMessages() throws {
    var server = CleverTapServer(seed: nil, at: Stand.start)
    try server.configure(["inboxV1": true], at: Stand.start)
    server.put([Array(#"{"_id":"#.utf8)], in: .inbox, for: "ada", at: Stand.start)
    let call = try Self.request("ada", CleverTapPhone.launch, "/a1")
    let body = server.answer(call, at: Stand.start).reply.body
    #expect(String(decoding: body, as: UTF8.self).contains(#""inbox_notifs":[{"_id":]"#))
  }

  @Test("X18: the profile holds what the commands made of its attributes, and its tokens")
  func profile() throws {
    var server = CleverTapServer(seed: 1, at: Stand.start)
    for members in [
      ["drinks": ["$set": ["tea", "tea"]], "stamps": 2], ["drinks": ["$add": ["tea", "mocha"]]],
      ["stamps": ["$incr": 3], "home": ["floor": 1]], ["stamps": ["$decr": 0.5]],
      ["drinks": ["$remove": "tea"], "gone": 1], ["gone": ["$delete": 1]],
    ] as [JSONObject] {
      let call = try Self.request("ada", CleverTapPhone.profile(members), "/a1")
      #expect(server.answer(call, at: Stand.start).reply.status == 200)
    }
    #expect(
      server.profiles["ada"]?.attributes
        == ["Identity": "ada", "drinks": ["mocha"], "stamps": 4.5, "home": ["floor": 1]])
    for (action, count) in [("register", 1), ("unregister", 0)] {
      let call = try Self.request("ada", CleverTapPhone.token(action, "0a"), "/a1")
      _ = server.answer(call, at: Stand.start)
      #expect(server.profiles["ada"]?.tokens.count == count)
    }
  }
}
