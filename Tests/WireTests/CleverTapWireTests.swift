import EngagementEmulator
import EngagementKit
import EngagementModel
import EngagementVendors
import Foundation
import Testing

/// The adapter, the transport and the vendor's server over a loopback connection.
@Suite("CleverTap over the wire", .timeLimit(.minutes(5)))
struct CleverTapWireTests {
  @Test("C11: one handshake comes before everything, and the account's host takes the rest")
  func handshake() async throws {
    let scene = try await CleverTapWireScene()
    try await scene.run { engagement in
      try await scene.arrive(engagement)
      #expect(try await scene.outcome(engagement) { try await $0.track("Opened") } == .delivered)
    }
    try await scene.run { engagement in
      let outcome = try await scene.outcome(engagement) { try await $0.track("Closed") }
      #expect(outcome == .delivered)
    }
    let lines = await scene.lines()
    #expect(lines.first?.hasPrefix("GET /hello") == true)
    #expect(lines.filter { $0.hasPrefix("GET /hello") }.count == 1)
    #expect(await scene.effects("event") == ["Closed", "Opened"])
    try await scene.end()
  }

  @Test("C11: what waited goes in batches of 49 with their header, in order, each event once")
  func batches() async throws {
    let scene = try await CleverTapWireScene()
    try await scene.run { engagement in
      try await scene.arrive(engagement)
      let before = await scene.emulator.requests().count
      await scene.emulator.setOffline(true)
      for number in 1...100 { try await engagement.track("Event \(number)") }
      await engagement.deliver(to: CleverTapWireScene.provider)
      await scene.emulator.setOffline(false)
      try await scene.settle(engagement)
      let batches = await scene.emulator.requests(after: before).filter { $0.status == 200 }
      #expect(batches.map(\.effects.count).reduce(0, +) == 100)
      #expect(batches.allSatisfy { $0.effects.count <= 49 })
      #expect(batches.count == 3)
      let names = batches.flatMap { $0.effects.map(\.subject) }
      #expect(names == (1...100).map { "Event \($0)" })
    }
    try await scene.end()
  }

  @Test("C11: the arrival of a push goes to the viewed domain, and all else to the main one")
  func domains() async throws {
    let scene = try await CleverTapWireScene()
    for emulator in [scene.emulator, scene.elsewhere] {
      try await emulator.configure(
        "clevertap",
        ["domain": .string(scene.domain), "viewedDomain": .string(scene.otherDomain)])
    }
    try await scene.put(80, on: "Table chosen")
    let push = try await scene.emulator.push(["raiseViewed": true], from: "clevertap")
    try await scene.run { engagement in
      try await scene.arrive(engagement)
      _ = await engagement.refresh(.campaigns)
      _ = try await engagement.handlePush(push, phase: .delivered)
      _ = try await engagement.handlePush(push, phase: .opened)
      try await engagement.track("Table chosen")
      try await scene.present(engagement)
      try await scene.settle(engagement)
    }
    #expect(await scene.effects("Notification Viewed").count == 1, "the campaign")
    #expect(await scene.effects("Notification Clicked").count == 1, "the push")
    #expect(await scene.elsewhere.times("Notification Viewed") == 1, "the push")
    #expect(await scene.elsewhere.requests().map(\.effects.count) == [1])
    try await scene.end()
  }

  @Test("C11: a batch that the vendor sends elsewhere arrives there")
  func moved() async throws {
    let scene = try await CleverTapWireScene()
    try await scene.run { engagement in
      try await scene.arrive(engagement)
      try await scene.emulator.configure("clevertap", ["domain": .string(scene.otherDomain)])
      #expect(try await scene.outcome(engagement) { try await $0.track("Opened") } == .delivered)
      let before = await scene.emulator.requests().count
      #expect(try await scene.outcome(engagement) { try await $0.track("Closed") } == .delivered)
      #expect(await scene.lines(after: before) == [], "the first host is left")
    }
    #expect(await scene.elsewhere.times("event", of: "Opened") == 1)
    #expect(await scene.elsewhere.times("event", of: "Closed") == 1)
    #expect(await scene.lines().filter { $0.hasPrefix("GET /hello") }.count == 1)
    try await scene.end()
  }

  @Test("C11: attributes and commands change the profile")
  func person() async throws {
    let scene = try await CleverTapWireScene()
    try await scene.run { engagement in
      try await scene.arrive(engagement)
      var update = PersonUpdate()
      (update.name, update.email) = ("Ada", "ada@example.com")
      update.custom = [
        "tier": "gold", "points": ["$incr": 5], "likes": ["$add": ["tea"]], "rooms": ["a", "b"],
        "old": .null,
      ]
      #expect(
        try await scene.outcome(engagement) { try await $0.updatePerson(update) } == .delivered)
    }
    #expect(await scene.effects("profile") == ["Email", "Identity", "Name", "tier"])
    for (command, key) in [
      ("$incr", "points"), ("$add", "likes"), ("$set", "rooms"), ("$delete", "old"),
    ] {
      #expect(await scene.effects(command) == [key], "\(command)")
    }
    try await scene.end()
  }

  @Test("C11: a push token is registered and unregistered")
  func pushToken() async throws {
    let scene = try await CleverTapWireScene()
    try await scene.run { engagement in
      try await scene.arrive(engagement)
      let token = PushRegistration(token: Secret("0aff"), service: .apns)
      #expect(
        try await scene.outcome(engagement) { try await $0.registerPush(token) } == .delivered)
      #expect(
        try await scene.outcome(engagement) { try await $0.unregisterPush() } == .delivered)
    }
    #expect(await scene.emulator.times("register", by: "u-1") == 1)
    #expect(await scene.emulator.times("unregister", by: "u-1") == 1)
    try await scene.end()
  }

  @Test("C11: who withdraws consent is opted out at the vendor, which then gets no events")
  func optOut() async throws {
    let scene = try await CleverTapWireScene()
    try await scene.run { engagement in
      try await scene.arrive(engagement)
      try await engagement.setConsent(.denied)
      try await scene.settle(engagement)
      #expect(await scene.effects("profile").contains("ct_optout"))
      await scene.advance(by: .seconds(60))
      _ = try? await engagement.track("Never")
      try await scene.settle(engagement)
      #expect(await scene.effects("event") == [])
      try await engagement.setConsent(.full)
      try await scene.settle(engagement)
      await scene.advance(by: .seconds(60))
      #expect(try await scene.outcome(engagement) { try await $0.track("Again") } == .delivered)
    }
    #expect(await scene.effects("event") == ["Again"])
    try await scene.end()
  }

  @Test("C11: a muted account is not asked until the time is over, and nothing is lost")
  func mute() async throws {
    let scene = try await CleverTapWireScene()
    try await scene.run { engagement in
      try await scene.arrive(engagement)
      try await scene.emulator.configure("clevertap", ["muted": true, "muteSeconds": 3_600])
      #expect(try await scene.outcome(engagement) { try await $0.track("First") } == .delivered)
      try await scene.emulator.configure("clevertap", ["muted": false])
      let before = await scene.emulator.requests().count
      try await engagement.track("Second")
      await engagement.deliver(to: CleverTapWireScene.provider)
      await scene.advance(by: .seconds(1_800))
      await engagement.deliver(to: CleverTapWireScene.provider)
      #expect(await scene.lines(after: before) == [])
      await scene.advance(by: .seconds(1_801))
      try await scene.settle(engagement)
    }
    #expect(await scene.effects("event") == ["First", "Second"])
    try await scene.end()
  }

  @Test("C11: a change of user follows the vendor's order, and each user has a device")
  func users() async throws {
    let scene = try await CleverTapWireScene()
    try await scene.run { engagement in
      try await scene.arrive(engagement, "u-1")
      let token = PushRegistration(token: Secret("0aff"), service: .apns)
      try await engagement.registerPush(token)
      try await scene.settle(engagement)
      let before = await scene.emulator.requests().count
      try await scene.arrive(engagement, "u-2")
      let effects = await scene.emulator.requests(after: before).flatMap(\.effects)
      #expect(
        effects.map { "\($0.name) \($0.user.hasPrefix("anonymous") ? "device" : $0.user)" } == [
          "unregister u-1", "App Launched device", "profile u-2", "register u-2",
        ])
      try await scene.arrive(engagement, "u-1")
      #expect(try await scene.outcome(engagement) { try await $0.track("Back") } == .delivered)
      #expect(await scene.emulator.times("event", of: "Back", by: "u-1") == 1)
      #expect(try await engagement.signOut().isClean)
    }
    try await scene.end()
  }

  @Test("G13: a registration that waits at a sign-out is not sent after the token is taken back")
  func registrationBeforeFarewell() async throws {
    let scene = try await CleverTapWireScene()
    try await scene.run { engagement in
      try await scene.arrive(engagement)
      try await engagement.registerPush(PushRegistration(token: Secret("0aff"), service: .apns))
      try await scene.settle(engagement)
      #expect(try await engagement.signOut().isClean)
      // The next sign-in registers the token again. It waits when the user leaves.
      try await engagement.signIn("u-1", consent: .full)
      #expect(try await engagement.signOut().isClean)
      try await scene.settle(engagement)
      let effects = await scene.emulator.requests().flatMap(\.effects).map(\.name)
      #expect(effects.last { ["register", "unregister"].contains($0) } == "unregister")
    }
    try await scene.end()
  }

  @Test("C11: a wrong token is reported and what waits is kept, and a wrong account is refused")
  func refusals() async throws {
    let scene = try await CleverTapWireScene()
    try await scene.run { engagement in
      try await scene.arrive(engagement)
      try await scene.emulator.configure("clevertap", ["token": "another"])
      try await engagement.track("Kept")
      await engagement.deliver(to: CleverTapWireScene.provider)
      #expect(try await engagement.pendingCounts[CleverTapWireScene.provider] == 1)
      #expect(await engagement.refresh(.inbox).providers[CleverTapWireScene.provider]?.error != nil)
      try await scene.emulator.configure("clevertap", ["token": "demo"])
      try await scene.settle(engagement)
      #expect(await scene.effects("event") == ["Kept"])
      try await scene.emulator.configure("clevertap", ["account": "another"])
      let before = await scene.emulator.requests().count
      try await engagement.track("Refused")
      await engagement.deliver(to: CleverTapWireScene.provider)
      #expect(await scene.emulator.requests(after: before).map(\.status) == [403])
      #expect(await scene.effects("event") == ["Kept"])
    }
    try await scene.end()
  }

  // MARK: The inbox

  @Test("C10: the inbox is listed, a read message is read at the vendor, a deleted one is gone")
  func inbox() async throws {
    let scene = try await CleverTapWireScene()
    try await scene.run { engagement in
      try await scene.arrive(engagement)
      _ = await engagement.refresh(.inbox)
      let messages = engagement.inbox.messages
      #expect(messages.count == 6)
      let (read, deleted) = (messages[0].id, messages[1].id)
      #expect(
        try await scene.outcome(engagement) { try await $0.perform(.read, on: read) }
          == .delivered)
      #expect(
        try await scene.outcome(engagement) { try await $0.perform(.click, on: read) }
          == .delivered)
      #expect(
        try await scene.outcome(engagement) { try await $0.perform(.delete, on: deleted) }
          == .delivered)
      #expect(await scene.effects("Notification Viewed") == [read.value])
      #expect(await scene.effects("Notification Clicked") == [read.value])
      #expect(await scene.effects("deleteMessages") == [deleted.value])
      await scene.advance(by: .seconds(301))
      let outcome = await engagement.refresh(.inbox).providers[CleverTapWireScene.provider]
      #expect(outcome?.error == nil)
      #expect(engagement.inbox.messages.count == 5)
      #expect(engagement.message(read)?.isRead == true)
    }
    try await scene.end()
  }

  @Test("C10: an account without the newer inbox gets its messages with other answers")
  func olderInbox() async throws {
    let scene = try await CleverTapWireScene()
    try await scene.emulator.configure("clevertap", ["inboxV2": false])
    try await scene.run(serverInbox: false) { engagement in
      try await scene.arrive(engagement)
      _ = await engagement.refresh(.campaigns)
      let messages = engagement.inbox.messages
      #expect(messages.count == 6)
      try await engagement.perform(.read, on: messages[0].id)
      try await engagement.perform(.delete, on: messages[1].id)
      try await scene.settle(engagement)
      #expect(engagement.inbox.messages.count == 5)
    }
    #expect(await scene.effects("deleteMessages") == [])
    try await scene.end()
  }

  @Test("C10: a 403 ends the newer inbox for the session and nothing else")
  func inboxOff() async throws {
    let scene = try await CleverTapWireScene()
    try await scene.emulator.configure("clevertap", ["inboxV2": false])
    try await scene.run { engagement in
      try await scene.arrive(engagement)
      let first = await engagement.refresh(.inbox).providers[CleverTapWireScene.provider]
      #expect(first?.error != nil)
      let before = await scene.emulator.requests().count
      _ = await engagement.refresh(.inbox)
      #expect(await scene.lines(after: before) == [])
      #expect(try await scene.outcome(engagement) { try await $0.track("Opened") } == .delivered)
    }
    try await scene.end()
  }
}
