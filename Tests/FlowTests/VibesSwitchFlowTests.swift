import EngagementAdapterAPI
import EngagementFormats
import EngagementHTTP
import EngagementKit
import EngagementModel
import EngagementTesting
import Testing
import VibesFixtures

/// Flow 3 where the application changes the user.
@Suite("Vibes: change of user", .timeLimit(.minutes(20))) struct VibesSwitchFlowTests {
  private let vendor = FakeVibes()

  private static let push = PushRegistration(token: Secret("0aff"), service: .apns)
  /// The name of the secret by which the first device is given up.
  private static let leaving = "leaving.\(SHA256.digest(of: "device-1"))"

  /// A person with two messages, one of which was read while the vendor is away.
  private func waiting() async throws -> (scene: AppScene, read: Engagement.Receipt) {
    await vendor.know("u-1", as: "person-1")
    await vendor.know("u-2", as: "person-2")
    await vendor.seed("person-1", ["m-1", "m-2"])
    await vendor.seed("person-2", ["m-3"])
    let scene = try await AppScene.vibes(vendor.script)
    await scene.deliver()
    #expect(await scene.refresh(.inbox) == .fresh)
    #expect(scene.messages == ["m-1", "m-2"])
    await vendor.fail("/m-1", .status(503))
    let read = try await scene.perform(.read, on: "m-1")
    await scene.deliver()
    #expect(try await scene.pending == 1)
    #expect(scene.engagement.inbox.messages.map(\.isRead) == [true, false])
    scene.transport.forget()
    return (scene, read)
  }

  @Test("flow 3 V2 V7 V8 X8: the next user gets a device, a person and messages of their own")
  func switches() async throws {
    let (scene, _) = try await waiting()
    try await scene.signIn("u-2")
    #expect(scene.messages == [], "nothing is shown before the vendor was asked")
    #expect(try await scene.person == nil)
    #expect(await scene.refresh(.inbox) == .fresh)
    #expect(scene.messages == ["m-3"])
    #expect(try await scene.person?.key == "person-2")
    #expect(
      scene.vibesLines == [
        "DELETE /devices/device-1", "POST /devices", "POST /devices/device-2/assign", "GET ",
        "GET /devices/device-2/person", "GET /persons/person-2/messages",
      ])
    let tokens = scene.transport.requests.dropFirst().map {
      $0.headers.secret("Authorization")?.revealed
    }
    #expect(!tokens.contains("MobileAppToken token-1"))
    #expect(await !vendor.isRead("m-1", by: "person-1"))
    try await scene.end()
  }

  @Test(
    "flow 3 V7 X7 G13: the old user's pending read waits until that user signs in again")
  func waitsForItsPerson() async throws {
    let (scene, read) = try await waiting()
    try await scene.signIn("u-2")
    #expect(try await scene.pending == 0)
    await scene.deliver(after: .seconds(600))
    #expect(!scene.vibesLines.contains { $0.contains("m-1") })
    try await scene.signIn("u-1")
    #expect(try await scene.pending == 0)
    #expect(await vendor.isRead("m-1", by: "person-1"))
    #expect(try await read.outcome() == .delivered)
    try await scene.end()
  }

  // MARK: Devices

  @Test("V2 V3 V7: a change of user unregisters the device before the next person is associated")
  func changesUser() async throws {
    let scene = try await AppScene.vibes(user: .anonymous, vendor.script)
    try await scene.engagement.registerPush(Self.push)
    await scene.deliver()
    try await scene.signIn("u-1")
    await vendor.seed("person-of-device-1", ["m-1"])
    #expect(await scene.execute(.inbox) == .done)
    #expect(scene.messages == ["m-1"])
    scene.transport.forget()
    try await scene.signIn("u-2")
    #expect(await scene.execute(.inbox) == .done)
    #expect(
      scene.vibesLines == [
        "DELETE /devices/device-1", "POST /devices", "POST /devices/device-2/assign",
        "POST /devices/device-2/push_registration", "GET /devices/device-2/person",
        "GET /persons/person-of-device-2/messages",
      ])
    #expect(scene.messages == [])
    #expect(await vendor.devices.keys.sorted() == ["device-2"])
    #expect(await vendor.devices["device-2"]?.push == "0AFF")
    try await scene.end()
  }

  @Test("V7: after an offline change of user the kit stops using the old user's device")
  func changesUserOffline() async throws {
    let scene = try await AppScene.vibes(vendor.script)
    await scene.deliver()
    await vendor.fail("DELETE \(Vibes.root)/devices/device-1", .status(503))
    await vendor.fail("POST \(Vibes.root)/devices", .status(503))
    let report = try await scene.engagement.signOut()
    #expect(report.providers["vibes"]?.failure?.code == .unavailable)
    #expect(await scene.execute(.inbox) != .done)
    #expect(await scene.execute(.inbox) == .done)
    scene.transport.forget()
    #expect(
      try await scene.context.secrets[.installation, Self.leaving] == Secret("token-1"))
    // What could not be said of the first device is not said of the second.
    try await scene.signIn("u-1")
    #expect(scene.vibesLines == ["DELETE /devices/device-1", "POST /devices/device-2/assign"])
    #expect(scene.vibesTokens(.delete) == ["MobileAppToken token-1"])
    #expect(await vendor.devices.keys.sorted() == ["device-2"])
    #expect(try await scene.context.secrets[.installation, Self.leaving] == nil)
    #expect(try await scene.pending == 0)
    try await scene.end()
  }

  @Test("V2 G16: the token of an unregistered device is erased after a change of user")
  func forgetsTheToken() async throws {
    let scene = try await AppScene.vibes(vendor.script)
    #expect(await scene.execute(.inbox) == .done)
    try await scene.signIn("u-2")
    #expect(await scene.execute(.inbox) == .done)
    let context = try await scene.context
    #expect(context.secrets[.installation, Self.leaving] == nil)
    #expect(context.values[.installation, "device.released"] == nil)
    #expect(scene.vibesLines.filter { $0.hasPrefix("DELETE") }.count == 1)
    try await scene.end()
  }

  @Test("V2 V7: a late answer to the old user changes nothing of the new user's")
  func returnsLate() async throws {
    let gate = Gate()
    let scene = try await AppScene.vibes { [vendor] request throws(EngagementError) in
      let response = try await vendor.respond(to: request)
      if request.method == .put { await gate.pass() }
      return response
    }
    await vendor.seed("person-of-device-1", ["m-1"])
    await scene.deliver()
    await vendor.expireTokens()
    async let late = scene.execute(.inbox)
    await gate.isHolding(1)
    await vendor.fail("DELETE \(Vibes.root)/devices/device-1", .status(503))
    try await scene.signIn("u-2")
    #expect(try await scene.context.values[.installation, "device"] == "device-2")
    gate.open()
    guard case .refused(let error) = await late else {
      Issue.record("It was asked by somebody who has left.")
      return
    }
    #expect(error.code == .signedOut)
    #expect(try await scene.context.values[.installation, "device"] == "device-2")
    scene.transport.forget()
    #expect(await scene.execute(.inbox) == .done)
    #expect(!scene.vibesLines.contains { $0.contains("device-1") })
    #expect(scene.messages == [])
    try await scene.end()
  }

  @Test("V2 V3: after a sign-out the anonymous user gets a new device without a push token")
  func signsOut() async throws {
    let scene = try await AppScene.vibes(vendor.script)
    try await scene.engagement.registerPush(Self.push)
    await scene.deliver()
    #expect(await vendor.devices["device-1"]?.push == "0AFF")
    _ = try await scene.engagement.signOut()
    #expect(await scene.execute(.inbox) == .done)
    #expect(await vendor.devices.keys.sorted() == ["device-2"])
    #expect(await vendor.devices["device-2"]?.push == nil)
    #expect(try await scene.pending == 0)
    try await scene.end()
  }
}
