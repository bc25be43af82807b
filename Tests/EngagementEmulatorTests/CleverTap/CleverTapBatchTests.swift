import EngagementEmulator
import EngagementModel
import Testing

/// What every call needs, and what no client sends.
@Suite(.timeLimit(.minutes(20))) struct CleverTapBatchTests {
  private static let view = CleverTapPhone.event(
    "Notification Viewed", ["wzrk_id": "1_20261122", "wzrk_pivot": "wzrk_default"])

  @Test(
    "C11: a meta object that lacks what each client sends is refused",
    arguments: ["type", "g", "tk", "id", "af", "l_ts", "f_ts", "ddnd", "frs", "fl"])
  func metaMembers(name: String) async throws {
    try await CleverTapPhone.run { stand, phone async throws in
      for value in ["absent", []] as [JSON] {
        let status = try phone.send([CleverTapPhone.launch], meta: [name: value]).status
        #expect(status == 400, "\(value)")
      }
      #expect(await stand.effects().isEmpty)
    }
  }

  @Test(
    "C11: a meta object that no client sends is refused",
    arguments: [
      (["zz": 1], 400), (["tk": "other"], 401), (["id": "other"], 401), (["imp": "1"], 400),
      (["tlc": [["7", 1]]], 400), (["tlc": 7], 400), (["inapps_eval": []], 400),
      (["inapps_eval": [[:]]], 400), (["inapps_suppressed": [["wzrk_id": "7"]]], 400),
      (["af": ["Version": "2", "OS Version": "1", "OS": "iOS", "useIP": false]], 400),
      (["af": ["SDK Version": 7, "OS Version": "1", "OS": "iOS", "useIP": false]], 400),
    ] as [(JSONObject, Int)])
  func meta(more: JSONObject, status: Int) async throws {
    try await CleverTapPhone.run { stand, phone async throws in
      #expect(try phone.send([CleverTapPhone.launch], meta: more).status == status)
      #expect(await stand.effects().isEmpty)
    }
  }

  @Test("C11: the members that only some clients send are taken")
  func optional() async throws {
    try await CleverTapPhone.run { _, phone async throws in
      try phone.good(
        [CleverTapPhone.launch],
        meta: [
          "imp": 2, "tlc": [["7", 1, 2], [8, 0, 1]], "arp": ["j_n": "x"], "_i": 1, "_j": 2,
          "ct_pi": "Identity", "rtl": [], "rct": 0, "ait": 0, "bk": 1, "d_src": "DATA",
          "debug": true, "ref": ["us": "a"], "wzrk_ref": [:], "regURLs": ["harbour"],
        ])
    }
  }

  @Test(
    "C11: a query that no client sends is refused on batches and on the newer inbox",
    arguments: [
      "", "os=iOS&t=70700&z=demo", "os=iOS&t=70700&z=other&ts=1", "os=iOS&z=demo&ts=1",
      "t=70700&z=demo&ts=1", "os=iOS&t=70700&z=demo&ts=soon",
    ])
  func query(query: String) async throws {
    try await CleverTapPhone.run { _, original async throws in
      var phone = original
      phone.query = query
      #expect(try phone.send([CleverTapPhone.launch]).status == 400)
      #expect(
        try phone.send([CleverTapPhone.fetch(7)], path: "/inbox/v2/getMessages").status == 400)
    }
  }

  @Test("C11: another type of content is refused, and an encrypted batch gets the vendor's 402")
  func headers() async throws {
    try await CleverTapPhone.run { _, original async throws in
      var phone = original
      phone.headers = CleverTapPhone.account + [("Content-Type", "application/json")]
      #expect(try phone.send([CleverTapPhone.launch]).status == 400)
      phone.headers = original.headers + [("X-CleverTap-Encryption-Enabled", "true")]
      #expect(try phone.send(raw: ["itp": "a", "itk": "b", "itv": "c"]).status == 402)
    }
  }

  @Test(
    "C11: a body that is no array of objects is refused",
    arguments: [[], [:], [[:]], ["x"], "x"] as [JSON])
  func bodies(body: JSON) async throws {
    try await CleverTapPhone.run { _, phone async throws in
      #expect(try phone.send(raw: body).status == 400)
    }
  }

  @Test("C11: a batch has 1 to 49 items, and 50 from the Android client")
  func size() async throws {
    try await CleverTapPhone.run { stand, original async throws in
      var phone = original
      func batch(_ count: Int) -> [JSON] {
        Array(repeating: CleverTapPhone.event("Coffee ordered"), count: count)
      }
      #expect(try phone.send(batch(0)).status == 400)
      #expect(try phone.send(batch(50)).status == 400)
      #expect(await stand.effects().isEmpty)
      try phone.good(batch(49))
      #expect(await stand.effects() == ["event Coffee ordered": 49])
      phone.query = phone.query.replacing("iOS", with: "Android")
      try phone.good(batch(50))
      #expect(try phone.send(batch(51)).status == 400)
      #expect(await stand.effects() == ["event Coffee ordered": 99])
    }
  }

  @Test(
    "C11: an item that no client sends is refused, and no item of its batch has an effect",
    arguments: [
      CleverTapPhone.changed(view, "type", "push"), CleverTapPhone.changed(view, "type", nil),
      CleverTapPhone.changed(view, "ep", nil), CleverTapPhone.changed(view, "ep", "now"),
      CleverTapPhone.changed(view, "ep", 1_795_305_600_000), CleverTapPhone.changed(view, "s", nil),
      CleverTapPhone.changed(view, "pg", nil), CleverTapPhone.changed(view, "f", 1),
      CleverTapPhone.changed(view, "zz", 1), CleverTapPhone.changed(view, "evtData", [:]),
      CleverTapPhone.changed(view, "evtName", ""), CleverTapPhone.changed(view, "evtData", 7),
      CleverTapPhone.changed(view, "wzrk_error", ["c": 510]),
      CleverTapPhone.fetch(7), CleverTapPhone.fetch(6), CleverTapPhone.fetch(2),
      CleverTapPhone.profile([:]), CleverTapPhone.token("renew", "0a"),
      CleverTapPhone.token("register", ""), CleverTapPhone.token("register", "0a", "pigeon"),
    ])
  func items(item: JSON) async throws {
    try await CleverTapPhone.run { stand, phone async throws in
      #expect(try phone.send([CleverTapPhone.launch, item]).status == 400)
      #expect(await stand.effects().isEmpty)
    }
  }

  @Test("C11: a view may lack the page and the session's length, as the Android client's do")
  func bareView() async throws {
    try await CleverTapPhone.run { stand, phone async throws in
      let bare: JSON = [
        "type": "event", "evtName": "Notification Viewed", "ep": .integer(CleverTapPhone.now),
        "s": 1, "evtData": ["wzrk_id": "7_20261122"],
      ]
      try phone.good([bare])
      #expect(await stand.effects() == ["Notification Viewed 7_20261122": 1])
    }
  }

  @Test("C11: the views of pushes go to their own domain, where there is one, and only they")
  func views() async throws {
    try await CleverTapPhone.run { stand, phone async throws in
      let port = phone.endpoint.split(separator: ":").last ?? ""
      let host = "localhost:\(port)"
      try await stand.emulator.configure("clevertap", ["viewedDomain": .string(host)])
      let push = CleverTapPhone.event(
        "Notification Viewed", ["wzrk_id": "9_20261122", "wzrk_pn": true])
      let answer = try phone.send([push], host: host)
      #expect(answer.status == 200 && answer.json == [:])
      #expect(await stand.emulator.requests().last?.host == host)
      #expect(try phone.send([CleverTapPhone.launch], host: host).status == 400)
      #expect(await stand.effects() == ["Notification Viewed 9_20261122": 1])
      #expect(try phone.send([Self.view], host: host).status == 200)
      try phone.good([push, Self.view])
      #expect(
        await stand.effects() == [
          "Notification Viewed 9_20261122": 1, "Notification Viewed 1_20261122": 1,
          "fault a view at the wrong domain": 2,
        ])
    }
  }
}
