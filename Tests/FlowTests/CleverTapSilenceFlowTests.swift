import EngagementAdapterAPI
import EngagementHTTP
import EngagementKit
import EngagementModel
import EngagementTesting
import FoundationEssentials
import OutlineAdapters
import Testing

@Suite("CleverTap: muting and redirects to other hosts") struct CleverTapSilenceFlowTests {
  /// The answer that asks for an hour of silence.
  private static let muted = HTTPResponse.json(
    200, "{}", headers: [("X-WZRK-MUTE", "true"), ("X-WZRK-MUTE-DURATION", "1790848800000")])

  // MARK: Flow 8

  @Test(
    "flow 8 C10 C11: while the account is muted every operation waits, and all are sent afterwards")
  func mute() async throws { try await flowMute(.complete) }

  @Test("flow 8: the muting flow fails without a waiting step")
  func needsWait() async {
    await withKnownIssue {
      try await flowMute(
        .without { adapter in
          adapter.step = { if case .wait = $0 { .done([]) } else { $0 } }
        })
    }
  }

  @Test("flow 8: the muting flow fails without values of the installation")
  func needsValuesOfTheInstallation() async {
    await withKnownIssue {
      try await flowMute(KitVariant(host: { OneScope(memory: $0, scope: .user) }))
    }
  }

  private func flowMute(_ variant: KitVariant) async throws {
    let scene = try CleverTapScene(variant)
    scene.report("Basket opened")
    await scene.vendor.reply("eu1.clevertap-prod.com/a1", Self.muted)
    await scene.runners.drain()
    #expect(scene.memory.outbox.map(\.state) == [.delivered])
    scene.transport.forget()
    scene.report("Basket left")
    scene.memory.accept(CleverTap.event("v-1", .impression, on: CleverTap.campaign("5")))
    scene.memory.accept(.optOut(true))
    let end = CleverTap.time.addingTimeInterval(3_600)
    #expect(await scene.runners.drain() == Array(repeating: .wait(until: end), count: 3))
    #expect(await scene.perform(.inbox) == .wait(until: end))
    scene.clock.advance(by: .seconds(3_599))
    #expect(await scene.perform(.settings) == .wait(until: end))
    // It is the account that is muted, whoever uses it.
    await scene.signIn("u-2")
    #expect(await scene.perform(.inbox) == .wait(until: end))
    await scene.signIn("u-1")
    #expect(scene.lines.isEmpty)
    scene.clock.advance(by: .seconds(1))
    await scene.runners.drain()
    #expect(scene.memory.pending.isEmpty)
    #expect(
      scene.lines == [CleverTap.batch, CleverTap.viewed]
        + Array(repeating: CleverTap.batch, count: 3))
    #expect(
      await scene.batches().dropFirst() == [
        ["Basket left"], ["Notification Viewed"], ["profile ct_optout"], ["App Launched"],
        ["profile Identity"],
      ])
  }

  @Test("flow 8 C11: an invalid operation is refused at once, even while the account is muted")
  func refusesWhileMuted() async throws {
    let scene = try CleverTapScene(.complete)
    await scene.vendor.reply("clevertap-prod.com/hello", Self.muted)
    #expect(
      await scene.perform(.inbox) == .wait(until: CleverTap.time.addingTimeInterval(3_600)))
    guard case .refused(let error) = await scene.perform(.registerPush(.production)) else {
      Issue.record("There is no token.")
      return
    }
    #expect(error.code == .invalidArgument)
  }

  @Test(
    "flow 8 C11: a mute without a valid future end lasts a day",
    arguments: [nil, "", "soon", "3600000", "1790845200000", "99999999999999999999"])
  func defaultSilence(duration: String?) async throws {
    let scene = try CleverTapScene(.complete)
    let headers =
      [("X-WZRK-MUTE", "true")] + (duration.map { [("X-WZRK-MUTE-DURATION", $0)] } ?? [])
    await scene.vendor.reply("clevertap-prod.com/hello", .json(200, "{}", headers: headers))
    #expect(
      await scene.perform(.inbox) == .wait(until: CleverTap.time.addingTimeInterval(86_400)))
    #expect(scene.lines == [CleverTap.hello])
  }

  @Test(
    "flow 8 C11: any mute header other than true is ignored",
    arguments: ["false", "0", "no", "", "maybe"])
  func noSilence(value: String) async throws {
    let scene = try CleverTapScene(.complete)
    scene.report("Basket opened")
    await scene.vendor.reply(
      "eu1.clevertap-prod.com/a1",
      .json(
        200, "{}",
        headers: [("X-WZRK-MUTE", value), ("X-WZRK-MUTE-DURATION", "1790848800000")]))
    await scene.runners.drain()
    #expect(await scene.perform(.inbox) == .done)
  }

  // MARK: Other hosts

  @Test(
    "flow 8 C11: a batch whose answer names another allowed host is sent again to that host")
  func moves() async throws { try await flowMove(.complete) }

  @Test("flow 8: the redirect flow fails when a 200 may not ask for a retry")
  func needsRetryAfterSuccess() async {
    await withKnownIssue {
      try await flowMove(
        .without { adapter in
          adapter.answer = { answer in
            if case .retry = answer.verdict { Answer(answer.changes) } else { answer }
          }
        })
    }
  }

  private func flowMove(_ variant: KitVariant) async throws {
    let scene = try CleverTapScene(variant)
    scene.report("Basket opened")
    scene.memory.accept(CleverTap.event("v-1", .impression, on: CleverTap.campaign("5")))
    // What was viewed goes elsewhere already, so that answer moves nothing.
    let moved = HTTPResponse.json(200, "", headers: [("X-WZRK-RD", "in1.clevertap-prod.com")])
    await scene.vendor.reply("eu1.clevertap-prod.com/a1", moved)
    await scene.vendor.reply("eu1-spiky.clevertap-prod.com/a1", moved)
    let outcomes = await scene.runners.drain()
    guard case .retry(let error)? = outcomes.first else {
      Issue.record("The vendor did not take it: \(outcomes)")
      return
    }
    #expect(error.code == .unavailable)
    #expect(error.retryAfter == .seconds(1))
    #expect(scene.memory.outbox.map(\.state) == [.pending, .delivered])
    scene.transport.forget()
    await scene.runners.drain()
    #expect(scene.lines == ["POST in1.clevertap-prod.com/a1"])
    #expect(scene.memory.pending.isEmpty)
    #expect(await scene.vendor.batches(at: "in1.clevertap-prod.com").map(\.names).count == 1)
  }

  @Test("flow 8 C11: repeated failures of a host lead to a new handshake that finds the new host")
  func deadHost() async throws {
    let scene = try CleverTapScene(.complete)
    #expect(await scene.perform(.inbox) == .done)
    scene.clock.advance(by: .seconds(7_200))
    await scene.vendor.move(to: "in1.clevertap-prod.com")
    await scene.vendor.reply("clevertap-prod.com/hello", HTTPResponse(503))
    scene.transport.forget()
    scene.report("Basket opened")
    for _ in 0..<6 { await scene.runners.drain() }
    #expect(
      scene.lines
        == Array(repeating: CleverTap.batch, count: 4)
        + [CleverTap.hello, CleverTap.hello, "POST in1.clevertap-prod.com/a1"])
    #expect(scene.memory.pending.isEmpty)
  }

  @Test("flow 8 C11: a host that keeps failing leads to at most one handshake an hour")
  func failingHost() async throws {
    let scene = try CleverTapScene(.complete)
    scene.report("Basket opened")
    for _ in 0..<20 {
      await scene.vendor.reply("eu1.clevertap-prod.com/a1", HTTPResponse(500))
      await scene.runners.drain()
    }
    #expect(scene.lines.filter { $0 == CleverTap.hello }.count == 1)
    scene.clock.advance(by: .seconds(3_600))
    await scene.runners.drain()
    #expect(scene.lines.filter { $0 == CleverTap.hello }.count == 2)
    #expect(scene.memory.pending.isEmpty)
  }

  @Test("C11: a configured region needs no handshake and ignores redirects")
  func region() async throws {
    let vendor = FakeCleverTap()
    let transport = ScriptedTransport(vendor.script)
    let outline = CleverTapOutline(try CleverTap.configuration(region: "in1"))
    let memory = MemoryHost(outline, user: "u-1", transport: transport)
    let runner = OperationRunner(outline, in: memory)
    await vendor.reply(
      "in1.clevertap-prod.com/a1",
      .json(200, "{}", headers: [("X-WZRK-RD", "eu1.clevertap-prod.com")]))
    #expect(await runner.execute(.settings, memory.attempt()).outcome == .done)
    memory.accept(CleverTap.event("e-1", .custom, "Basket opened"))
    memory.accept(CleverTap.event("v-1", .impression, on: CleverTap.campaign("5")))
    await memory.drain(runner)
    #expect(
      transport.requests.compactMap { try? $0.target().host.text }
        == ["in1.clevertap-prod.com", "in1-spiky.clevertap-prod.com"])
    #expect(memory.pending.isEmpty)
  }
}
