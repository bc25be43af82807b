import EngagementAdapterAPI
import EngagementKit
import EngagementModel
import EngagementTesting
import EngagementVibes
import Testing
import VibesFixtures

@Suite("Vibes: state lost by the kit or by the vendor") struct VibesLostFlowTests {
  /// A user with a device, a message, and an event that waits.
  private func scene() async throws -> VibesScene {
    let scene = try VibesScene(.complete)
    await scene.vendor.know("u-1", as: "person-1")
    await scene.vendor.seed("person-1", ["m-1"])
    #expect(await scene.perform(.associate("u-1")) == .done)
    #expect(await scene.perform(.inbox) == .done)
    scene.memory.accept(Vibes.event("e-1", .launch))
    scene.transport.forget()
    return scene
  }

  // MARK: Here

  @Test(
    "G9 V7: pending actions are sent as their user's after the stored values of that user are lost"
  )
  func lostMemory() async throws {
    let scene = try await scene()
    try scene.memory.act(.read, on: ItemReference(scene.memory.messages[0]))
    scene.memory.commit(
      ["associated", "associated.device", "person", "person.device", "person.time"].map {
        .keep(.user, $0, nil)
      } + [.keep(.installation, "device", nil), .keep(.installation, "device.user", nil)])
    await scene.runners.drain()
    #expect(
      scene.lines == [
        "POST /devices", "POST /devices/device-2/assign", "POST /devices/device-2/events",
        "GET /devices/device-2/person", "PUT /persons/person-1/messages/m-1",
      ])
    #expect(scene.memory.pending.isEmpty)
    #expect(await scene.vendor.isRead("m-1", by: "person-1"))
  }

  @Test(
    "V7 V8: a refresh waits for a pending association and then shows only the new person's messages"
  )
  func overtaking() async throws {
    let scene = try VibesScene(.complete, user: .anonymous)
    await scene.vendor.know("u-1", as: "person-1")
    await scene.vendor.seed("person-of-device-1", ["m-1"])
    await scene.vendor.seed("person-1", ["m-2"])
    #expect(await scene.perform(.inbox) == .done)
    await scene.vendor.fail("/assign", .status(503), .status(503))
    await scene.memory.signIn("u-1", scene.runners.runner)
    #expect(scene.memory.pending == [.operation(.associate("u-1"))])
    scene.transport.forget()
    #expect(await scene.perform(.inbox) != .done)
    #expect(scene.lines == ["POST /devices/device-1/assign"])
    #expect(await scene.perform(.inbox) == .done)
    #expect(scene.memory.messages.map(\.id.value) == ["m-2"])
    await scene.runners.drain()
    #expect(scene.memory.messages.map(\.id.value) == ["m-2"])
    #expect(scene.memory.pending.isEmpty)
  }

  @Test("V7 V8: a read from before the sign-in is sent for the device's previous person")
  func adopted() async throws {
    let scene = try VibesScene(.complete, user: .anonymous)
    await scene.vendor.know("u-1", as: "person-1")
    await scene.vendor.seed("person-of-device-1", ["m-1"])
    #expect(await scene.perform(.inbox) == .done)
    try scene.memory.act(.read, on: ItemReference(scene.memory.messages[0]))
    await scene.vendor.fail("/m-1", .status(503), .status(503))
    await scene.memory.signIn("u-1", scene.runners.runner)
    scene.transport.forget()
    await scene.runners.drain()
    #expect(
      scene.lines.filter { !$0.hasPrefix("GET") } == [
        "PUT /persons/person-of-device-1/messages/m-1", "POST /devices/device-1/assign",
      ])
    #expect(await scene.vendor.isRead("m-1", by: "person-of-device-1"))
  }

  @Test("V7: with association by the server a refresh sends no association")
  func byServer() async throws {
    let scene = try VibesScene(.complete, association: .byServer)
    #expect(await scene.perform(.inbox) == .done)
    #expect(!scene.lines.contains { $0.hasSuffix("/assign") })
  }

  @Test("V2: the token of one device is never sent with the id of another")
  func strangersToken() async throws {
    let scene = try await scene()
    // As after a kill between the two places where they are kept.
    scene.memory.commit([
      .secret(.installation, "token", Secret("token-9")),
      .secret(.installation, "token.device", Secret("device-9")),
    ])
    await scene.runners.drain()
    #expect(
      scene.lines == [
        "POST /devices", "POST /devices/device-2/assign", "POST /devices/device-2/events",
      ])
    #expect(await scene.vendor.events == ["e-1": "launch"])
  }

  // MARK: There

  @Test(
    "G8 V2 V5: a device that the vendor lost is registered again, and the pending event is sent",
    arguments: [404, 410])
  func deadDevice(status: Int) async throws {
    let scene = try await scene()
    // As after a kill between its removal and our taking note of that.
    await scene.vendor.loseDevices()
    await scene.vendor.fail("/device-1/events", .status(status))
    await scene.runners.drain()
    #expect(
      scene.lines == [
        "POST /devices/device-1/events", "PUT /devices/device-1", "POST /devices",
        "POST /devices/device-2/assign", "POST /devices/device-2/events",
      ])
    #expect(scene.memory.pending.isEmpty)
    #expect(await scene.vendor.events == ["e-1": "launch"])
    // And once more, with the next device.
    scene.memory.accept(Vibes.event("e-2", .launch))
    await scene.vendor.loseDevices()
    await scene.vendor.fail("/device-2/events", .status(status))
    await scene.runners.drain()
    #expect(await scene.vendor.events == ["e-1": "launch", "e-2": "launch"])
  }

  @Test("V2 V5: an event is sent after an interrupted check of a lost device")
  func doubtOverAKill() async throws {
    let scene = try await scene()
    await scene.vendor.loseDevices()
    await scene.vendor.fail("/device-1/events", .status(404), .status(404))
    await scene.vendor.fail("PUT \(Vibes.root)/devices/device-1", .status(503))
    await scene.runners.drain()
    #expect(scene.memory.pending.count == 1)
    await scene.runners.drain()
    #expect(scene.memory.pending.isEmpty)
    #expect(await scene.vendor.events == ["e-1": "launch"])
  }

  @Test("G4 V2 V5: a 404 on a known device refuses the event after one retry")
  func liveDevice() async throws {
    let scene = try await scene()
    await scene.vendor.fail("/events", .status(404), .status(404))
    let outcomes = await scene.runners.drain()
    guard case .refused(let error) = outcomes.first else {
      Issue.record("It has to end.")
      return
    }
    #expect(error.code == .notFound)
    #expect(
      scene.lines == [
        "POST /devices/device-1/events", "PUT /devices/device-1", "POST /devices/device-1/events",
      ])
    #expect(await scene.vendor.registrations == 1)
  }
}
