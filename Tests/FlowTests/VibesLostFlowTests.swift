import EngagementAdapterAPI
import EngagementKit
import EngagementModel
import EngagementTesting
import EngagementVibes
import Testing
import VibesFixtures

@Suite("Vibes: what is lost on one side or the other") struct VibesLostFlowTests {
  /// A user with a device, a message, and an event that waits.
  private func scene() async throws -> VibesScene {
    let scene = try VibesScene(.whole)
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
    "G9 where all that was remembered of a user is lost, what waits goes out as theirs all the same (V7)"
  )
  func lostMemory() async throws {
    let scene = try await scene()
    try scene.memory.act(.read, on: ItemReference(scene.memory.messages[0]))
    scene.memory.commit(
      ["associated", "associated.device", "person", "person.device", "person.time"].map {
        .keep(.user, $0, nil)
      } + [.keep(.installation, "device", nil), .keep(.installation, "device.user", nil)])
    await scene.roads.drain()
    #expect(
      scene.lines == [
        "POST /devices", "POST /devices/device-2/assign", "POST /devices/device-2/events",
        "GET /devices/device-2/person", "PUT /persons/person-1/messages/m-1",
      ])
    #expect(scene.memory.pending.isEmpty)
    #expect(await scene.vendor.isRead("m-1", by: "person-1"))
  }

  @Test("a refresh shows nothing of another's before the association that waits (V7, V8)")
  func overtaking() async throws {
    let scene = try VibesScene(.whole, user: .anonymous)
    await scene.vendor.know("u-1", as: "person-1")
    await scene.vendor.seed("person-of-device-1", ["m-1"])
    await scene.vendor.seed("person-1", ["m-2"])
    #expect(await scene.perform(.inbox) == .done)
    await scene.vendor.fail("/assign", .status(503), .status(503))
    await scene.memory.signIn("u-1", scene.roads.exchange)
    #expect(scene.memory.pending == [.operation(.associate("u-1"))])
    scene.transport.forget()
    #expect(await scene.perform(.inbox) != .done)
    #expect(scene.lines == ["POST /devices/device-1/assign"])
    #expect(await scene.perform(.inbox) == .done)
    #expect(scene.memory.messages.map(\.id.value) == ["m-2"])
    await scene.roads.drain()
    #expect(scene.memory.messages.map(\.id.value) == ["m-2"])
    #expect(scene.memory.pending.isEmpty)
  }

  @Test("what was done before anybody signed in is said of the person that the device had (V7, V8)")
  func adopted() async throws {
    let scene = try VibesScene(.whole, user: .anonymous)
    await scene.vendor.know("u-1", as: "person-1")
    await scene.vendor.seed("person-of-device-1", ["m-1"])
    #expect(await scene.perform(.inbox) == .done)
    try scene.memory.act(.read, on: ItemReference(scene.memory.messages[0]))
    await scene.vendor.fail("/m-1", .status(503), .status(503))
    await scene.memory.signIn("u-1", scene.roads.exchange)
    scene.transport.forget()
    await scene.roads.drain()
    #expect(
      scene.lines.filter { !$0.hasPrefix("GET") } == [
        "PUT /persons/person-of-device-1/messages/m-1", "POST /devices/device-1/assign",
      ])
    #expect(await scene.vendor.isRead("m-1", by: "person-of-device-1"))
  }

  @Test("where a server associates, nobody is claimed to be the user (V7)")
  func byServer() async throws {
    let scene = try VibesScene(.whole, association: .byServer)
    #expect(await scene.perform(.inbox) == .done)
    #expect(!scene.lines.contains { $0.hasSuffix("/assign") })
  }

  @Test("the token of one device is never sent with the id of another (V2)")
  func strangersToken() async throws {
    let scene = try await scene()
    // As after a kill between the two places where they are kept.
    scene.memory.commit([
      .secret(.installation, "token", Secret("token-9")),
      .secret(.installation, "token.device", Secret("device-9")),
    ])
    await scene.roads.drain()
    #expect(
      scene.lines == [
        "POST /devices", "POST /devices/device-2/assign", "POST /devices/device-2/events",
      ])
    #expect(await scene.vendor.events == ["e-1": "launch"])
  }

  // MARK: There

  @Test(
    "G8 a device that is gone without our knowledge is registered anew, and what met that goes out (V2, V5)",
    arguments: [404, 410])
  func deadDevice(status: Int) async throws {
    let scene = try await scene()
    // As after a kill between its removal and our taking note of that.
    await scene.vendor.loseDevices()
    await scene.vendor.fail("/device-1/events", .status(status))
    await scene.roads.drain()
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
    await scene.roads.drain()
    #expect(await scene.vendor.events == ["e-1": "launch", "e-2": "launch"])
  }

  @Test("a device is asked for again where that was cut short (V2, V5)")
  func doubtOverAKill() async throws {
    let scene = try await scene()
    await scene.vendor.loseDevices()
    await scene.vendor.fail("/device-1/events", .status(404), .status(404))
    await scene.vendor.fail("PUT \(Vibes.root)/devices/device-1", .status(503))
    await scene.roads.drain()
    #expect(scene.memory.pending.count == 1)
    await scene.roads.drain()
    #expect(scene.memory.pending.isEmpty)
    #expect(await scene.vendor.events == ["e-1": "launch"])
  }

  @Test("G4 what the vendor does not know though it knows the device is refused, once (V2, V5)")
  func liveDevice() async throws {
    let scene = try await scene()
    await scene.vendor.fail("/events", .status(404), .status(404))
    let outcomes = await scene.roads.drain()
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
