import EngagementEmulator
import EngagementModel
import EngagementVendors
import Testing

/// Which profile a device speaks for.
@Suite(.timeLimit(.minutes(20))) struct CleverTapIdentityTests {
  @Test("C11: what an anonymous device did becomes that of its first identity, of its batch too")
  func firstIdentity() async throws {
    try await CleverTapPhone.run { stand, phone async throws in
      try phone.good([CleverTapPhone.event("Coffee ordered")])
      let id = try #require(try phone.inbox().first?["_id"]?.string)
      try phone.good([
        CleverTapPhone.event("Notification Viewed", ["wzrk_id": "7_1", "wzrk_mid": .string(id)])
      ])
      try phone.good([
        CleverTapPhone.event("Coffee ordered"), CleverTapPhone.profile(["Identity": "ada"]),
      ])
      #expect(await stand.emulator.times("event", by: "anonymous:g-1") == 1)
      #expect(await stand.emulator.times("event", by: "ada") == 1)
      #expect(try phone.inbox().first?["isRead"] == true)
    }
  }

  @Test("C11: two devices with one identity have one profile, and other devices another")
  func shared() async throws {
    try await CleverTapPhone.run { stand, first async throws in
      let (second, third) = (
        CleverTapPhone(stand, guid: "g-2"), CleverTapPhone(stand, guid: "g-3")
      )
      try first.signIn("ada")
      try second.signIn("ada")
      try third.signIn(7)
      let id = try #require(try first.inbox().first?["_id"]?.string)
      try second.good([
        CleverTapPhone.event("Notification Viewed", ["wzrk_id": "7_1", "wzrk_mid": .string(id)])
      ])
      #expect(try first.inbox().first?["isRead"] == true)
      #expect(try third.inbox().first?["isRead"] == false)
      #expect(await stand.emulator.times("profile", of: "Identity", by: "7") == 1)
      #expect(await stand.emulator.times("profile", of: "Identity", by: "ada") == 2)
    }
  }

  @Test("C11: a device that gets another identity leaves the first one's profile as it is")
  func change() async throws {
    try await CleverTapPhone.run { stand, phone async throws in
      try phone.signIn("ada")
      let id = try #require(try phone.inbox().first?["_id"]?.string)
      try phone.good([
        CleverTapPhone.event("Notification Viewed", ["wzrk_id": "7_1", "wzrk_mid": .string(id)])
      ])
      try phone.signIn("bob")
      #expect(try phone.inbox().first?["isRead"] == false)
      try phone.signIn("ada")
      #expect(try phone.inbox().first?["isRead"] == true)
    }
  }

  @Test("C11: the server forces a device id until the device uses it, for the same profile")
  func forcedID() async throws {
    try await CleverTapPhone.run { stand, phone async throws in
      try phone.signIn("ada")
      try await stand.emulator.configure("clevertap", ["guid": "forced"])
      #expect(try phone.good([CleverTapPhone.launch])["g"] == "forced")
      let forced = CleverTapPhone(stand, guid: "forced")
      #expect(try forced.good([CleverTapPhone.launch])["g"] == nil)
      #expect(await stand.emulator.times("App Launched", by: "ada") == 2)
    }
  }
}
