import CleverTapFixtures
import EngagementAdapterAPI
import EngagementCleverTap
import EngagementHTTP
import EngagementKit
import EngagementModel
import EngagementTesting
import Testing

@Suite("CleverTap: users") struct CleverTapUserFlowTests {
  private static let push = PushRegistration(token: Secret("0aff"), service: .apns)

  /// A person with a push token and a session, something that was not sent, and what the vendor
  /// wants to hear.
  private func signedIn(_ variant: KitVariant) async throws -> CleverTapScene {
    let scene = try await CleverTapScene(variant)
    try await scene.signIn("u-1")
    await scene.vendor.reply(
      "eu1.clevertap-prod.com/a1", .json(200, #"{"arp":{"v":1},"_i":7,"_j":8}"#))
    try await scene.engagement.registerPush(Self.push)
    await scene.deliver()
    #expect(try await scene.pending == 0)
    scene.engagement.setScenePhase(.active)
    try await scene.report("Basket opened")
    scene.transport.forget()
    return scene
  }

  // MARK: Flow 9

  @Test(
    """
    flow 9 C11 X8: a change of user sends the old queue first and takes a new device until the return
    """)
  func changesUser() async throws { try await flowSwitch(.complete) }

  @Test("flow 9: the change of user fails when the adapter's order is reversed")
  func needsOrder() async {
    await withKnownIssue {
      try await flowSwitch(.without { $0.transition = { Array($0.reversed()) } })
    }
  }

  @Test("flow 9: the change of user fails when the old user's queue is not sent first")
  func needsSendPending() async {
    await withKnownIssue {
      try await flowSwitch(.without { $0.transition = { $0.filter { $0 != .sendPending } } })
    }
  }

  @Test("flow 9: the change of user fails when operations of the old user run as the new user")
  func needsLeave() async {
    await withKnownIssue {
      try await flowSwitch(
        .without { adapter in
          adapter.transition = { steps in
            steps.map { step in
              if case .leave(let operation) = step { .enter(operation) } else { step }
            }
          }
        })
    }
  }

  @Test("flow 9: the change of user fails without operations as the new user")
  func needsEnter() async {
    await withKnownIssue {
      try await flowSwitch(
        .without { adapter in
          adapter.transition = { $0.filter { if case .enter = $0 { false } else { true } } }
        })
    }
  }

  @Test("flow 9: the change of user fails without values of the user")
  func needsValuesOfTheUser() async {
    await withKnownIssue {
      try await flowSwitch(.oneScope(.installation))
    }
  }

  @Test("flow 9: the change of user fails without changes for the new user")
  func needsApply() async {
    await withKnownIssue {
      try await flowSwitch(
        .without { adapter in
          adapter.transition = { $0.filter { if case .apply = $0 { false } else { true } } }
        })
    }
  }

  private func flowSwitch(_ variant: KitVariant) async throws {
    let scene = try await signedIn(variant)
    let first = try #require(await scene.device())
    let before = await scene.vendor.batches.count
    try await scene.signIn("u-2")
    let second = try #require(await scene.device())
    #expect(first != second)
    let batches = Array(await scene.vendor.batches.dropFirst(before))
    #expect(
      batches.map(\.names) == [
        ["data unregister"], ["Basket opened", "App Launched"], ["App Launched"],
        ["profile Identity"], ["data register"],
      ])
    #expect(batches.map(\.guid) == [first, first, second, second, second])
    #expect(scene.lines == Array(repeating: CleverTap.batch, count: 5))
    #expect(batches.map { $0.meta["arp"] == nil } == [false, false, true, true, true])
    #expect(batches.map { $0.meta["_i"] == nil } == [false, false, true, true, true])
    #expect(batches.map { $0.meta["f_ts"] == 0 } == [false, false, true, false, false])
    #expect(batches.map { $0.meta["frs"] } == [false, false, true, false, false])
    #expect(batches.dropFirst(3).first?.items.first?["profile"]?["Identity"] == "u-2")
    #expect(
      batches.last?.items.first?["data"] == ["action": "register", "id": "0aff", "type": "apns"])
    #expect(try await scene.pending == 0)
    try await expectReturn(scene, to: first)
    try await scene.end()
  }

  /// Coming back is the same device with a session of its own.
  private func expectReturn(_ scene: CleverTapScene, to first: String) async throws {
    let before = await scene.vendor.batches.count
    try await scene.signIn("u-1")
    #expect(await scene.device() == first)
    let batches = Array(await scene.vendor.batches.dropFirst(before))
    #expect(
      batches.map(\.names) == [
        ["data unregister"], ["App Launched"], ["profile Identity"], ["data register"],
      ])
    #expect(batches.dropFirst().map(\.guid) == [first, first, first])
    #expect(batches.dropFirst().first?.meta["arp"] == nil)
    #expect(batches.dropFirst().first?.meta["f_ts"] == 0)
    #expect(batches.dropFirst(2).first?.items.first?["profile"]?["Identity"] == "u-1")
    #expect(await scene.vendor.handshakes == 1)
  }

  @Test(
    "flow 9 C11: the first user takes over the anonymous device and its pending events")
  func firstSignIn() async throws { try await flowFirstSignIn(.complete) }

  @Test("flow 9: the first sign-in fails when pending rows are not adopted")
  func needsAdoption() async {
    await withKnownIssue {
      try await flowFirstSignIn(.without { $0.transition = { $0.filter { $0 != .adoptPending } } })
    }
  }

  @Test("flow 9: the first sign-in fails without changes for the new user")
  func needsApplyForTheFirst() async {
    await withKnownIssue {
      try await flowFirstSignIn(
        .without { adapter in
          adapter.transition = { $0.filter { if case .apply = $0 { false } else { true } } }
        })
    }
  }

  private func flowFirstSignIn(_ variant: KitVariant) async throws {
    let scene = try await CleverTapScene(variant)
    #expect(await scene.perform(.campaigns) == .done)
    let device = try #require(await scene.device())
    try await scene.report("Basket opened")
    try await scene.signIn("u-1")
    #expect(
      await scene.batches() == [["wzrk_fetch"], ["Basket opened"], ["profile Identity"]])
    #expect(Set(await scene.vendor.batches.map(\.guid)) == [device])
    // The anonymous user is another person.
    _ = try await scene.engagement.signOut()
    #expect(await scene.perform(.campaigns) == .done)
    let other = try #require(await scene.device())
    #expect(other != device)
    #expect(await scene.vendor.batches.last?.guid == other)
    // The next user does not adopt the first person's data.
    try await scene.report("Basket left")
    try await scene.signIn("u-2")
    #expect(await scene.vendor.batches.dropLast(2).last?.guid == other)
    #expect(
      await scene.batches().suffix(3) == [["Basket left"], ["App Launched"], ["profile Identity"]])
    #expect(![device, other].contains(await scene.device()))
    try await scene.end()
  }

  @Test(
    "flow 9 C11 X7 X8 G13: offline, the old user's queue and token removal wait for that user")
  func changesUserOffline() async throws {
    let scene = try await signedIn(.complete)
    let first = try #require(await scene.device())
    await scene.vendor.reply(
      "eu1.clevertap-prod.com/a1", HTTPResponse(503), HTTPResponse(503), HTTPResponse(503))
    try await scene.signIn("u-2")
    #expect(try await scene.pending == 3)
    var before = await scene.vendor.batches.count
    scene.clock.advance(by: .seconds(600))
    await scene.deliver()
    let second = try #require(await scene.device())
    #expect(second != first)
    var batches = Array(await scene.vendor.batches.dropFirst(before))
    #expect(batches.map(\.names) == [["App Launched"], ["profile Identity"], ["data register"]])
    #expect(Set(batches.map(\.guid)) == [second])
    before = await scene.vendor.batches.count
    try await scene.signIn("u-1")
    #expect(try await scene.pending == 0)
    batches = Array(await scene.vendor.batches.dropFirst(before))
    #expect(
      batches.map(\.names) == [
        ["data unregister"], ["Basket opened", "App Launched"], ["data unregister"],
        ["App Launched"], ["profile Identity"], ["data register"],
      ])
    #expect(batches.map(\.guid) == [second] + Array(repeating: first, count: 5))
    try await scene.end()
  }

  // MARK: In flight

  @Test("flow 9 C10 X8 G13: an answer to the old user never reaches the new user")
  func inFlight() async throws {
    let (vendor, gate) = (FakeCleverTap(), Gate())
    let scene = try await CleverTapScene(.complete, vendor: vendor) {
      request throws(EngagementError) in
      let response = try await vendor.respond(to: request)
      if request.line.hasSuffix("getMessages") { await gate.pass() }
      return response
    }
    try await scene.signIn("u-1")
    let first = try #require(await scene.device())
    await vendor.seed(first, [CleverTap.message("m-1")])
    async let outcome = scene.perform(.inbox)
    await gate.isHolding(1)
    try await scene.signIn("u-2")
    gate.open()
    _ = await outcome
    #expect(scene.messages.isEmpty)
    #expect(await scene.device() != first)
    try await scene.signIn("u-1")
    #expect(scene.messages == ["m-1"])
    try await scene.end()
  }

  @Test("flow 9 C10 X8 G13: an operation of the old user stops at the change of user")
  func betweenSteps() async throws {
    let (vendor, gate) = (FakeCleverTap(), Gate())
    let scene = try await CleverTapScene(.complete, vendor: vendor) {
      request throws(EngagementError) in
      let response = try await vendor.respond(to: request)
      if await vendor.handshakes == 2, request.line == "GET /hello" { await gate.pass() }
      return response
    }
    try await scene.signIn("u-1")
    // The next operation needs a handshake first.
    try await scene.engagement.commit([.keep(.installation, "domain", nil)], from: "clevertap")
    async let outcome = scene.perform(.inbox)
    await gate.isHolding(1)
    try await scene.signIn("u-2")
    gate.open()
    guard case .refused(let error) = await outcome else {
      Issue.record("It went on.")
      return
    }
    #expect(error.code == .signedOut)
    #expect(!scene.lines.contains(CleverTap.getMessages))
    try await scene.end()
  }
}
