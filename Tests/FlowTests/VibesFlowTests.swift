import EngagementAdapterAPI
import EngagementHTTP
import EngagementKit
import EngagementModel
import EngagementTesting
import Testing
import VibesFixtures

@Suite("Vibes: a device, a person, an inbox") struct VibesFlowTests {
  // MARK: Flow 1

  @Test("flow 1: an inbox needs a device and a person; three failures register one device (V2, V8)")
  func registersOnce() async throws { try await flowInbox(.whole) }

  @Test("flow 1 needs each step to be kept before the next begins")
  func registersAgainWithoutCommits() async {
    await withKnownIssue { try await flowInbox(.withoutCommitPerStep) }
  }

  @Test("flow 1 needs what an answer asks to be remembered")
  func registersAgainWithoutMemory() async {
    await withKnownIssue {
      try await flowInbox(.losing { if case .keep = $0 { true } else { false } })
    }
  }

  private func flowInbox(_ door: Door) async throws {
    let scene = try VibesScene(door)
    await scene.vendor.seed("person-of-device-1", ["m-1", "m-2"])
    await scene.vendor.fail("/person", .status(503), .status(503), .status(503))
    for _ in 1...3 {
      guard case .retry(let error) = await scene.perform(.inbox) else {
        Issue.record("A person that is unavailable is no end of the matter.")
        continue
      }
      #expect(error.code == .unavailable)
      #expect(error.operation == "person")
      #expect(error.underlying == "503")
    }
    #expect(scene.memory.messages.isEmpty)
    #expect(await scene.perform(.inbox) == .done)
    try checkInbox(scene)
    #expect(await scene.vendor.registrations == 1)
  }

  private func checkInbox(_ scene: VibesScene) throws {
    #expect(
      scene.lines == [
        "POST /devices", "POST /devices/device-1/assign", "GET /devices/device-1/person",
        "GET /devices/device-1/person",
        "GET /devices/device-1/person", "GET /devices/device-1/person",
        "GET /persons/person-of-device-1/messages",
      ])
    #expect(scene.memory.messages.map(\.id.value) == ["m-1", "m-2"])
    #expect(scene.memory.person?.key == "person-of-device-1")
    #expect(scene.value(.installation, "device") == "device-1")
    #expect(scene.value(.user, "person") == "person-of-device-1")
    #expect(scene.memory.context().secrets[.installation, "token"] == Secret("token-1"))
    let first = try #require(scene.transport.requests.first)
    #expect(!first.headers.contains("Authorization"))
    #expect(
      scene.tokens { $0.hasPrefix("GET") }
        == Array(repeating: "MobileAppToken token-1", count: 5))
  }

  @Test("flow 1: ten refreshes at once register one device and ask for one person (V2)")
  func registersOnceForAll() async throws { try await flowRefreshes(.whole) }

  @Test("flow 1 needs prerequisites to be single-flight")
  func registersTenTimesWithoutSingleFlight() async {
    await withKnownIssue { try await flowRefreshes(.withoutSingleFlight) }
  }

  private func flowRefreshes(_ door: Door) async throws {
    let (vendor, gate) = (FakeVibes(), Gate())
    let scene = try VibesScene(door, vendor: vendor) { request throws(EngagementError) in
      let response = try await vendor.respond(to: request)
      // Held until all are there that this door lets through at the same time.
      if request.method == .post, await vendor.registrations == (door.sharesExchange ? 1 : 10) {
        gate.open()
      }
      await gate.pass()
      return response
    }
    let outcomes = await scene.perform(Array(repeating: .inbox, count: 10))
    #expect(outcomes == Array(repeating: .done, count: 10))
    #expect(await vendor.registrations == 1)
    #expect(scene.lines.filter { $0.hasSuffix("/person") }.count == 1)
    #expect(scene.lines.filter { $0.hasSuffix("/messages") }.count == 10)
  }

  @Test("flow 1: what is known is not asked for again within a minute, and then it is")
  func believesInAPerson() async throws {
    let scene = try VibesScene(.whole)
    #expect(await scene.perform(.inbox) == .done)
    scene.clock.advance(by: .seconds(59))
    scene.transport.forget()
    #expect(await scene.perform(.inbox) == .done)
    #expect(scene.lines == ["GET /persons/person-of-device-1/messages"])
    scene.clock.advance(by: .seconds(2))
    scene.transport.forget()
    #expect(await scene.perform(.inbox) == .done)
    #expect(
      scene.lines == ["GET /devices/device-1/person", "GET /persons/person-of-device-1/messages"])
  }

  // MARK: Events

  @Test("events travel one type a batch, and a batch whose answer is lost counts once (V5)")
  func eventsTravelByType() async throws {
    let scene = try VibesScene(.whole)
    await scene.vendor.fail("/events", .lost)
    scene.memory.accept(Vibes.event("e-1", .launch))
    scene.memory.accept(Vibes.event("e-2", .open, about: Vibes.item("m-1")))
    scene.memory.accept(Vibes.event("e-3", .launch))
    await scene.roads.drain()
    #expect(
      scene.memory.pending == [
        .event(Vibes.event("e-1", .launch)), .event(Vibes.event("e-3", .launch)),
      ])
    await scene.roads.drain()
    #expect(scene.memory.pending.isEmpty)
    #expect(await scene.vendor.events == ["e-1": "launch", "e-2": "inbox_open", "e-3": "launch"])
    let batches = scene.transport.requests.filter { $0.line.hasSuffix("/events") }
    #expect(
      batches.compactMap { $0.headers.first("X-Event-Type") } == ["launch", "inbox_open", "launch"])
    #expect(batches.first?.body == batches.last?.body)
  }
}
