import EngagementAdapterAPI
import EngagementHTTP
import EngagementKit
import EngagementModel
import EngagementTesting
import FoundationEssentials
import OutlineAdapters
import Testing

@Suite("CleverTap: silence and other hosts") struct CleverTapSilenceFlowTests {
  /// The answer that asks for an hour of silence.
  private static let muted = HTTPResponse.json(
    200, "{}", headers: [("X-WZRK-MUTE", "true"), ("X-WZRK-MUTE-DURATION", "1790848800000")])

  // MARK: Flow 8

  @Test("flow 8: muted for an hour, everything waits and nothing is lost (C10, C11)")
  func mute() async throws { try await flowMute(.whole) }

  @Test("flow 8 needs a step that waits")
  func needsWait() async {
    await withKnownIssue {
      try await flowMute(
        .without { adapter in
          adapter.step = { if case .wait = $0 { .done([]) } else { $0 } }
        })
    }
  }

  @Test("flow 8 needs values of the installation")
  func needsValuesOfTheInstallation() async {
    await withKnownIssue {
      try await flowMute(Door(house: { OneScope(memory: $0, scope: .user) }))
    }
  }

  private func flowMute(_ door: Door) async throws {
    let scene = try CleverTapScene(door)
    scene.report("Basket opened")
    await scene.vendor.reply("eu1.clevertap-prod.com/a1", Self.muted)
    await scene.roads.drain()
    #expect(scene.memory.outbox.map(\.state) == [.delivered])
    scene.transport.forget()
    scene.report("Basket left")
    scene.memory.accept(CleverTap.event("v-1", .impression, on: CleverTap.campaign("5")))
    scene.memory.accept(.optOut(true))
    let end = CleverTap.time.addingTimeInterval(3_600)
    #expect(await scene.roads.drain() == Array(repeating: .wait(until: end), count: 3))
    #expect(await scene.perform(.inbox) == .wait(until: end))
    scene.clock.advance(by: .seconds(3_599))
    #expect(await scene.perform(.settings) == .wait(until: end))
    // It is the account that is muted, whoever uses it.
    await scene.signIn("u-2")
    #expect(await scene.perform(.inbox) == .wait(until: end))
    await scene.signIn("u-1")
    #expect(scene.lines.isEmpty)
    scene.clock.advance(by: .seconds(1))
    await scene.roads.drain()
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

  @Test("flow 8: what would be refused is refused at once, also while muted (C11)")
  func refusesWhileMuted() async throws {
    let scene = try CleverTapScene(.whole)
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
    "flow 8: a silence without a time to come lasts a day (C11)",
    arguments: [nil, "", "soon", "3600000", "1790845200000", "99999999999999999999"])
  func defaultSilence(duration: String?) async throws {
    let scene = try CleverTapScene(.whole)
    let headers =
      [("X-WZRK-MUTE", "true")] + (duration.map { [("X-WZRK-MUTE-DURATION", $0)] } ?? [])
    await scene.vendor.reply("clevertap-prod.com/hello", .json(200, "{}", headers: headers))
    #expect(
      await scene.perform(.inbox) == .wait(until: CleverTap.time.addingTimeInterval(86_400)))
    #expect(scene.lines == [CleverTap.hello])
  }

  @Test("flow 8: only a yes asks for silence (C11)", arguments: ["false", "0", "no", "", "maybe"])
  func noSilence(value: String) async throws {
    let scene = try CleverTapScene(.whole)
    scene.report("Basket opened")
    await scene.vendor.reply(
      "eu1.clevertap-prod.com/a1",
      .json(
        200, "{}",
        headers: [("X-WZRK-MUTE", value), ("X-WZRK-MUTE-DURATION", "1790848800000")]))
    await scene.roads.drain()
    #expect(await scene.perform(.inbox) == .done)
  }

  // MARK: Other hosts

  @Test(
    "flow 8: a batch whose answer names another host that is allowed is sent there again (C11)")
  func moves() async throws { try await flowMove(.whole) }

  @Test("flow 8 needs an answer of 200 that is to be tried again")
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

  private func flowMove(_ door: Door) async throws {
    let scene = try CleverTapScene(door)
    scene.report("Basket opened")
    scene.memory.accept(CleverTap.event("v-1", .impression, on: CleverTap.campaign("5")))
    // What was viewed goes elsewhere already, so that answer moves nothing.
    let moved = HTTPResponse.json(200, "", headers: [("X-WZRK-RD", "in1.clevertap-prod.com")])
    await scene.vendor.reply("eu1.clevertap-prod.com/a1", moved)
    await scene.vendor.reply("eu1-spiky.clevertap-prod.com/a1", moved)
    let outcomes = await scene.roads.drain()
    guard case .retry(let error)? = outcomes.first else {
      Issue.record("The vendor did not take it: \(outcomes)")
      return
    }
    #expect(error.code == .unavailable)
    #expect(error.retryAfter == .seconds(1))
    #expect(scene.memory.outbox.map(\.state) == [.pending, .delivered])
    scene.transport.forget()
    await scene.roads.drain()
    #expect(scene.lines == ["POST in1.clevertap-prod.com/a1"])
    #expect(scene.memory.pending.isEmpty)
    #expect(await scene.vendor.batches(at: "in1.clevertap-prod.com").map(\.names).count == 1)
  }

  @Test("flow 8: a host that is dead is asked after, and not more than once an hour (C11)")
  func deadHost() async throws {
    let scene = try CleverTapScene(.whole)
    #expect(await scene.perform(.inbox) == .done)
    scene.clock.advance(by: .seconds(7_200))
    await scene.vendor.move(to: "in1.clevertap-prod.com")
    await scene.vendor.reply("clevertap-prod.com/hello", HTTPResponse(503))
    scene.transport.forget()
    scene.report("Basket opened")
    for _ in 0..<6 { await scene.roads.drain() }
    #expect(
      scene.lines
        == Array(repeating: CleverTap.batch, count: 4)
        + [CleverTap.hello, CleverTap.hello, "POST in1.clevertap-prod.com/a1"])
    #expect(scene.memory.pending.isEmpty)
  }

  @Test("flow 8: a host that fails for long is not asked after with every attempt (C11)")
  func failingHost() async throws {
    let scene = try CleverTapScene(.whole)
    scene.report("Basket opened")
    for _ in 0..<20 {
      await scene.vendor.reply("eu1.clevertap-prod.com/a1", HTTPResponse(500))
      await scene.roads.drain()
    }
    #expect(scene.lines.filter { $0 == CleverTap.hello }.count == 1)
    scene.clock.advance(by: .seconds(3_600))
    await scene.roads.drain()
    #expect(scene.lines.filter { $0 == CleverTap.hello }.count == 2)
    #expect(scene.memory.pending.isEmpty)
  }

  @Test("a region that was named needs no handshake and stays what it is (C11)")
  func region() async throws {
    let vendor = FakeCleverTap()
    let transport = ScriptedTransport(vendor.script)
    let outline = CleverTapOutline(try CleverTap.configuration(region: "in1"))
    let memory = MemoryHouse(outline, user: "u-1", transport: transport)
    let exchange = Exchange(outline, in: memory)
    await vendor.reply(
      "in1.clevertap-prod.com/a1",
      .json(200, "{}", headers: [("X-WZRK-RD", "eu1.clevertap-prod.com")]))
    #expect(await exchange.perform(.settings, memory.attempt()) == .done)
    memory.accept(CleverTap.event("e-1", .custom, "Basket opened"))
    memory.accept(CleverTap.event("v-1", .impression, on: CleverTap.campaign("5")))
    await memory.drain(exchange)
    #expect(
      transport.requests.compactMap { try? $0.target().host.text }
        == ["in1.clevertap-prod.com", "in1-spiky.clevertap-prod.com"])
    #expect(memory.pending.isEmpty)
  }
}
