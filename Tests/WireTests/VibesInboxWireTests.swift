import EngagementEmulator
import EngagementFormats
import EngagementJSON
import EngagementKit
import EngagementModel
import EngagementTesting
import Foundation
import Testing

/// Vibes' inbox over real HTTP, from the vendor's state to the feed and back.
@Suite(.timeLimit(.minutes(20))) struct VibesInboxWireTests {
  @Test("V8: every message arrives unchanged, newest first")
  func list() async throws {
    let scene = try await VibesWireScene()
    try await scene.run { engagement in
      try await engagement.arrive()
      let items = try await scene.emulator.items(of: "vibes")
      let messages = engagement.inbox.messages
      #expect(messages.map(\.id.value) == items.reversed().compactMap { $0["message_uid"]?.string })
      for item in items {
        let id = ItemID("vibes", try #require(item["message_uid"]?.string))
        let message = try #require(engagement.message(id))
        #expect(message.subject == item["subject"]?.string)
        #expect(message.text == item["content"]?.string)
        #expect(message.detailURLText == item["detail"]?.string)
        #expect(message.iconURLText == item["images"]?["icon"]?.string)
        #expect(message.imageURLText == item["images"]?["main"]?.string)
        #expect(message.isRead == item["read"]?.bool)
        let (created, ends) = (item["created_at"]?.string, item["expires_at"]?.string)
        #expect(message.createdAt == created.flatMap(ISO8601.date(from:)))
        #expect(message.expiresAt == ends.flatMap(ISO8601.date(from:)))
      }
      #expect(engagement.inbox.unreadCount == 5)
    }
    try await scene.end()
  }

  @Test("V8: the inbox drops a malformed message and an older message with the same collapse key")
  func oddMessages() async throws {
    let scene = try await VibesWireScene()
    try await scene.emulator.put(["message_uid": "bad", "content": 7], in: "vibes")
    for id in ["early", "late"] {
      try await scene.emulator.put(
        ["message_uid": .string(id), "content": .string(id), "collapse_key": "offer"], in: "vibes")
    }
    try await scene.run { engagement in
      try await engagement.arrive()
      let ids = engagement.inbox.messages.map(\.id.value)
      #expect(ids.contains("late") && !ids.contains("early") && !ids.contains("bad"))
      #expect(ids.count == 7)
    }
    try await scene.end()
  }

  @Test("V8: the inbox shows only the newest 200 messages")
  func limit() async throws {
    let scene = try await VibesWireScene()
    for number in 1...210 {
      let time = scene.clock.now.addingTimeInterval(Double(number))
      try await scene.emulator.put(
        [
          "message_uid": .string("m-\(number)"), "content": "c",
          "created_at": .string(try #require(ISO8601.text(of: time))),
        ], in: "vibes")
    }
    try await scene.run { engagement in
      try await engagement.arrive()
      let ids = engagement.inbox.messages.map(\.id.value)
      #expect(ids == (11...210).reversed().map { "m-\($0)" })
    }
    try await scene.end()
  }

  @Test("V8 G5: a read message stays read after a restart and an outdated list")
  func readOverlay() async throws {
    let scene = try await VibesWireScene()
    var id = ItemID("vibes", "")
    try await scene.run { engagement in
      try await engagement.arrive()
      id = try #require(engagement.inbox.messages.first { !$0.isRead }).id
      try await scene.strike([
        VibesWireScene.changes.with(["fault": "status", "times": "always"])
      ])
      try await engagement.perform(.read, on: id)
      #expect(engagement.message(id)?.isRead == true)
    }
    try await scene.run { engagement in
      #expect(engagement.message(id)?.isRead == true, "after a restart")
      #expect(await engagement.refreshInbox() != nil)
      #expect(await scene.emulator.times("read") == 0, "the read has not reached the vendor")
      #expect(engagement.message(id)?.isRead == true, "after an outdated list")
      #expect(engagement.inbox.unreadCount == 4)
      try await scene.emulator.load(EmulatorFaults())
      try await scene.settle(engagement)
      #expect(await scene.emulator.times("read", of: id.value, by: "u-1") == 1)
      #expect(await engagement.refreshInbox() == .fresh)
      #expect(engagement.message(id)?.isRead == true, "after the vendor's confirmation")
    }
    try await scene.end()
  }

  @Test("V8: an expired or deleted message stays hidden and expires at the vendor")
  func expiry() async throws {
    let scene = try await VibesWireScene()
    try await scene.run { engagement in
      try await engagement.arrive()
      let ids = engagement.inbox.messages.prefix(3).map(\.id)
      let later = scene.clock.now.addingTimeInterval(3_600)
      let actions: [ItemAction] = [.expire(at: nil), .delete, .expire(at: later)]
      for (action, id) in zip(actions, ids) {
        #expect(try await engagement.outcome { try await $0.perform(action, on: id) } == .delivered)
        #expect(await scene.emulator.times("expire", of: id.value) == 1)
      }
      #expect(engagement.inbox.messages.count == 4)
      await scene.advance(by: .seconds(61))
      #expect(await engagement.refreshInbox() != nil)
      #expect(engagement.inbox.messages.count == 4)
      await scene.advance(by: .seconds(3_600))
      #expect(engagement.message(ids[2]) == nil, "the message has expired")
    }
    try await scene.end()
  }

  @Test("V5 V6 V9 X16: a push in either form fetches its message and reports each event once")
  func push() async throws {
    let scene = try await VibesWireScene()
    try await scene.run { engagement in
      try await engagement.arrive()
      for (id, platform) in [("new-1", "apns"), ("new-2", "fcm")] {
        try await scene.emulator.put(
          ["message_uid": .string(id), "content": "Just in"], in: "vibes")
        let payload = try await scene.emulator.push(
          ["title": "For you", "item": .string(id), "platform": .string(platform), "loose": true],
          from: "vibes")
        let notification = try #require(try await engagement.handlePush(payload)).notification
        #expect(notification.inboxMessageID == id && notification.title == "For you")
        await engagement.deliver(to: "vibes")
        #expect(engagement.message(ItemID("vibes", id))?.text == "Just in")
        for isRepeated in [false, true] {
          let opened = try await engagement.handlePush(payload, phase: .opened)
          #expect(opened?.isRepeated == isRepeated)
        }
        await engagement.deliver(to: "vibes")
      }
      for effect in ["push_receive", "clickthru"] {
        #expect(
          await scene.emulator.times(effect, by: "u-1") == 2, "V5 V6 \(effect) once for each push")
      }
    }
    try await scene.end()
  }

  @Test("V8: a message is fetched by its id, and a missing one is reported as not found")
  func one() async throws {
    let scene = try await VibesWireScene()
    try await scene.run { engagement in
      try await engagement.arrive()
      let id = try #require(engagement.inbox.messages.last).id
      try await scene.emulator.put(
        ["message_uid": .string(id.value), "subject": "Changed"], in: "vibes")
      let outcome = await engagement.refresh(.message(id))
      #expect(outcome.providers == ["vibes": .fresh])
      #expect(engagement.message(id)?.subject == "Changed")
      let missing = await engagement.refresh(.message(ItemID("vibes", "nowhere")))
      #expect(missing.providers["vibes"]?.error?.code == .notFound)
    }
    try await scene.end()
  }

  @Test("V8: a disabled inbox is not requested, and is shown again when enabled")
  func switchedOff() async throws {
    let scene = try await VibesWireScene()
    try await scene.emulator.configure("vibes", ["inboxEnabled": false])
    try await scene.run { engagement in
      try await engagement.arrive(finding: .notModified)
      #expect(await !scene.lines().contains { $0.hasSuffix("/messages") })
    }
    try await scene.emulator.configure("vibes", ["inboxEnabled": true])
    try await scene.run { engagement in
      #expect(await engagement.refreshInbox() == .fresh)
      #expect(engagement.inbox.messages.count == 6)
    }
    try await scene.end()
  }

  @Test(
    "G2 G3 V8: under every kind of fault a read and an open take effect once",
    arguments: EmulatorFaults.requestKinds)
  func struck(kind: String) async throws {
    let scene = try await VibesWireScene()
    try await scene.run { engagement in
      try await engagement.arrive()
      let id = try #require(engagement.inbox.messages.first).id
      let trouble = try #require(Trouble.all.first { $0.kind == kind })
      var fault = trouble.members.with(["fault": .string(kind)])
      if kind == "status" { fault["status"] = 503 }
      try await scene.strike(
        [VibesWireScene.changes, VibesWireScene.reports].map { fault.with($0) })
      let receipts = [
        try await engagement.perform(.read, on: id), try await engagement.perform(.open, on: id),
      ]
      try await scene.settle(engagement)
      for receipt in receipts { #expect(try await receipt.outcome() == .delivered) }
      #expect(await scene.emulator.times("read", of: id.value) == 1)
      // The vendor itself answers events with an empty body, so this fault is undetectable.
      if kind != "empty" {
        #expect(await scene.emulator.times("inbox_open", of: id.value) == 1)
      }
    }
    try await scene.end()
  }
}

extension JSONObject {
  /// The object with these members added or replaced.
  func with(_ others: JSONObject) -> JSONObject {
    var object = self
    for member in others.members { object[member.key] = member.value }
    return object
  }
}
