import EngagementAdapterAPI
import EngagementHTTP
import EngagementKit
import EngagementModel
import EngagementTesting
import Testing
import VibesFixtures

@Suite("Vibes: device, person and inbox") struct VibesFlowTests {
  // MARK: Flow 1

  @Test("flow 1 V2 V8: a first inbox refresh with three failures registers one device")
  func registersOnce() async throws { try await flowInbox(.complete) }

  @Test("flow 1: the inbox flow fails without a commit after each step")
  func registersAgainWithoutCommits() async {
    await withKnownIssue { try await flowInbox(.withoutCommitPerStep) }
  }

  @Test("flow 1: the inbox flow fails without stored values")
  func registersAgainWithoutMemory() async {
    await withKnownIssue {
      try await flowInbox(.losing { if case .keep = $0 { true } else { false } })
    }
  }

  private func flowInbox(_ variant: KitVariant) async throws {
    let scene = try VibesScene(variant)
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

  @Test("flow 1 V2: ten concurrent refreshes register one device and ask for one person")
  func registersOnceForAll() async throws { try await flowRefreshes(.complete) }

  @Test("flow 1: the ten refreshes flow fails without single flight")
  func registersTenTimesWithoutSingleFlight() async {
    await withKnownIssue { try await flowRefreshes(.withoutSingleFlight) }
  }

  private func flowRefreshes(_ variant: KitVariant) async throws {
    let (vendor, gate) = (FakeVibes(), Gate())
    let scene = try VibesScene(variant, vendor: vendor) { request throws(EngagementError) in
      let response = try await vendor.respond(to: request)
      // Held until all are there that this variant lets through at the same time.
      if request.method == .post, await vendor.registrations == (variant.sharesRunner ? 1 : 10) {
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

  @Test("flow 1: a known person is asked for again only after a minute")
  func believesInAPerson() async throws {
    let scene = try VibesScene(.complete)
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

  @Test("V5: a batch has events of one type, and a batch whose answer is lost counts once")
  func eventsTravelByType() async throws {
    let scene = try VibesScene(.complete)
    await scene.vendor.fail("/events", .lost)
    scene.memory.accept(Vibes.event("e-1", .launch))
    scene.memory.accept(Vibes.event("e-2", .open, about: Vibes.item("m-1")))
    scene.memory.accept(Vibes.event("e-3", .launch))
    await scene.runners.drain()
    #expect(
      scene.memory.pending == [
        .event(Vibes.event("e-1", .launch)), .event(Vibes.event("e-3", .launch)),
      ])
    await scene.runners.drain()
    #expect(scene.memory.pending.isEmpty)
    #expect(await scene.vendor.events == ["e-1": "launch", "e-2": "inbox_open", "e-3": "launch"])
    let batches = scene.transport.requests.filter { $0.line.hasSuffix("/events") }
    #expect(
      batches.compactMap { $0.headers.first("X-Event-Type") } == ["launch", "inbox_open", "launch"])
    #expect(batches.first?.body == batches.last?.body)
  }
}
