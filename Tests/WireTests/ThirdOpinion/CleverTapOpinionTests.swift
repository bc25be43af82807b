import EngagementCurl
import EngagementEmulator
import EngagementHTTP
import EngagementJSON
import EngagementModel
import EngagementVendors
import Foundation
import Testing

@testable import EngagementCleverTapTools

/// The emulated CleverTap, held against what the vendor's own clients send and read.
@Suite("CleverTap's clients", .timeLimit(.minutes(20))) struct CleverTapOpinionTests {
  private static let headers = [
    "Content-Type": "application/json; charset=utf-8", "X-CleverTap-Account-Id": "demo",
    "X-CleverTap-Token": "demo-token",
  ]

  /// CleverTap's server, for calls by hand.
  private static var registration: VendorRegistration {
    var registration = VendorRegistration(planned: "clevertap", title: "CleverTap", port: 8402)
    registration.server = CleverTapServer.self
    return registration
  }

  /// One of the vendor's clients with what it sends always.
  private struct Client {
    var isAndroid: Bool
    var now: Int64

    var query: String { "os=\(isAndroid ? "Android" : "iOS")&t=70700&z=demo&ts=\(now)" }

    var meta: JSONObject {
      var meta: JSONObject = [
        "type": "meta", "g": .string(isAndroid ? "__a1" : "-b2"), "tk": "demo-token", "id": "demo",
        "l_ts": 0, "f_ts": 0, "ddnd": true, "frs": true, "fl": false, "imp": 0, "tlc": [],
        "af": [
          "Version": "2.0", "Build": "7", "SDK Version": 70_700, "OS Version": "14",
          "OS": isAndroid ? "Android" : "iOS", "Make": "Acme", "Model": "One", "useIP": false,
          "wdt": 2.5, "hgt": 5.5, "locale": "en_GB", "LIAMC": 0,
        ],
      ]
      guard isAndroid else { return meta }
      (meta["ct_pi"], meta["rtl"]) = ("Identity,Email", [])
      return meta
    }

    func body(_ items: [JSONObject], _ more: JSONObject = [:]) -> JSON {
      var meta = meta
      for member in more.members { meta[member.key] = member.value }
      return .array(([meta] + items).map(JSON.object))
    }

    func item(_ type: String, _ members: JSONObject) -> JSONObject {
      var item: JSONObject = [
        "type": .string(type), "ep": .integer(now), "s": .integer(now), "pg": 1, "lsl": 0,
        "f": true,
      ]
      for member in members.members { item[member.key] = member.value }
      return item
    }
  }

  /// Calls as a client makes them, at a server of their own.
  private static func run(
    _ isAndroid: Bool, _ body: (Hand, Client) async throws -> Void
  ) async throws {
    let hand = try await Hand(registration)
    do {
      try await body(hand, Client(isAndroid: isAndroid, now: hand.now))
    } catch {
      await hand.emulator.stop()
      throw error
    }
    await hand.emulator.stop()
  }

  /// A good call's answer, which has what the clients need.
  private static func good(
    _ hand: Hand, _ call: ClientCall, _ query: String, _ body: JSON?
  ) async throws -> JSON {
    let target = query.isEmpty ? call.path : "\(call.path)?\(query)"
    let answer = try await hand.make(call, at: target, body, headers)
    #expect(answer.status == 200, "\(call.name): \(answer.json)")
    #expect(call.answer?.differences(answer.json, at: call.name) ?? [] == [])
    return answer.json
  }

  @Test("X18 C11: the emulated CleverTap takes each item of the clients", arguments: [false, true])
  func items(isAndroid: Bool) async throws {
    try await Self.run(isAndroid) { hand, client async throws in
      let handshake = try await hand.make(
        CleverTapClient.handshake, at: isAndroid ? "/hello?os=Android&t=80100&z=demo" : "/hello",
        nil, Self.headers)
      #expect(handshake.headers.first("X-WZRK-RD")?.isEmpty == false)
      #expect(handshake.headers.first("X-WZRK-SPIKY-RD")?.isEmpty == false)
      var view = client.item(
        "event", ["evtName": "Notification Viewed", "evtData": ["wzrk_id": "7_20261122"]])
      if isAndroid { for name in ["pg", "lsl", "f"] { view[name] = nil } }
      let items = [
        client.item("profile", ["profile": ["Identity": "u-1", "tz": "Europe/Sofia"]]),
        client.item("profile", ["profile": ["likes": ["$add": ["tea"]], "n": ["$incr": 2]]]),
        client.item("profile", ["profile": ["old": ["$delete": isAndroid ? 1 : true]]]),
        client.item("event", ["evtName": "App Launched", "evtData": client.meta["af"] ?? [:]]),
        client.item("event", ["evtName": "looked", "pai": "com.example.app", "n": "_bg"]),
        client.item("page", [:]),
        client.item(
          "data",
          ["data": ["action": "register", "id": "0a", "type": isAndroid ? "fcm" : "apns"]]),
        client.item(
          "event",
          [
            "evtName": "Notification Clicked", "wzrk_error": ["c": 510, "d": "too long"],
            "evtData": ["wzrk_id": "7_20261122", "wzrk_c2a": "open", "wzrk_pivot": "wzrk_default"],
          ]), view,
      ]
      _ = try await Self.good(hand, CleverTapClient.batch, client.query, client.body(items))
      let effects = await hand.emulator.effects().keys.map { "\($0.name) \($0.subject)" }
      #expect(effects.filter { $0.hasPrefix("fault") } == [])
      for effect in [
        "profile Identity", "$add likes", "$incr n", "$delete old", "event looked", "page ",
        "Notification Clicked 7_20261122", "Notification Viewed 7_20261122",
      ] {
        #expect(effects.contains(effect), "\(effect)")
      }
    }
  }

  @Test("X18 C9: the campaigns are as the clients read them", arguments: [false, true])
  func campaigns(isAndroid: Bool) async throws {
    try await Self.run(isAndroid) { hand, client async throws in
      func launch(_ more: JSONObject = [:]) async throws -> JSON {
        let item = client.item("event", ["evtName": "App Launched", "evtData": [:]])
        return try await Self.good(
          hand, CleverTapClient.batch, client.query, client.body([item], more))
      }
      let list = ClientCall.Form.list(CleverTapClient.campaign)
      let onDevice = try await launch()["inapp_notifs_cs"] ?? .null
      #expect(list.differences(onDevice, at: "inapp_notifs_cs") == [])
      try await hand.emulator.configure("clevertap", ["deliveryMode": "SS"])
      let announced = try await launch()["inapp_notifs_ss"] ?? .null
      #expect(
        ClientCall.Form.list(CleverTapClient.announcement)
          .differences(announced, at: "inapp_notifs_ss") == [])
      let id = try #require(announced.array?.first?["ti"])
      let answer = try await launch([
        "inapps_eval": [id],
        "inapps_suppressed": [
          ["wzrk_id": "7_20261122", "wzrk_pivot": "wzrk_default", "wzrk_cgId": 3]
        ],
      ])
      #expect(list.differences(answer["inapp_notifs"] ?? .null, at: "inapp_notifs") == [])
      let launched = answer["inapp_notifs_applaunched"] ?? .null
      #expect(list.differences(launched, at: "inapp_notifs_applaunched") == [])
    }
  }

  @Test("X18 C10: both inboxes are as the clients read them", arguments: [false, true])
  func inboxes(isAndroid: Bool) async throws {
    try await Self.run(isAndroid) { hand, client async throws in
      var fetch: JSONObject = ["type": "event", "evtName": "wzrk_fetch", "evtData": ["t": 7]]
      if isAndroid { fetch = client.item("event", fetch) }
      let inbox = try await Self.good(
        hand, CleverTapClient.messages, client.query, client.body([fetch]))
      let first = try #require(inbox["inbox_notifs_v2"]?.array?.first)
      var deletion: JSONObject = [
        "messages": [
          [
            "wzrk_mid": first["_id"] ?? .null, "wzrk_id": first["wzrk_id"] ?? .null,
            "wzrk_pivot": "wzrk_default",
          ]
        ]
      ]
      deletion["type"] = "deleteMessages"
      if isAndroid { deletion = client.item("deleteMessages", deletion) }
      _ = try await Self.good(
        hand, CleverTapClient.deletion, client.query, client.body([deletion]))
      try await hand.emulator.configure("clevertap", ["inboxV2": false])
      let disabled = try await hand.make(
        CleverTapClient.messages, at: "/inbox/v2/getMessages?\(client.query)",
        client.body([fetch]), Self.headers)
      #expect(disabled.status == 403)
      let launch = client.item("event", ["evtName": "App Launched", "evtData": [:]])
      let answer = try await Self.good(
        hand, CleverTapClient.batch, client.query, client.body([launch]))
      let older = answer["inbox_notifs"] ?? .null
      #expect(
        ClientCall.Form.list(CleverTapClient.message).differences(older, at: "inbox_notifs") == [])
      #expect(older.array?.count == 5)
    }
  }

  @Test(
    "X18 C4: definitions of templates are taken as the clients send them", arguments: [false, true])
  func templates(isAndroid: Bool) async throws {
    try await Self.run(isAndroid) { hand, client async throws in
      let payload: JSONObject = [
        "type": "templatePayload",
        "definitions": [
          "offer": [
            "type": "template",
            "vars": [
              "title": ["defaultValue": "", "type": "string", "order": 0],
              "price.amount": ["defaultValue": 2.5, "type": "number", "order": 1],
              "urgent": ["defaultValue": false, "type": "boolean", "order": 2],
              "picture": ["type": "file", "order": 3], "open": ["type": "action", "order": 4],
            ],
          ], "log": ["type": "function", "vars": [:]],
        ],
      ]
      let query = isAndroid ? client.query : ""
      let body = client.body([payload])
      _ = try await Self.good(hand, CleverTapClient.templates, query, body)
      try await hand.emulator.configure("clevertap", ["testProfiles": false])
      let refusal = try await hand.make(
        CleverTapClient.templates, at: "/defineTemplates?\(client.query)", body, Self.headers)
      #expect(refusal.status == 401 && refusal.json["error"]?.string != nil)
    }
  }

  @Test("a row of CleverTap notices what no client sends, in the query, in the head and in an item")
  func rows() throws {
    let client = Client(isAndroid: false, now: 1_795_305_600)
    func differences(
      _ items: [JSONObject], _ more: JSONObject = [:], query: String? = nil
    ) throws -> Int {
      var request = HTTPRequest(
        .post, "http://a.example/a1?\(query ?? client.query)",
        body: client.body(items, more).encoded())
      for (name, value) in Self.headers { try request.headers.append(name, value) }
      return CleverTapClient.batch.differences(request).count
    }
    let event = client.item("event", ["evtName": "looked"])
    #expect(try differences([event]) == 0)
    #expect(try differences([event], query: "os=iOS&t=70700&z=demo") == 1)
    #expect(try differences([event], query: "\(client.query)&a=1") == 1)
    #expect(try differences([event], ["zz": 1]) == 1)
    #expect(try differences([event], ["af": ["Version": "2"]]) == 8)
    #expect(try differences([]) == 1)
    #expect(try differences(Array(repeating: event, count: 50)) == 1)
    #expect(try differences([client.item("event", ["evtData": [:]])]) == 1)
    #expect(try differences([client.item("profile", ["profile": ["n": ["$mul": 2]]])]) == 1)
    #expect(try differences([client.item("profile", ["profile": ["n": ["a": ["$incr": 2]]]])]) == 0)
    #expect(try differences([client.item("push", [:])]) == 1)
  }
}
