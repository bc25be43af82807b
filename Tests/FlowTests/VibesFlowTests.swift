import EngagementAdapterAPI
import EngagementHTTP
import EngagementKit
import EngagementModel
import EngagementTesting
import Testing
import VibesFixtures

@Suite("Vibes: device, person and inbox", .timeLimit(.minutes(20))) struct VibesFlowTests {
  private let vendor = FakeVibes()

  // MARK: Flow 1

  @Test("flow 1 V2 V8: a first inbox refresh with three failures registers one device")
  func registersOnce() async throws { try await flowInbox(.complete) }

  @Test("flow 1: the inbox flow fails without stored values")
  func registersAgainWithoutMemory() async {
    await withKnownIssue {
      try await flowInbox(.losing { if case .keep = $0 { true } else { false } })
    }
  }

  private func flowInbox(_ variant: KitVariant) async throws {
    let scene = try await AppScene.vibes(behind: variant, vendor.script)
    await vendor.seed("person-of-device-1", ["m-1", "m-2"])
    await vendor.fail("/person", .status(503), .status(503), .status(503))
    for _ in 1...3 {
      guard case .retry(let error) = await scene.execute(.inbox) else {
        Issue.record("A person that is unavailable is no end of the matter.")
        continue
      }
      #expect(error.code == .unavailable)
      #expect(error.operation == "person")
      #expect(error.underlying == "503")
      scene.clock.advance(by: try #require(error.retryAfter))
    }
    #expect(scene.messages == [])
    #expect(await scene.execute(.inbox) == .done)
    try await checkInbox(scene)
    #expect(await vendor.registrations == 1)
    try await scene.end()
  }

  private func checkInbox(_ scene: AppScene) async throws {
    #expect(
      scene.vibesLines == [
        "POST /devices", "POST /devices/device-1/assign", "GET /devices/device-1/person",
        "GET /devices/device-1/person",
        "GET /devices/device-1/person", "GET /devices/device-1/person",
        "GET /persons/person-of-device-1/messages",
      ])
    #expect(scene.messages == ["m-1", "m-2"])
    #expect(try await scene.person?.key == "person-of-device-1")
    let context = try await scene.context
    #expect(context.values[.installation, "device"] == "device-1")
    #expect(context.values[.user, "person"] == "person-of-device-1")
    #expect(context.secrets[.installation, "token"] == Secret("token-1"))
    let first = try #require(scene.transport.requests.first)
    #expect(!first.headers.contains("Authorization"))
    #expect(scene.vibesTokens(.get) == Array(repeating: "MobileAppToken token-1", count: 5))
  }

  @Test("flow 1 V2: ten concurrent refreshes register one device and ask for one person")
  func registersOnceForAll() async throws { try await flowRefreshes(.complete) }

  @Test("flow 1: the ten refreshes flow fails when the device is not stored")
  func registersForEach() async {
    await withKnownIssue {
      try await flowRefreshes(.losing { $0 == .keep(.installation, "device", "device-1") })
    }
  }

  private func flowRefreshes(_ variant: KitVariant) async throws {
    let gate = Gate()
    let scene = try await AppScene.vibes(behind: variant) {
      [vendor] request throws(EngagementError) in
      let response = try await vendor.respond(to: request)
      if request.line.hasSuffix("/devices") { await gate.pass() }
      return response
    }
    let outcomes = await scene.execute(Array(repeating: .inbox, count: 10)) {
      await scene.waiters(9)
      gate.open()
    }
    #expect(outcomes == Array(repeating: .done, count: 10))
    #expect(await vendor.registrations == 1)
    #expect(scene.vibesLines.filter { $0.hasSuffix("/person") }.count == 1)
    #expect(scene.vibesLines.filter { $0.hasSuffix("/messages") }.count == 10)
    try await scene.end()
  }

  @Test("flow 1: a known person is asked for again only after a minute")
  func believesInAPerson() async throws {
    let scene = try await AppScene.vibes(vendor.script)
    #expect(await scene.execute(.inbox) == .done)
    scene.clock.advance(by: .seconds(59))
    scene.transport.forget()
    #expect(await scene.execute(.inbox) == .done)
    #expect(scene.vibesLines == ["GET /persons/person-of-device-1/messages"])
    scene.clock.advance(by: .seconds(2))
    scene.transport.forget()
    #expect(await scene.execute(.inbox) == .done)
    #expect(
      scene.vibesLines == [
        "GET /devices/device-1/person", "GET /persons/person-of-device-1/messages",
      ])
    try await scene.end()
  }

  // MARK: Events

  @Test("V5: a batch has events of one type, and a batch whose answer is lost counts once")
  func eventsTravelByType() async throws {
    let scene = try await AppScene.vibes(vendor.script)
    await vendor.seed("person-of-device-1", ["m-1"])
    #expect(await scene.execute(.inbox) == .done)
    await scene.deliver()
    await vendor.fail("/events", .lost)
    try await scene.engagement.track(.launch)
    try await scene.perform(.open, on: "m-1")
    try await scene.engagement.track(.launch)
    await scene.deliver()
    #expect(try await scene.pending == 3)
    await scene.deliver(after: .seconds(10))
    #expect(try await scene.pending == 0)
    #expect(await vendor.events.values.sorted() == ["inbox_open", "launch", "launch"])
    let batches = scene.transport.requests.filter { $0.line.hasSuffix("/events") }
    #expect(
      batches.compactMap { $0.headers.first("X-Event-Type") } == ["launch", "inbox_open", "launch"])
    #expect(batches.first?.body == batches.last?.body)
    try await scene.end()
  }
}
