import EngagementEmulator
import EngagementModel
import EngagementVendors
import Foundation
import Testing

/// Actions, users, devices, events and pushes of the emulated Atomic.
@Suite(.timeLimit(.minutes(20))) struct AtomicActionTests {
  @Test(
    "X18: an action closes a card for one user, counts once, and is answered when repeated",
    arguments: [
      ("dismiss", "card-dismissed", [:]), ("response", "card-completed", ["values": ["a": 1]]),
    ] as [(String, String, JSON)])
  func closing(verb: String, effect: String, more: JSON) async throws {
    try await Stand.runAtomic(cards: [Stand.card("1"), Stand.card("2")]) { stand async throws in
      let (phone, other) = (AtomicPhone(stand), AtomicPhone(stand, user: "other"))
      for _ in 0..<2 { #expect(try phone.act(verb, "1", more).json == ["ok": true]) }
      #expect(await stand.emulator.times(effect, of: "1", by: "user_123") == 1)
      #expect(try phone.ids() == ["2"])
      #expect(try other.ids() == ["1", "2"])
      // Closing is one-way.
      let second: (String, JSON) =
        verb == "dismiss" ? ("response", ["values": [:]]) : ("dismiss", [:])
      #expect(try phone.act(second.0, "1", second.1).status == 409)
      #expect(try phone.act("snooze", "1", ["interval": "PT1S"]).status == 409)
      #expect(await stand.emulator.effects().count == 1)
    }
  }

  @Test("a snoozed card is gone, comes back by itself, and was active last when it came back")
  func snooze() async throws {
    try await Stand.runAtomic(cards: [Stand.card("1"), Stand.card("2")]) { stand async throws in
      var phone = AtomicPhone(stand)
      phone.token = AtomicPhone.token(phone.user, for: 500_000)
      #expect(try phone.act("snooze", "2", ["interval": "PT3600S"]).json == ["ok": true])
      #expect(await stand.emulator.times("card-snoozed", of: "2") == 1)
      #expect(try phone.ids() == ["1"])
      await stand.emulator.advanceClock(by: .seconds(599))
      // A client that got no answer asks again, with the rest.
      #expect(try phone.act("snooze", "2", ["interval": "PT3001S"]).json == ["ok": true])
      #expect(await stand.emulator.times("card-snoozed", of: "2") == 1)
      await stand.emulator.advanceClock(by: .seconds(3_000))
      #expect(try phone.ids() == ["1"])
      await stand.emulator.advanceClock(by: .seconds(1))
      #expect(try phone.ids() == ["2", "1"])
      #expect(
        try phone.feed().first?["metadata"]?["lastCardActiveTime"] == "2026-11-22T01:00:00.000Z")
      #expect(try phone.act("snooze", "2", ["interval": "PT0S"]).json == ["ok": true])
      #expect(await stand.emulator.times("card-snoozed", of: "2") == 1, "its time was over")
      // Again, and the other ends while it is snoozed.
      #expect(try phone.act("snooze", "2", ["interval": "P1D"]).status == 200)
      #expect(try phone.act("dismiss", "2").status == 200)
      await stand.emulator.advanceClock(by: .seconds(172_800))
      #expect(try phone.ids() == ["1"])
    }
  }

  @Test(
    "an action without its members, or on a card that the container does not have, is refused",
    arguments: [
      ("dismiss", ["cardInstanceId": "unknown"], 404), ("dismiss", ["cardInstanceId": 5], 400),
      ("dismiss", ["streamContainerId": .null], 400),
      ("dismiss", ["streamContainerId": "Xy12"], 404),
      ("snooze", [:], 400), ("snooze", ["interval": "-PT1S"], 400),
      ("snooze", ["interval": "soon"], 400), ("snooze", ["interval": 60], 400),
      ("response", [:], 400), ("response", ["values": []], 400),
      ("response", ["values": ["a": [1]]], 400),
      ("response", ["values": [:], "buttonName": 5], 400),
    ] as [(String, JSON, Int)])
  func refused(verb: String, more: JSON, status: Int) async throws {
    let card = Stand.card("1", options: ["targetStreamIds": ["BqWL1sT"]])
    try await Stand.runAtomic(cards: [card]) { stand async throws in
      let phone = AtomicPhone(stand)
      let answer = try phone.act(verb, "1", more)
      #expect(answer.status == status)
      #expect(answer.json?["errors"]?.array?.first?["title"]?.string?.isEmpty == false)
      #expect(try phone.ids() == ["1"])
      #expect(await stand.emulator.effects().isEmpty)
    }
  }

  @Test("a body that is no JSON object is refused", arguments: ["", "[]", "{"])
  func bodies(text: String) async throws {
    try await Stand.runAtomic { stand async throws in
      var request = AtomicPhone(stand).request("POST", "dismiss")
      request.body = Array(text.utf8)
      #expect(try request.send(to: stand.atomic).status == 400)
    }
  }

  @Test("an event of the older kind is answered with its name, lifecycle and version")
  func event() async throws {
    try await Stand.runAtomic { stand async throws in
      let phone = AtomicPhone(stand)
      let data: JSON = [
        "name": "bill-due", "lifecycleId": "bill-1",
        "payload": ["detail": [:], "metadata": [:], "notificationDetail": [:]],
      ]
      let answer = try phone.call("POST", "event", ["data": data]).json
      #expect(
        answer?["processedEvents"] == [
          ["name": "bill-due", "lifecycleId": "bill-1", "version": 1]
        ])
      #expect(answer?["batchId"]?.string?.isEmpty == false)
      #expect(await stand.emulator.times("event", of: "bill-due", by: "user_123") == 1)
      #expect(try phone.call("POST", "event", ["data": [:]]).status == 400)
    }
  }

  @Test(
    "a user's fields are updated, and an invalid time frame or an empty update is refused",
    arguments: [
      (["preferences": ["notificationsEnabled": true]], 200),
      (["preferences": ["notifications": ["default": [["from": "08:00", "to": "17:30"]]]]], 200),
      (["preferences": ["notifications": ["sun": []]], "name": "Ada"], 200), ([:], 400),
      (["preferences": []], 400), (["preferences": ["notificationsEnabled": "yes"]], 400),
      (["preferences": ["notifications": ["someday": []]]], 400),
      (["preferences": ["notifications": ["mon": [["from": "8:00", "to": "17:30"]]]]], 400),
      (["preferences": ["notifications": ["mon": [["from": "18:00", "to": "17:30"]]]]], 400),
      (["preferences": ["notifications": ["mon": [["from": "18:00"]]]]], 400),
      (["preferences": ["notifications": ["mon": [["from": "23:00", "to": "24:00"]]]]], 400),
    ] as [(JSON, Int)])
  func updateUser(body: JSON, status: Int) async throws {
    try await Stand.runAtomic { stand async throws in
      #expect(try AtomicPhone(stand).call("PUT", "update-user", body).status == status)
      let names = await stand.emulator.requests().flatMap(\.effects).map(\.subject)
      #expect(names == (status == 200 ? body.object?.members.map(\.key) : []))
    }
  }

  @Test("a device is registered, its containers are set and unset, and it is deregistered")
  func device() async throws {
    try await Stand.runAtomic { stand async throws in
      let phone = AtomicPhone(stand)
      let id: JSON = ["deviceId": "device-1", "appId": "com.example.app"]
      func put(_ path: String, _ more: JSON, _ method: String = "PUT") throws -> Int {
        var body = try #require(id.object)
        for member in more.object?.members ?? [] { body[member.key] = member.value }
        return try phone.call(method, path, .object(body)).status
      }
      let token: JSON = ["token": "62171b34", "platform": "iOS"]
      for _ in 0..<2 { #expect(try put("register", token) == 200) }
      for _ in 0..<2 {
        #expect(
          try put(
            "register-containers",
            ["streamContainerIds": ["BqWL1sT"], "notificationsEnabled": true]
          ) == 200)
      }
      #expect(try put("register-containers", ["streamContainerIds": []]) == 200)
      for _ in 0..<2 { #expect(try put("deregister-token", [:], "DELETE") == 200) }
      let names = await stand.emulator.requests().flatMap(\.effects).map(\.name)
      #expect(
        names == ["register", "register-containers", "register-containers", "deregister-token"])
      for body: JSON in [
        [:], ["token": "x", "platform": "ios"], ["token": "", "platform": "iOS"],
        ["token": "x", "platform": "iOS", "deviceId": ""],
      ] { #expect(try put("register", body) == 400) }
      for body: JSON in [
        [:], ["streamContainerIds": "a"], ["streamContainerIds": [5]],
        ["streamContainerIds": ["no container"]],
        ["streamContainerIds": [], "notificationsEnabled": "no"],
      ] { #expect(try put("register-containers", body) == 400) }
      #expect(try put("deregister-token", ["appId": .null], "DELETE") == 400)
      #expect(!"\(await stand.emulator.requests())".contains("62171b34"))
    }
  }

  @Test("an analytics event counts once by its id, and an action's event not as the action")
  func analytics() async throws {
    try await Stand.runAtomic(cards: [Stand.card("1")]) { stand async throws in
      let phone = AtomicPhone(stand)
      let events = [
        AtomicEventSample.json("e1", card: "1"), AtomicEventSample.json("e1", card: "1"),
        AtomicEventSample.json("e2", "card-dismissed", card: "1"),
        AtomicEventSample.custom("e3", "page-viewed"),
      ]
      for _ in 0..<2 {
        #expect(try phone.call("PUT", "analytics", ["data": .array(events)]).status == 200)
      }
      let effects = await stand.emulator.requests().flatMap(\.effects)
      #expect(effects.map(\.name) == ["card-displayed", "analytics:card-dismissed", "custom"])
      #expect(effects.map(\.subject) == ["1", "1", "page-viewed"])
      #expect(effects.map(\.id) == ["e1", "e2", "e3"])
      #expect(effects.first?.time == 1_795_305_600_000)
      #expect(await stand.emulator.times("card-dismissed") == 0)
    }
  }

  @Test(
    "one malformed event refuses the whole upload",
    arguments: [
      ["id": ""], ["id": .null], ["timestamp": "soon"], ["timestamp": .null],
      ["endUserId": "other"], ["endUserId": .null], ["analyticsEvent": .null],
      ["analyticsEvent": 5], ["eventType": "custom"], ["cardContext": "1"], ["properties": []],
    ] as [JSON])
  func malformedEvents(change: JSON) async throws {
    try await Stand.runAtomic { stand async throws in
      var event = try #require(AtomicEventSample.json("e1", card: "1").object)
      for member in change.object?.members ?? [] { event[member.key] = member.value }
      let events = [AtomicEventSample.json("e0", card: "1"), .object(event)]
      let phone = AtomicPhone(stand)
      #expect(try phone.call("PUT", "analytics", ["data": .array(events)]).status == 400)
      #expect(await stand.emulator.effects().isEmpty)
      #expect(try phone.call("PUT", "analytics", ["data": [:]]).status == 400)
    }
  }

  @Test("a push has the vendor's envelope, as texts over FCM")
  func push() async throws {
    let card = Stand.card("1", options: ["targetStreamIds": ["BqWL1sT"]])
    try await Stand.runAtomic(cards: [card]) { stand async throws in
      let message: JSON = ["title": "T", "body": "B", "item": "1", "detail": ["a": "b"]]
      let envelope: JSON = [
        "source": "io.atomic", "cardInstanceId": "1", "streamContainerId": "BqWL1sT",
        "detail": ["a": "b"],
      ]
      let apns = try await stand.emulator.push(message, from: "atomic")
      #expect(apns["aps"]?["alert"] == ["title": "T", "body": "B"] && apns["atomic"] == envelope)
      var changed = try #require(message.object)
      changed["platform"] = "fcm"
      changed["container"] = 77
      let fcm = try await stand.emulator.push(.object(changed), from: "atomic")
      #expect(fcm.object?.members.allSatisfy { $0.value.string != nil } == true)
      #expect(fcm["title"] == "T")
      #expect(fcm["atomic"]?.string?.contains("\"streamContainerId\":77") == true)
      for wrong: JSON in [["item": "2"], ["platform": "sms"], ["x": 1], ["title": 5]] {
        await #expect(throws: EngagementError.self) {
          _ = try await stand.emulator.push(wrong, from: "atomic")
        }
      }
    }
  }
}

/// Analytics events as the vendor's web client uploads them.
enum AtomicEventSample {
  static func json(_ id: String, _ name: String = "card-displayed", card: String) -> JSON {
    [
      "id": .string(id), "endUserId": "user_123", "timestamp": "2026-11-22T00:00:00.000Z",
      "properties": [:], "eventContext": ["userLocalTimestamp": "2026-11-22T13:00:00.000+13:00"],
      "analyticsEvent": .string(name), "hostContext": [:],
      "sdkContext": ["containerId": "BqWL1sT"],
      "streamContext": ["streamLength": 1, "streamLengthVisible": 1, "cardPositionInStream": 1],
      "cardContext": [
        "cardInstanceId": .string(card), "cardInstanceStatus": "active",
        "cardViewState": "topview", "cardPresentation": "individual",
      ],
    ]
  }

  static func custom(_ id: String, _ name: String) -> JSON {
    [
      "id": .string(id), "endUserId": "user_123", "timestamp": "2026-11-22T00:00:00.000Z",
      "properties": ["page": "home"],
      "eventContext": ["userLocalTimestamp": "2026-11-22T13:00:00.000+13:00"],
      "eventType": "custom", "eventName": .string(name), "sdkContext": [:],
    ]
  }
}
