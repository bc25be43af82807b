import EngagementAdapterAPI
import EngagementKit
import EngagementModel
import EngagementTesting
import EngagementVibes
import Testing
import VibesFixtures

@Suite("Vibes: state lost by the kit or by the vendor", .timeLimit(.minutes(20)))
struct VibesLostFlowTests {
  private let vendor = FakeVibes()

  /// A user with a device, a message, and an event that waits.
  private func waiting() async throws -> (scene: AppScene, launch: Engagement.Receipt) {
    await vendor.know("u-1", as: "person-1")
    await vendor.seed("person-1", ["m-1"])
    let scene = try await AppScene.vibes(vendor.script)
    await scene.deliver()
    #expect(await scene.execute(.inbox) == .done)
    let launch = try await scene.engagement.track(.launch)
    scene.transport.forget()
    return (scene, launch)
  }

  /// An anonymous user with a device and a message of its person, before the user signs in.
  private func anonymous() async throws -> AppScene {
    let scene = try await AppScene.vibes(user: .anonymous, vendor.script)
    await vendor.know("u-1", as: "person-1")
    await vendor.seed("person-of-device-1", ["m-1"])
    await vendor.seed("person-1", ["m-2"])
    #expect(await scene.execute(.inbox) == .done)
    return scene
  }

  // MARK: Here

  @Test(
    "G9 V7: pending actions are sent as their user's after the stored values of that user are lost"
  )
  func lostMemory() async throws {
    let (scene, _) = try await waiting()
    try await scene.perform(.read, on: "m-1")
    try await scene.commit(
      ["associated", "associated.device", "person", "person.device", "person.time"].map {
        .keep(.user, $0, nil)
      } + [.keep(.installation, "device", nil), .keep(.installation, "device.user", nil)])
    await scene.deliver()
    #expect(
      scene.vibesLines == [
        "POST /devices", "POST /devices/device-2/assign", "POST /devices/device-2/events",
        "GET /devices/device-2/person", "PUT /persons/person-1/messages/m-1",
      ])
    #expect(try await scene.pending == 0)
    #expect(await vendor.isRead("m-1", by: "person-1"))
    try await scene.end()
  }

  @Test(
    "V7 V8: a refresh waits for a pending association and then shows only the new person's messages"
  )
  func overtaking() async throws {
    let scene = try await anonymous()
    await vendor.fail("/assign", .status(503), .status(503))
    try await scene.signIn("u-1")
    #expect(try await scene.pending == 1)
    scene.transport.forget()
    #expect(await scene.execute(.inbox) != .done)
    #expect(scene.vibesLines == ["POST /devices/device-1/assign"])
    #expect(await scene.execute(.inbox) == .done)
    #expect(scene.messages == ["m-2"])
    await scene.deliver(after: .seconds(10))
    #expect(scene.messages == ["m-2"])
    #expect(try await scene.pending == 0)
    try await scene.end()
  }

  @Test("V7 V8: a read from before the sign-in is sent for the device's previous person")
  func adopted() async throws {
    let scene = try await anonymous()
    try await scene.perform(.read, on: "m-1")
    await vendor.fail("/m-1", .status(503), .status(503))
    try await scene.signIn("u-1")
    scene.transport.forget()
    await scene.deliver(after: .seconds(10))
    #expect(
      scene.vibesLines.filter { !$0.hasPrefix("GET") } == [
        "PUT /persons/person-of-device-1/messages/m-1", "POST /devices/device-1/assign",
      ])
    #expect(await vendor.isRead("m-1", by: "person-of-device-1"))
    try await scene.end()
  }

  @Test("V7: with association by the server a refresh sends no association")
  func byServer() async throws {
    let scene = try await AppScene.vibes(association: .byServer, vendor.script)
    #expect(await scene.execute(.inbox) == .done)
    #expect(!scene.vibesLines.contains { $0.hasSuffix("/assign") })
    try await scene.end()
  }

  @Test("V2: the token of one device is never sent with the id of another")
  func strangersToken() async throws {
    let (scene, _) = try await waiting()
    // As after a kill between the two places where they are kept.
    try await scene.commit([
      .secret(.installation, "token", Secret("token-9")),
      .secret(.installation, "token.device", Secret("device-9")),
    ])
    await scene.deliver()
    #expect(
      scene.vibesLines == [
        "POST /devices", "POST /devices/device-2/assign", "POST /devices/device-2/events",
      ])
    #expect(await vendor.events.values.sorted() == ["launch"])
    try await scene.end()
  }

  // MARK: There

  @Test(
    "G8 V2 V5: a device that the vendor lost is registered again, and the pending event is sent",
    arguments: [404, 410])
  func deadDevice(status: Int) async throws {
    let (scene, _) = try await waiting()
    // As after a kill between its removal and our taking note of that.
    await vendor.loseDevices()
    await vendor.fail("/device-1/events", .status(status))
    await scene.deliver()
    #expect(
      scene.vibesLines == [
        "POST /devices/device-1/events", "PUT /devices/device-1", "POST /devices",
        "POST /devices/device-2/assign", "POST /devices/device-2/events",
      ])
    #expect(try await scene.pending == 0)
    #expect(await vendor.events.values.sorted() == ["launch"])
    // And once more, with the next device.
    try await scene.engagement.track(.launch)
    await vendor.loseDevices()
    await vendor.fail("/device-2/events", .status(status))
    await scene.deliver()
    #expect(await vendor.events.values.sorted() == ["launch", "launch"])
    try await scene.end()
  }

  @Test("V2 V5: an event is sent after an interrupted check of a lost device")
  func doubtOverAKill() async throws {
    let (scene, _) = try await waiting()
    await vendor.loseDevices()
    await vendor.fail("/device-1/events", .status(404), .status(404))
    await vendor.fail("PUT \(Vibes.root)/devices/device-1", .status(503))
    await scene.deliver()
    #expect(try await scene.pending == 1)
    await scene.deliver(after: .seconds(10))
    #expect(try await scene.pending == 0)
    #expect(await vendor.events.values.sorted() == ["launch"])
    try await scene.end()
  }

  @Test("G4 V2 V5: a 404 on a known device refuses the event after one retry")
  func liveDevice() async throws {
    let (scene, launch) = try await waiting()
    await vendor.fail("/events", .status(404), .status(404))
    await scene.deliver()
    guard try await scene.pending == 0, case .rejected(let error) = try await launch.outcome()
    else {
      Issue.record("It has to end.")
      return
    }
    #expect(error.code == .notFound)
    #expect(
      scene.vibesLines == [
        "POST /devices/device-1/events", "PUT /devices/device-1", "POST /devices/device-1/events",
      ])
    #expect(await vendor.registrations == 1)
    try await scene.end()
  }
}
