import EngagementAdapterAPI
import EngagementHTTP
import EngagementKit
import EngagementModel
import EngagementTesting
import Testing
import VibesFixtures

@Suite("Vibes: device token renewal", .timeLimit(.minutes(20))) struct VibesRenewalFlowTests {
  private let vendor = FakeVibes()
  private let refusals = Gate()
  private let renewals = Gate()

  private static let messages = (0..<10).map { Vibes.Operation.message("m-\($0)") }
  private static let old = "MobileAppToken token-1"
  private static let new = "MobileAppToken token-2"

  /// A scene with a device whose token has just expired. Refusals are held until there are ten, and
  /// renewals until `renewals` is open.
  private func expired(
    _ variant: KitVariant = .complete, holding late: (line: String, gate: Gate)? = nil
  ) async throws -> AppScene {
    let scene = try await AppScene.vibes(behind: variant) {
      [vendor, refusals, renewals] request throws(EngagementError) in
      let response = try await vendor.respond(to: request)
      if let late, request.line.hasSuffix(late.line), response.status == 401 {
        await late.gate.pass()
      } else if request.method == .get, response.status == 401 {
        if await vendor.refusals >= 10 { refusals.open() }
        await refusals.pass()
      } else if request.method == .put {
        await renewals.pass()
      }
      return response
    }
    await vendor.seed("person-of-device-1", (0..<10).map { "m-\($0)" } + ["m-late"])
    await scene.deliver()
    #expect(await scene.execute(.person) == .done)
    await vendor.expireTokens()
    scene.transport.forget()
    return scene
  }

  /// Asks for ten messages. The renewal ends when so many of the requests wait for it.
  private func fetch(
    _ scene: AppScene, waiters: Int = 9
  ) async -> [OperationRunner.Outcome] {
    await scene.execute(Self.messages) {
      await scene.waiters(waiters)
      renewals.open()
    }
  }

  // MARK: Flow 2

  @Test("flow 2 V2 V8: ten operations with an expired token cause one renewal and ten retries")
  func renewsOnce() async throws { try await flowRenewal(.complete, waiters: 9) }

  @Test("flow 2: the renewal flow fails when only the application may renew the token")
  func failsWhereOnlyTheAppRenews() async {
    await withKnownIssue { try await flowRenewal(.askingTheApp, waiters: 0) }
  }

  @Test("flow 2: the renewal flow fails when the new token is not stored")
  func failsWhereTheNewTokenIsLost() async {
    await withKnownIssue {
      try await flowRenewal(
        .losing { $0 == .secret(.installation, "token", Secret("token-2")) }, waiters: 0)
    }
  }

  private func flowRenewal(_ variant: KitVariant, waiters: Int) async throws {
    let scene = try await expired(variant)
    let outcomes = await fetch(scene, waiters: waiters)
    #expect(outcomes == Array(repeating: .done, count: 10))
    #expect(scene.vibesLines.filter { $0 == "PUT /devices/device-1" }.count == 1)
    #expect(scene.vibesTokens(.put) == [Self.old])
    #expect(
      scene.vibesTokens(.get)
        == Array(repeating: Self.old, count: 10) + Array(repeating: Self.new, count: 10))
    let context = try await scene.context
    #expect(context.secrets[.installation, "token"] == Secret("token-2"))
    #expect(context.values[.installation, "device"] == "device-1")
    #expect(scene.messages.count == 10)
    let renewal = scene.transport.requests.first { $0.method == .put }?.text ?? ""
    #expect(renewal.hasPrefix(#"{"device":{"os":"Android","os_version":"12","#))
    try await scene.end()
  }

  @Test("flow 2 V2: a late refusal of the old token causes no second renewal")
  func lateRefusal() async throws {
    let gate = Gate()
    let scene = try await expired(holding: ("/m-late", gate))
    async let late = scene.execute(.message("m-late"))
    await gate.isHolding(1)
    #expect(await fetch(scene) == Array(repeating: .done, count: 10))
    gate.open()
    #expect(await late == .done)
    #expect(scene.vibesLines.filter { $0.hasPrefix("PUT") }.count == 1)
    let requests = scene.transport.requests.filter { $0.line.hasSuffix("/m-late") }
    #expect(
      requests.map { $0.headers.secret("Authorization")?.revealed } == [Self.old, Self.new])
    try await scene.end()
  }

  @Test("flow 2 V2: after a refused renewal one new device serves all waiting operations")
  func refusedRenewal() async throws {
    let scene = try await expired()
    await vendor.fail("PUT \(Vibes.root)/devices/device-1", .status(401), .status(401))
    _ = await fetch(scene)
    #expect(scene.vibesLines.filter { $0 == "PUT /devices/device-1" }.count == 1)
    #expect(await vendor.registrations == 2)
    #expect(try await scene.context.values[.installation, "device"] == "device-2")
    try await scene.end()
  }

  @Test("flow 2 V2: a refused new token is not renewed again")
  func refusedAgain() async throws {
    let scene = try await AppScene.vibes(vendor.script)
    #expect(await scene.execute(.person) == .done)
    scene.transport.forget()
    await vendor.fail("GET \(Vibes.root)", .status(401), .status(401), .status(401))
    guard case .refused(let error) = await scene.execute(.settings) else {
      Issue.record("It was refused twice.")
      return
    }
    #expect(error.code == .unauthenticated)
    #expect(scene.vibesLines == ["GET ", "PUT /devices/device-1", "GET "])
    try await scene.end()
  }

  @Test("flow 2 V2: an unavailable renewal keeps the token and the pending operations")
  func unavailableRenewal() async throws {
    let scene = try await expired()
    await vendor.fail("PUT \(Vibes.root)/devices/device-1", .status(503))
    try await scene.engagement.updateDevice()
    for outcome in await fetch(scene) {
      guard case .retry(let error) = outcome else {
        Issue.record("Nothing was refused: \(outcome)")
        continue
      }
      #expect(error.retryAfter == .seconds(7))
    }
    #expect(try await scene.pending == 1)
    #expect(try await scene.context.secrets[.installation, "token"] == Secret("token-1"))
    await scene.deliver()
    #expect(try await scene.pending == 0)
    #expect(scene.vibesLines.last == "PATCH /devices/device-1")
    try await scene.end()
  }

  @Test(
    "flow 2 V2 V3 V7: a device that the vendor lost is registered again once for the same person"
  )
  func lostDevice() async throws { try await flowLost(.complete) }

  @Test("flow 2: the lost device flow fails when an answer may not ask for operations")
  func losesThePushWithoutWishes() async {
    await withKnownIssue {
      try await flowLost(.losing { if case .wanted = $0 { true } else { false } })
    }
  }

  private func flowLost(_ variant: KitVariant) async throws {
    let scene = try await AppScene.vibes(behind: variant, vendor.script)
    await vendor.know("u-1", as: "person-1")
    await vendor.seed("person-1", ["m-1"])
    try await scene.engagement.registerPush(
      PushRegistration(token: Secret("0aff"), service: .apns))
    await scene.deliver()
    #expect(await scene.execute(.inbox) == .done)
    await vendor.loseDevices()
    scene.transport.forget()
    #expect(await scene.execute(.inbox) == .done)
    #expect(
      scene.vibesLines == [
        "GET /persons/person-1/messages", "PUT /devices/device-1", "POST /devices",
        "POST /devices/device-2/assign", "GET /devices/device-2/person",
        "GET /persons/person-1/messages",
      ])
    #expect(scene.messages == ["m-1"])
    #expect(try await scene.pending == 1)
    await scene.deliver()
    #expect(scene.vibesLines.last == "POST /devices/device-2/push_registration")
    #expect(await vendor.devices["device-2"]?.push == "0AFF")
    try await scene.end()
  }
}

extension KitVariant {
  /// A variant in which only the application can renew a credential.
  fileprivate static let askingTheApp = KitVariant.without { adapter in
    adapter.answer = { answer in
      guard case .renew(.operation) = answer.verdict else { return answer }
      return Answer(answer.changes, .renew(.credential))
    }
  }
}
