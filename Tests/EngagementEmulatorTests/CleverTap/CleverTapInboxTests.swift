import EngagementEmulator
import EngagementFormats
import EngagementModel
import Testing

@Suite(.timeLimit(.minutes(20))) struct CleverTapInboxTests {
  private static let path = "/inbox/v2/deleteMessages"

  private static func deletion(_ id: JSON?, more: JSONObject = [:]) -> JSON {
    var message: JSONObject = ["wzrk_id": "7_20261122", "wzrk_pivot": "wzrk_default"]
    message["wzrk_mid"] = id
    for member in more.members { message[member.key] = member.value }
    return ["type": "deleteMessages", "messages": [.object(message)]]
  }

  @Test("X18 C10: the newer inbox has every kind of message, with its read state")
  func list() async throws {
    try await CleverTapPhone.run { stand, phone async throws in
      let inbox = try phone.inbox()
      #expect(inbox.count == 6 && inbox.allSatisfy { $0["isRead"] == false })
      let kinds = Set(inbox.compactMap { $0["msg"]?["type"]?.string })
      #expect(kinds == ["simple", "message-icon", "carousel", "carousel-image"])
      for message in inbox {
        #expect(message["_id"]?.string != nil && message["wzrk_id"]?.string != nil)
        #expect(message["date"]?.integer != nil && message["wzrk_ttl"]?.integer != nil)
      }
      let icon = inbox[1]["msg"]?["content"]?.array?.first?["icon"]?["url"]
      #expect(icon == .string("\(phone.endpoint)/files/stamp.png"))
      #expect(await stand.effects().isEmpty)
    }
  }

  @Test("C10: a view with the message's id reads it, and a deletion takes it away for one profile")
  func states() async throws {
    try await CleverTapPhone.run { stand, phone async throws in
      let other = CleverTapPhone(stand, guid: "g-2")
      let id = try #require(try phone.inbox().first?["_id"])
      try phone.good([
        CleverTapPhone.event("Notification Viewed", ["wzrk_id": "7_1", "wzrk_mid": id])
      ])
      #expect(try phone.inbox().first?["isRead"] == true)
      for _ in 0..<2 { try phone.good([Self.deletion(id)], path: Self.path) }
      #expect(try phone.inbox().count == 5)
      #expect(try other.inbox().count == 6)
      #expect(try other.inbox().first?["isRead"] == false)
      #expect(await stand.emulator.times("deleteMessages", of: id.string) == 1)
    }
  }

  @Test(
    "C10: the iOS client's fetch lacks the time and the session, and the Android client's has them")
  func bareFetch() async throws {
    try await CleverTapPhone.run { _, phone async throws in
      let bare: JSON = ["type": "event", "evtName": "wzrk_fetch", "evtData": ["t": 7]]
      for fetch in [bare, CleverTapPhone.fetch(7)] {
        try phone.good([fetch], path: "/inbox/v2/getMessages")
      }
    }
  }

  @Test(
    "C10: a call to the newer inbox that no client makes is refused",
    arguments: [
      ("/inbox/v2/getMessages", []), ("/inbox/v2/getMessages", [CleverTapPhone.fetch(5)]),
      ("/inbox/v2/getMessages", [CleverTapPhone.fetch(7), CleverTapPhone.fetch(7)]),
      (path, []), (path, [["type": "deleteMessages", "messages": []]]),
      (path, [["type": "delete", "messages": [["wzrk_mid": "a"]]]]), (path, [deletion(nil)]),
      (path, [deletion("")]), (path, [deletion("a", more: ["wzrk_id": ""])]),
    ] as [(String, [JSON])])
  func refused(path: String, items: [JSON]) async throws {
    try await CleverTapPhone.run { stand, phone async throws in
      #expect(try phone.send(items, path: path).status == 400)
      #expect(await stand.effects().isEmpty)
    }
  }

  @Test("C10: an account without the newer inbox answers 403, and batches bring the older one")
  func older() async throws {
    try await CleverTapPhone.run { stand, phone async throws in
      #expect(try phone.good([CleverTapPhone.launch])["inbox_notifs"] == nil)
      try await stand.emulator.configure("clevertap", ["inboxV2": false])
      for (item, path) in [
        (CleverTapPhone.fetch(7), "/inbox/v2/getMessages"), (Self.deletion("a"), Self.path),
      ] {
        let answer = try phone.send([item], path: path)
        #expect(answer.status == 403 && answer.json?["code"] == 10_006)
      }
      let inbox = try #require(try phone.good([CleverTapPhone.launch])["inbox_notifs"]?.array)
      #expect(inbox.count == 6 && inbox.allSatisfy { $0["isRead"] == nil })
      let order = CleverTapPhone.event("Coffee ordered")
      #expect(try phone.good([order])["inbox_notifs"] == nil)
      try await stand.emulator.put(["_id": "n-1", "msg": ["type": "simple"]], in: "clevertap")
      #expect(try phone.good([order])["inbox_notifs"]?.array?.map { $0["_id"] } == ["n-1"])
      #expect(try phone.good([order])["inbox_notifs"] == nil)
      try await stand.emulator.configure("clevertap", ["inboxV2": true, "inboxV1": true])
      #expect(try phone.good([CleverTapPhone.launch])["inbox_notifs"]?.array?.count == 7)
    }
  }

  @Test("C10: a new message of the newer inbox comes with the next batch of a known device")
  func fresh() async throws {
    try await CleverTapPhone.run { stand, phone async throws in
      #expect(try phone.good([CleverTapPhone.launch])["inbox_notifs_v2"] == nil)
      let item = try await stand.emulator.put(
        ["msg": ["type": "simple", "content": []]], in: "clevertap")
      let order = CleverTapPhone.event("Coffee ordered")
      let answer = try phone.good([order])
      #expect(answer["inbox_notifs_v2"]?.array?.first?["_id"] == item["_id"])
      #expect(try phone.good([order])["inbox_notifs_v2"] == nil)
      try await stand.emulator.put(
        ["_id": try #require(item["_id"]), "date": 1_700_000_000], in: "clevertap")
      #expect(try phone.inbox().last?["date"] == 1_700_000_000)
      #expect(try phone.good([order])["inbox_notifs_v2"] == nil, "it was fetched")
    }
  }

  @Test("C10: a message expires by the emulator's clock, and a removed one is gone")
  func end() async throws {
    try await CleverTapPhone.run { stand, phone async throws in
      await stand.emulator.advanceClock(by: .seconds(86_400))
      #expect(try phone.inbox().count == 5)
      let id = try #require(try phone.inbox().first?["_id"]?.string)
      #expect(try await stand.emulator.remove(id, from: "clevertap"))
      #expect(try phone.inbox().count == 4)
    }
  }

  @Test("C10: a message that the vendor could not have is refused", arguments: [7, ""] as [JSON])
  func refusedMessage(id: JSON) async throws {
    try await CleverTapPhone.run { stand, _ async throws in
      await #expect(throws: EngagementError.self) {
        try await stand.emulator.put(["_id": id], in: "clevertap")
      }
    }
  }
}
