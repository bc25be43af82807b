import CleverTapFixtures
import EngagementAdapterAPI
import EngagementCleverTap
import EngagementHTTP
import EngagementKit
import EngagementModel
import EngagementTesting
import FoundationEssentials
import Testing

@Suite("CleverTap: muting and redirects to other hosts") struct CleverTapSilenceFlowTests {
  /// The answer that asks for an hour of silence.
  private static let muted = HTTPResponse.json(
    200, "{}", headers: [("X-WZRK-MUTE", "true"), ("X-WZRK-MUTE-DURATION", "1790848800000")])

  // MARK: Flow 8

  @Test(
    "flow 8 C10 C11: while the account is muted every operation waits, and all are sent afterwards")
  func mute() async throws { try await flowMute(.complete) }

  @Test("flow 8: the muting flow fails without a pause")
  func needsPause() async {
    await withKnownIssue {
      try await flowMute(.changing { if case .paused = $0 { nil } else { $0 } })
    }
  }

  @Test("flow 8: the muting flow fails if the pause binds one user alone")
  func needsPauseOfTheInstallation() async {
    await withKnownIssue {
      try await flowMute(
        .changing { if case .paused(let date) = $0 { .throttled(nil, until: date) } else { $0 } })
    }
  }

  private func flowMute(_ variant: KitVariant) async throws {
    let scene = try await CleverTapScene(variant)
    try await scene.signIn("u-1")
    try await scene.report("Basket opened")
    await scene.vendor.reply("eu1.clevertap-prod.com/a1", Self.muted)
    await scene.deliver()
    #expect(try await scene.pending == 0)
    scene.transport.forget()
    try await scene.report("Basket left")
    try await scene.view()
    try await scene.engagement.associate("u-1")
    let end = CleverTap.time.addingTimeInterval(3_600)
    await scene.deliver()
    #expect(try await scene.pending == 3)
    for operation in [CleverTap.Operation.inbox, .optOut(true)] {
      #expect(await scene.perform(operation) == .wait(until: end))
    }
    scene.clock.advance(by: .seconds(3_599))
    #expect(await scene.perform(.settings) == .wait(until: end))
    // The account is muted, for every user.
    try await scene.signIn("u-2")
    #expect(await scene.perform(.inbox) == .wait(until: end))
    try await scene.signIn("u-1")
    #expect(scene.lines.isEmpty)
    scene.clock.advance(by: .seconds(1))
    await scene.deliver()
    #expect(try await scene.pending == 0)
    #expect(
      scene.lines == [CleverTap.batch, CleverTap.viewed]
        + Array(repeating: CleverTap.batch, count: 3))
    #expect(
      await scene.batches().dropFirst(2) == [
        ["Basket left"], ["Notification Viewed"], ["profile Identity"], ["App Launched"],
        ["profile Identity"],
      ])
    try await scene.end()
  }

  @Test("flow 8 C11: an invalid operation is refused at once, even while the account is muted")
  func refusesWhileMuted() async throws {
    let scene = try await CleverTapScene(.complete)
    await scene.vendor.reply("clevertap-prod.com/hello", Self.muted)
    #expect(
      await scene.perform(.inbox) == .wait(until: CleverTap.time.addingTimeInterval(3_600)))
    guard case .refused(let error) = await scene.perform(.registerPush(.production)) else {
      Issue.record("There is no token.")
      return
    }
    #expect(error.code == .invalidArgument)
    try await scene.end()
  }

  @Test(
    "flow 8 C11: a mute without a valid future end lasts a day",
    arguments: [nil, "", "soon", "3600000", "1790845200000", "99999999999999999999"])
  func defaultSilence(duration: String?) async throws {
    let scene = try await CleverTapScene(.complete)
    let headers =
      [("X-WZRK-MUTE", "true")] + (duration.map { [("X-WZRK-MUTE-DURATION", $0)] } ?? [])
    await scene.vendor.reply("clevertap-prod.com/hello", .json(200, "{}", headers: headers))
    #expect(
      await scene.perform(.inbox) == .wait(until: CleverTap.time.addingTimeInterval(86_400)))
    #expect(scene.lines == [CleverTap.hello])
    try await scene.end()
  }

  @Test("flow 8 C11: a mute until the end of time lasts thirty days")
  func longestSilence() async throws {
    let scene = try await CleverTapScene(.complete)
    await scene.vendor.reply(
      "clevertap-prod.com/hello",
      .json(
        200, "{}",
        headers: [("X-WZRK-MUTE", "true"), ("X-WZRK-MUTE-DURATION", "9999999999999")]))
    #expect(
      await scene.perform(.inbox) == .wait(until: CleverTap.time.addingTimeInterval(2_592_000)))
    try await scene.end()
  }

  @Test(
    "flow 8 C11: any mute header other than true is ignored",
    arguments: ["false", "0", "no", "", "maybe"])
  func noSilence(value: String) async throws {
    let scene = try await CleverTapScene(.complete)
    try await scene.report("Basket opened")
    await scene.vendor.reply(
      "eu1.clevertap-prod.com/a1",
      .json(
        200, "{}",
        headers: [("X-WZRK-MUTE", value), ("X-WZRK-MUTE-DURATION", "1790848800000")]))
    await scene.deliver()
    #expect(await scene.perform(.inbox) == .done)
    try await scene.end()
  }

  // MARK: Other hosts

  @Test(
    "flow 8 C11: a batch whose answer names another allowed host is sent again to that host")
  func moves() async throws { try await flowMove(.complete) }

  @Test("flow 8 C11: an answer that names another allowed host asks for a retry after a second")
  func retriesAfterMove() async throws {
    let scene = try await CleverTapScene(.complete)
    await scene.vendor.reply(
      "eu1.clevertap-prod.com/a1",
      .json(200, "", headers: [("X-WZRK-RD", "in1.clevertap-prod.com")]))
    let outcome = await scene.perform(.events([CleverTap.event("e-1", .custom, "Basket opened")]))
    guard case .retry(let error) = outcome else {
      Issue.record("The vendor did not take it: \(outcome)")
      return
    }
    #expect(error.code == .unavailable)
    #expect(error.retryAfter == .seconds(1))
    try await scene.end()
  }

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
    let scene = try await CleverTapScene(variant)
    try await scene.report("Basket opened")
    try await scene.view()
    // What was viewed goes elsewhere already, so that answer moves nothing.
    let moved = HTTPResponse.json(200, "", headers: [("X-WZRK-RD", "in1.clevertap-prod.com")])
    await scene.vendor.reply("eu1.clevertap-prod.com/a1", moved)
    await scene.vendor.reply("eu1-spiky.clevertap-prod.com/a1", moved)
    await scene.deliver()
    #expect(try await scene.pending == 2, "after a failure the rest of the queue waits too")
    scene.clock.advance(by: .seconds(300))
    scene.transport.forget()
    await scene.deliver()
    #expect(scene.lines == [CleverTap.viewed, "POST in1.clevertap-prod.com/a1"])
    #expect(try await scene.pending == 0)
    #expect(await scene.vendor.batches(at: "in1.clevertap-prod.com").map(\.names).count == 1)
    try await scene.end()
  }

  @Test("flow 8 C11: repeated failures of a host lead to a new handshake that finds the new host")
  func deadHost() async throws {
    let scene = try await CleverTapScene(.complete)
    #expect(await scene.perform(.inbox) == .done)
    scene.clock.advance(by: .seconds(7_200))
    await scene.vendor.move(to: "in1.clevertap-prod.com")
    await scene.vendor.reply("clevertap-prod.com/hello", HTTPResponse(503))
    scene.transport.forget()
    try await scene.report("Basket opened")
    await scene.deliver(times: 6)
    #expect(
      scene.lines
        == Array(repeating: CleverTap.batch, count: 4)
        + [CleverTap.hello, CleverTap.hello, "POST in1.clevertap-prod.com/a1"])
    #expect(try await scene.pending == 0)
    try await scene.end()
  }

  @Test("flow 8 C11: a host that keeps failing leads to at most one handshake an hour")
  func failingHost() async throws {
    let scene = try await CleverTapScene(.complete)
    try await scene.report("Basket opened")
    for _ in 0..<11 {
      await scene.vendor.reply("eu1.clevertap-prod.com/a1", HTTPResponse(500))
      await scene.deliver(times: 1)
    }
    #expect(scene.lines.filter { $0 == CleverTap.hello }.count == 1)
    scene.clock.advance(by: .seconds(3_600))
    await scene.deliver()
    #expect(scene.lines.filter { $0 == CleverTap.hello }.count == 2)
    #expect(try await scene.pending == 0)
    try await scene.end()
  }

  @Test("C11: a configured region needs no handshake and ignores redirects")
  func region() async throws {
    let scene = try await CleverTapScene(.complete, CleverTap.configuration(region: "in1"))
    await scene.vendor.reply(
      "in1.clevertap-prod.com/a1",
      .json(200, "{}", headers: [("X-WZRK-RD", "eu1.clevertap-prod.com")]))
    #expect(await scene.perform(.settings) == .done)
    try await scene.report("Basket opened")
    try await scene.view()
    await scene.deliver()
    #expect(
      scene.lines == [
        "POST in1.clevertap-prod.com/a1", "POST in1-spiky.clevertap-prod.com/a1",
      ])
    #expect(try await scene.pending == 0)
    try await scene.end()
  }
}
