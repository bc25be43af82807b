import EngagementEmulator
import EngagementFormats
import EngagementJSON
import EngagementModel
import Testing

@Suite(.timeLimit(.minutes(20))) struct VibesInboxTests {
  @Test("X18: the inbox is an array, newest first, in the vendor's format")
  func list() async throws {
    try await Stand.run(vendors: ["vibes"]) { stand async throws in
      let inbox = try VibesDevice(stand).inbox()
      #expect(inbox.count == 6)
      let dates = inbox.compactMap { $0["created_at"]?.string }
      #expect(dates.count == 6 && dates == dates.sorted(by: >))
      #expect(dates.allSatisfy { $0.hasSuffix(".000+00:00") })
      #expect(inbox.allSatisfy { $0["message_uid"]?.string != nil && $0["content"] != nil })
      #expect(inbox.contains { $0["subject"] == nil } && inbox.contains { $0["read"] == true })
      #expect(inbox.allSatisfy { $0["apprefdata"]?["activityType"] == "Broadcast" })
    }
  }

  @Test("a repeated read counts once and affects one person")
  func read() async throws {
    try await Stand.run(vendors: ["vibes"]) { stand async throws in
      let (first, second) = (try VibesDevice(stand), try VibesDevice(stand))
      let uid = try #require(try first.inbox().first?["message_uid"]?.string)
      let path = "\(try first.inboxPath())/\(uid)"
      for _ in 0..<2 {
        #expect(try first.call("PUT", path, ["read": true]).json?["read"] == true)
      }
      #expect(try first.call("GET", path).json?["read"] == true)
      #expect(try second.inbox().first?["read"] == false)
      #expect(await stand.emulator.times("read", of: uid) == 1)
    }
  }

  @Test("an expired message leaves the list and gives a 404")
  func expire() async throws {
    try await Stand.run(vendors: ["vibes"]) { stand async throws in
      let device = try VibesDevice(stand)
      let uid = try #require(try device.inbox().first?["message_uid"]?.string)
      let path = "\(try device.inboxPath())/\(uid)"
      let later = try device.call("PUT", path, ["expires_at": "2026-11-22T01:00:00.000+00:00"])
      #expect(later.json?["expires_at"] == "2026-11-22T01:00:00.000+00:00")
      #expect(try device.inbox().count == 6)
      let now = try device.call("PUT", path, ["expires_at": "2026-11-22T02:00:00+02:00"])
      #expect(now.status == 200)
      #expect(try device.inbox().count == 5)
      #expect(try device.call("GET", path).status == 404)
      #expect(await stand.emulator.times("expire", of: uid) == 2)
    }
  }

  @Test("a message expires by the emulator's clock")
  func clock() async throws {
    try await Stand.run(vendors: ["vibes"]) { stand async throws in
      let device = try VibesDevice(stand)
      await stand.emulator.advanceClock(by: .seconds(86_400))
      #expect(try device.inbox().count == 5)
    }
  }

  @Test("another person's inbox gives a 404, and an invalid change is refused")
  func refusals() async throws {
    try await Stand.run(vendors: ["vibes"]) { stand async throws in
      let (first, second) = (try VibesDevice(stand), try VibesDevice(stand))
      #expect(try first.call("GET", try second.inboxPath()).status == 404)
      let uid = try #require(try first.inbox().first?["message_uid"]?.string)
      let path = "\(try first.inboxPath())/\(uid)"
      #expect(try first.call("PUT", path, [:]).status == 422)
      #expect(try first.call("PUT", path, ["expires_at": "soon"]).status == 422)
      #expect(
        try first.call("PUT", "\(try first.inboxPath())/nothing", ["read": true]).status == 404)
      first.token = "wrong"
      #expect(try first.call("GET", path).status == 401)
    }
  }

  @Test("a message replaces those with its collapse key, and the inbox lists at most 200")
  func collapse() async throws {
    try await Stand.run(vendors: ["vibes"]) { stand async throws in
      let device = try VibesDevice(stand)
      for text in ["one", "two"] {
        try await stand.emulator.put(
          ["content": .string(text), "collapse_key": "k"], in: "vibes")
      }
      let texts = try device.inbox().compactMap { $0["content"]?.string }
      #expect(texts.contains("two") && !texts.contains("one") && texts.count == 7)
      for number in 1...200 {
        try await stand.emulator.put(["content": .string("n \(number)")], in: "vibes")
      }
      #expect(try device.inbox().count == 200)
    }
  }

  @Test("a disabled inbox is reported and its list is empty")
  func disabled() async throws {
    try await Stand.run(vendors: ["vibes"]) { stand async throws in
      let device = try VibesDevice(stand)
      try await stand.emulator.configure("vibes", ["inboxEnabled": false])
      #expect(try device.call("GET", "").json?["inbox_enabled"] == false)
      #expect(try device.inbox().isEmpty)
    }
  }

  @Test("a push names its message, and an FCM push has only text values")
  func pushes() async throws {
    try await Stand.run(vendors: ["vibes"]) { stand async throws in
      let uid = try #require(try await stand.emulator.items(of: "vibes").first?["message_uid"])
      let push = try await stand.emulator.push(
        ["title": "T", "url": "harbour://x", "item": uid], from: "vibes")
      #expect(push["client_app_data"]?["inbox_message_uid"] == uid)
      #expect(push["aps"]?["alert"]?["title"] == "T" && push["message_uid"] != nil)
      let silent = try await stand.emulator.push(
        ["silent": true, "migrationToken": "00FF"], from: "vibes")
      #expect(silent["aps"] == ["content-available": 1])
      #expect(silent["client_custom_data"]?["vibes_auto_register_token"] == "00FF")
      let fcm = try await stand.emulator.push(["platform": "fcm"], from: "vibes")
      #expect(fcm.object?.members.allSatisfy { $0.value.string != nil } == true)
      let inner = try JSON(parsing: Array((fcm["client_app_data"]?.string ?? "").utf8))
      #expect(inner["activity_type"] == "Broadcast")
      // R-V-5: a client gives the company back with shop tracking.
      let key = try #require(push["client_app_data"]?["company_key"]?.string)
      #expect(key.utf8.count == 8 && inner["company_key"]?.string == key)
      let loose = try await stand.emulator.push(["platform": "fcm", "loose": true], from: "vibes")
      #expect(loose["client_app_data"]?.string?.contains("\"activity_type\"=>") == true)
      await #expect(throws: EngagementError.self) {
        try await stand.emulator.push(["item": "nothing"], from: "vibes")
      }
    }
  }
}
