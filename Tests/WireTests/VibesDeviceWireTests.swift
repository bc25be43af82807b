import EngagementEmulator
import EngagementKit
import EngagementModel
import EngagementTesting
import Foundation
import Testing

/// Vibes' devices, tokens, persons and events over real HTTP, against the vendor's own record.
@Suite(.timeLimit(.minutes(20))) struct VibesDeviceWireTests {
  // MARK: Devices

  @Test("V2: concurrent requests and a restart register one device")
  func registersOnce() async throws {
    let scene = try await VibesWireScene()
    try await scene.run { engagement in
      try await engagement.signIn("u-1")
      await withTaskGroup(of: Void.self) { group in
        for target in [Engagement.RefreshTarget.inbox, .person, .settings, .inbox] {
          group.addTask { _ = await engagement.refresh(target) }
        }
      }
      try await scene.settle(engagement)
    }
    try await scene.run { engagement in _ = await engagement.refreshInbox() }
    #expect(await scene.emulator.times("register") == 1)
    #expect(await scene.emulator.times("assign", by: "u-1") == 1)
    try await scene.end()
  }

  @Test(
    "V2: a device id with slashes, plus and equals signs works in every call, as in the clients")
  func base64ID() async throws {
    let scene = try await VibesWireScene()
    try await scene.emulator.configure("vibes", ["base64DeviceIDs": true])
    try await scene.run { engagement in
      try await engagement.arrive()
      try await engagement.registerPush(
        PushRegistration(token: Secret("0aff"), service: .apns))
      try await engagement.updateDevice()
      try await scene.emulator.configure("vibes", ["expireTokens": true])
      await scene.advance(by: .seconds(61))
      #expect(await engagement.refreshInbox()?.error == nil)
      try await engagement.unregisterPush()
      try await scene.settle(engagement)
      try await engagement.unregisterDevice()
      try await scene.settle(engagement)
    }
    for effect in [
      "register", "assign", "renew", "update", "push_register", "push_unregister", "unregister",
    ] {
      #expect(await scene.emulator.times(effect) == 1, "\(effect)")
    }
    let lines = await scene.lines()
    #expect(lines.contains { $0.contains("+") && $0.contains("=") })
    #expect(!lines.contains { $0.contains("%2F") || $0.contains("%2B") || $0.contains("%3D") })
    try await scene.end()
  }

  @Test(
    "V2 G6: an expired token is renewed once for all waiting requests and works after a restart")
  func renewsOnce() async throws {
    let scene = try await VibesWireScene()
    try await scene.run { engagement in
      try await engagement.arrive()
      try await scene.emulator.configure("vibes", ["expireTokens": true])
      let id = try #require(engagement.inbox.messages.first).id
      async let list = engagement.refreshInbox()
      async let person = engagement.refresh(.person)
      let receipt = try await engagement.perform(.read, on: id)
      #expect(try await receipt.outcome() == .delivered)
      #expect(await list?.error == nil)
      #expect(await person.isComplete)
    }
    try await scene.run { engagement in #expect(await engagement.refreshInbox()?.error == nil) }
    #expect(await scene.emulator.times("renew") == 1)
    #expect(await scene.emulator.times("register") == 1)
    try await scene.end()
  }

  @Test(
    "V2 G6: a vendor that always answers 401 is asked for one renewal and one device, and no more")
  func neverLoops() async throws {
    let scene = try await VibesWireScene()
    try await scene.run { engagement in
      try await engagement.arrive()
      await scene.advance(by: .seconds(61))
      try await scene.strike([["fault": "unauthorized", "times": "always"]])
      let before = await scene.emulator.requests().count
      guard case .stale(_, let error)? = await engagement.refreshInbox() else {
        Issue.record("the refresh with a refused token is not stale")
        return
      }
      #expect(error.code == .unauthenticated)
      let asked = await scene.lines(after: before).count
      #expect(asked == 3, "the person, one refused renewal and one refused registration")
      #expect(engagement.inbox.messages.count == 6)
    }
    try await scene.end()
  }

  @Test("V2: a device that the vendor has lost is registered again with its push token")
  func lost() async throws {
    let scene = try await VibesWireScene()
    try await scene.run { engagement in
      try await engagement.arrive()
      let token = PushRegistration(token: Secret("0aff"), service: .apns)
      #expect(try await engagement.outcome { try await $0.registerPush(token) } == .delivered)
      await scene.emulator.reset(seed: 2)
      await scene.advance(by: .seconds(61))
      #expect(await engagement.refreshInbox()?.error == nil)
      #expect(engagement.inbox.messages.count == 6)
      try await scene.settle(engagement)
      for effect in ["register", "push_register"] {
        #expect(await scene.emulator.times(effect) == 1, "\(effect)")
      }
      #expect(await scene.emulator.times("assign", by: "u-1") == 1)
    }
    try await scene.end()
  }

  @Test("V4: a device update reaches the vendor once, in a single PATCH request")
  func update() async throws {
    let scene = try await VibesWireScene()
    try await scene.run { engagement in
      try await engagement.arrive()
      let before = await scene.emulator.requests().count
      #expect(try await engagement.outcome { try await $0.updateDevice() } == .delivered)
      #expect(await scene.emulator.times("update", by: "u-1") == 1)
      #expect(await scene.lines(after: before).map { $0.prefix(6) } == ["PATCH "])
    }
    try await scene.end()
  }

  @Test("V2 V4: an installation without a user registers, renews and gives up its device")
  func withoutUser() async throws {
    let scene = try await VibesWireScene()
    try await scene.run { engagement in
      try await engagement.setConsent(.full)
      #expect(try await engagement.outcome { try await $0.registerDevice() } == .delivered)
      #expect(await scene.emulator.times("register") == 1)
      var before = await scene.emulator.requests().count
      #expect(try await engagement.outcome { try await $0.renewDeviceCredentials() } == .delivered)
      #expect(await scene.lines(after: before).map { $0.prefix(4) } == ["PUT "])
      before = await scene.emulator.requests().count
      #expect(try await engagement.outcome { try await $0.unregisterDevice() } == .delivered)
      #expect(await scene.lines(after: before).map { $0.prefix(7) } == ["DELETE "])
      #expect(await scene.emulator.times("unregister") == 1)
    }
    try await scene.end()
  }

  // MARK: Push

  @Test(
    "V3: a push token registered twice has one effect at the vendor, and so has unregistering it")
  func push() async throws {
    let scene = try await VibesWireScene()
    try await scene.run { engagement in
      try await engagement.arrive()
      for _ in 1...2 {
        let token = PushRegistration(token: Secret("0aff"), service: .apns)
        #expect(try await engagement.outcome { try await $0.registerPush(token) } == .delivered)
      }
      #expect(await scene.emulator.times("push_register", by: "u-1") == 1)
      #expect(try await engagement.outcome { try await $0.unregisterPush() } == .delivered)
      #expect(await scene.emulator.times("push_unregister", by: "u-1") == 1)
    }
    try await scene.end()
  }

  @Test("V12: a silent push migrates a token with one device, one registration and one call-back")
  func migration() async throws {
    let scene = try await VibesWireScene()
    let payload = try await scene.emulator.push(
      ["silent": true, "migrationToken": "62171B34AA"], from: "vibes")
    try await scene.run { engagement in
      try await engagement.setConsent(.full)
      for isRepeated in [false, true] {
        let reception = try #require(try await engagement.handlePush(payload))
        #expect(reception.notification.isSilent && reception.notification.custom.isEmpty)
        #expect(reception.isRepeated == isRepeated)
      }
      try await scene.settle(engagement)
    }
    for effect in ["register", "push_register", "migrate"] {
      #expect(await scene.emulator.times(effect) == 1, "\(effect)")
    }
    try await scene.end()
  }

  // MARK: Users

  @Test("V7: after an associate the person is requested again and has the new id")
  func person() async throws {
    let scene = try await VibesWireScene()
    try await scene.run { engagement in
      try await engagement.arrive()
      #expect(try await engagement.person(at: "vibes")?.externalID == "u-1")
      #expect(try await engagement.outcome { try await $0.associate("u-7") } == .delivered)
      #expect(try await engagement.person(at: "vibes") == nil, "the former person is removed")
      #expect(await engagement.refresh(.person).isComplete)
      #expect(try await engagement.person(at: "vibes")?.externalID == "u-7")
    }
    try await scene.end()
  }

  @Test("V2 X8: each user gets a new device and separate messages")
  func users() async throws {
    let scene = try await VibesWireScene()
    try await scene.run { engagement in
      try await engagement.arrive("u-1")
      let id = try #require(engagement.inbox.messages.first { !$0.isRead }).id
      #expect(try await engagement.outcome { try await $0.perform(.read, on: id) } == .delivered)
      try await engagement.arrive("u-2")
      #expect(engagement.message(id)?.isRead == false, "only the first user has read the message")
      #expect(await scene.emulator.times("register") == 2)
      #expect(await scene.emulator.times("unregister", by: "u-1") == 1)
      #expect(await scene.emulator.times("assign", by: "u-2") == 1)
      #expect(try await engagement.person(at: "vibes")?.externalID == "u-2")
      let report = try await engagement.signOut()
      #expect(report.isClean, "\(report)")
      #expect(await scene.emulator.times("unregister", by: "u-2") == 1)
      #expect(engagement.inbox.messages.isEmpty)
    }
    try await scene.end()
  }

  @Test("X20: a user who denied consent is signed out at the vendor too, with the push token")
  func deniedSignOut() async throws {
    let scene = try await VibesWireScene()
    try await scene.run { engagement in
      try await engagement.arrive("u-1")
      let token = PushRegistration(token: Secret("0aff"), service: .apns)
      #expect(try await engagement.outcome { try await $0.registerPush(token) } == .delivered)
      try await engagement.setConsent(.denied)
      let report = try await engagement.signOut()
      #expect(report.isClean, "\(report)")
      #expect(await scene.emulator.times("unregister", by: "u-1") == 1)
    }
    try await scene.end()
  }

  @Test(
    "V2: a failed unregister is reported, also to the next user, and repeated when that user signs in again"
  )
  func unregisters() async throws {
    let scene = try await VibesWireScene()
    try await scene.run { engagement in
      try await engagement.arrive("u-1")
      let token = PushRegistration(token: Secret("0aff"), service: .apns)
      #expect(try await engagement.outcome { try await $0.registerPush(token) } == .delivered)
      try await scene.strike([["fault": "status", "method": "DELETE", "times": "always"]])
      let report = try await engagement.signOut(within: .zero)
      #expect(report.providers["vibes"]?.mayStillPush == true, "\(report)")
      #expect(await scene.emulator.times("unregister") == 0)
      #expect(report.providers["vibes"]?.failure != nil, "\(report)")
      try await scene.emulator.load(EmulatorFaults())
      // Another user signs in and out, and the stored token expires.
      try await engagement.arrive("u-2")
      let next = try await engagement.signOut()
      #expect(next.providers["vibes"]?.mayStillPush == true, "\(next)")
      #expect(next.providers["vibes"]?.failure == nil && next.providers["vibes"]?.pending == 0)
      try await scene.emulator.configure("vibes", ["expireTokens": true])
    }
    try await scene.run { engagement in
      try await engagement.arrive("u-1")
      try await scene.settle(engagement)
      #expect(await scene.emulator.times("unregister", by: "u-1") == 1)
      #expect(await scene.emulator.times("register") == 3)
    }
    try await scene.end()
  }

  // MARK: Events

  @Test("V5: each activation reports one launch, and a change between other phases none")
  func launches() async throws {
    let scene = try await VibesWireScene()
    try await scene.run { engagement in
      try await engagement.arrive()
      for phase: Engagement.ScenePhase in [
        .active, .active, .inactive, .active, .background, .inactive, .background, .active,
      ] {
        engagement.setScenePhase(phase)
      }
      try await scene.settle(engagement)
      #expect(await scene.emulator.times("launch", by: "u-1") == 3)
    }
    try await scene.end()
  }

  @Test("V5: launch, open and fetch events arrive once each, in batches of one type")
  func events() async throws {
    let scene = try await VibesWireScene()
    try await scene.run { engagement in
      try await engagement.arrive()
      let ids = engagement.inbox.messages.prefix(2).map(\.id)
      await scene.emulator.setOffline(true)
      engagement.setScenePhase(.active)
      for id in ids {
        try await engagement.perform(.open, on: id)
        try await engagement.track(.inboxFetch)
      }
      await engagement.deliver(to: "vibes")
      await scene.emulator.setOffline(false)
      try await scene.settle(engagement)
      #expect(await scene.emulator.times("launch", by: "u-1") == 1)
      #expect(await scene.emulator.times("inbox_fetch", by: "u-1") == 2)
      for id in ids { #expect(await scene.emulator.times("inbox_open", of: id.value) == 1) }
      let refused = await scene.emulator.requests().filter { $0.status == 422 }
      #expect(refused.isEmpty, "the vendor refuses batches of two types and wrong type headers")
    }
    try await scene.end()
  }
}
