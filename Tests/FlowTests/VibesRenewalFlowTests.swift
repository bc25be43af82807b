import EngagementAdapterAPI
import EngagementHTTP
import EngagementKit
import EngagementModel
import EngagementTesting
import Testing
import VibesFixtures

@Suite("Vibes: device token renewal") struct VibesRenewalFlowTests {
  private static let messages = (0..<10).map { Vibes.Operation.message("m-\($0)") }
  private static let old = "MobileAppToken token-1"
  private static let new = "MobileAppToken token-2"

  /// A scene with a device whose token has just been refused, which holds the refusals until ten
  /// are there and the renewals until all are there that the variant lets through at one time.
  private func expired(
    _ variant: KitVariant, holding late: (line: String, gate: Gate)? = nil
  ) async throws -> VibesScene {
    let (vendor, refusals, renewals) = (FakeVibes(), Gate(), Gate())
    let expected = variant.sharesRunner ? 1 : 10
    let scene = try VibesScene(variant, vendor: vendor) { request throws(EngagementError) in
      let response = try await vendor.respond(to: request)
      if let late, request.line.hasSuffix(late.line), response.status == 401 {
        await late.gate.pass()
      } else if request.line.hasPrefix("GET"), response.status == 401 {
        if await vendor.refusals >= 10 { refusals.open() }
        await refusals.pass()
      } else if request.method == .put {
        if await vendor.puts >= expected { renewals.open() }
        await renewals.pass()
      }
      return response
    }
    await vendor.seed("person-of-device-1", (0..<10).map { "m-\($0)" } + ["m-late"])
    #expect(await scene.perform(.person) == .done)
    await vendor.expireTokens()
    scene.transport.forget()
    return scene
  }

  // MARK: Flow 2

  @Test("flow 2 V2 V8: ten operations with an expired token cause one renewal and ten retries")
  func renewsOnce() async throws { try await flowRenewal(.complete) }

  @Test("flow 2: the renewal flow fails without single flight")
  func renewsTenTimesWithoutSingleFlight() async {
    await withKnownIssue { try await flowRenewal(.withoutSingleFlight) }
  }

  @Test("flow 2: the renewal flow fails when only the application may renew the token")
  func failsWhereOnlyTheAppRenews() async {
    await withKnownIssue { try await flowRenewal(.askingTheApp) }
  }

  @Test("flow 2: the renewal flow fails when the new token is not stored")
  func failsWhereTheNewTokenIsLost() async {
    await withKnownIssue {
      try await flowRenewal(.losing { $0 == .secret(.installation, "token", Secret("token-2")) })
    }
  }

  private func flowRenewal(_ variant: KitVariant) async throws {
    let scene = try await expired(variant)
    let outcomes = await scene.perform(Self.messages)
    #expect(outcomes == Array(repeating: .done, count: 10))
    #expect(scene.lines.filter { $0 == "PUT /devices/device-1" }.count == 1)
    #expect(scene.tokens { $0.hasPrefix("PUT") } == [Self.old])
    #expect(
      scene.tokens { $0.hasPrefix("GET") }
        == Array(repeating: Self.old, count: 10) + Array(repeating: Self.new, count: 10))
    #expect(scene.memory.context().secrets[.installation, "token"] == Secret("token-2"))
    #expect(scene.value(.installation, "device") == "device-1")
    #expect(scene.memory.messages.count == 10)
    let renewal = try #require(scene.transport.requests.first { $0.method == .put })
    #expect(renewal.text.hasPrefix(#"{"device":{"os":"Android","os_version":"12","#))
  }

  @Test("flow 2 V2: a late refusal of the old token causes no second renewal")
  func lateRefusal() async throws {
    let gate = Gate()
    let scene = try await expired(.complete, holding: ("/m-late", gate))
    async let late = scene.perform(.message("m-late"))
    await gate.isHolding(1)
    #expect(await scene.perform(Self.messages) == Array(repeating: .done, count: 10))
    gate.open()
    #expect(await late == .done)
    #expect(scene.lines.filter { $0.hasPrefix("PUT") }.count == 1)
    #expect(scene.tokens { $0.hasSuffix("/m-late") } == [Self.old, Self.new])
  }

  @Test("flow 2 V2: a refused renewal refuses all waiting operations, and none is retried")
  func refusedRenewal() async throws {
    let scene = try await expired(.complete)
    await scene.vendor.fail("PUT \(Vibes.root)/devices/device-1", .status(401), .status(401))
    let outcomes = await scene.perform(Self.messages)
    for outcome in outcomes {
      guard case .refused(let error) = outcome else {
        Issue.record("A device that the vendor refuses cannot go on: \(outcome)")
        continue
      }
      #expect(error.code == .unauthenticated)
    }
    // The old token: once for each operation, and once more for the renewal.
    #expect(scene.lines.count == 11)
    #expect(scene.lines.last == "PUT /devices/device-1")
    #expect(await scene.vendor.registrations == 1)
    #expect(scene.value(.installation, "device") == "device-1")
  }

  @Test("flow 2 V2: a refused new token is not renewed again")
  func refusedAgain() async throws {
    let scene = try VibesScene(.complete)
    #expect(await scene.perform(.person) == .done)
    scene.transport.forget()
    await scene.vendor.fail("GET \(Vibes.root)", .status(401), .status(401), .status(401))
    guard case .refused(let error) = await scene.perform(.settings) else {
      Issue.record("It was refused twice.")
      return
    }
    #expect(error.code == .unauthenticated)
    #expect(scene.lines == ["GET ", "PUT /devices/device-1", "GET "])
  }

  @Test("flow 2 V2: an unavailable renewal keeps the token and the pending operations")
  func unavailableRenewal() async throws {
    let scene = try await expired(.complete)
    await scene.vendor.fail("PUT \(Vibes.root)/devices/device-1", .status(503))
    scene.memory.accept(.device(.update))
    let outcomes = await scene.perform(Self.messages)
    for outcome in outcomes {
      guard case .retry(let error) = outcome else {
        Issue.record("Nothing was refused: \(outcome)")
        continue
      }
      #expect(error.retryAfter == .seconds(7))
    }
    #expect(scene.memory.pending == [.operation(.device(.update))])
    #expect(scene.memory.context().secrets[.installation, "token"] == Secret("token-1"))
    await scene.runners.drain()
    #expect(scene.memory.pending.isEmpty)
    #expect(scene.lines.last == "PATCH /devices/device-1")
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
    let scene = try VibesScene(variant)
    scene.memory.setPush(PushRegistration(token: Secret("0aff"), service: .apns))
    await scene.vendor.know("u-1", as: "person-1")
    await scene.vendor.seed("person-1", ["m-1"])
    for operation in [Vibes.Operation.associate("u-1"), .registerPush(.production), .inbox] {
      #expect(await scene.perform(operation) == .done)
    }
    await scene.vendor.loseDevices()
    scene.transport.forget()
    #expect(await scene.perform(.inbox) == .done)
    #expect(
      scene.lines == [
        "GET /persons/person-1/messages", "PUT /devices/device-1", "POST /devices",
        "POST /devices/device-2/assign", "GET /devices/device-2/person",
        "GET /persons/person-1/messages",
      ])
    #expect(scene.memory.messages.map(\.id.value) == ["m-1"])
    #expect(scene.memory.pending == [.operation(.registerPush(.production))])
    await scene.runners.drain()
    #expect(await scene.vendor.devices["device-2"]?.push == "0AFF")
  }
}

extension KitVariant {
  /// A variant that knows nobody but the application to renew a credential.
  fileprivate static let askingTheApp = KitVariant.without { adapter in
    adapter.answer = { answer in
      guard case .renew(.operation) = answer.verdict else { return answer }
      return Answer(answer.changes, .renew(.credential))
    }
  }
}
