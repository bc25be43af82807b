import EngagementAdapterAPI
import EngagementHTTP
import EngagementKit
import EngagementModel
import EngagementTesting
import OutlineAdapters
import Testing

@Suite("CleverTap: batches and their answers") struct CleverTapBatchFlowTests {
  /// Everything that an answer to a batch may bring, and a host that nobody allowed.
  private static let full = HTTPResponse.json(
    200,
    """
    {"arp":{"v":3,"d_e":["Noise"]},"imc":10,"inapp_delivery_mode":"CS","inapp_stale":[9],
    "inapp_notifs":[\(CleverTap.campaign(1, template: "due"))],
    "inapp_notifs_cs":[\(CleverTap.campaign(2, template: "here")),
    {"type":"alert-template","ti":3},{"type":"custom-code","ti":4}],
    "inbox_notifs":[\(CleverTap.messageHere("m-1")),{"wzrk_id":"no id"}]}
    """, headers: [("X-WZRK-RD", "eu1.clevertap-prod.com.example.net")])

  // MARK: Flow 8

  @Test(
    """
    flow 8 C7 C9 C10 C11: a batch with views apart brings campaigns and messages after a handshake
    """)
  func batch() async throws { try await flowBatch(.complete) }

  @Test("flow 8: the batch flow fails when views share a batch with other events")
  func needsGroups() async {
    await withKnownIssue {
      try await flowBatch(.without { $0.capabilities.batching = EventBatching(limit: 49) })
    }
  }

  @Test("flow 8: the batch flow fails when an answer to events brings no items")
  func needsItemsInAnyAnswer() async {
    await withKnownIssue {
      try await flowBatch(.changing { if case .items = $0 { nil } else { $0 } })
    }
  }

  @Test("flow 8: the batch flow fails when ignored redirects are not reported")
  func needsIgnored() async {
    await withKnownIssue {
      try await flowBatch(.changing { if case .ignored = $0 { nil } else { $0 } })
    }
  }

  @Test("flow 8: the batch flow fails when a surface has only one list")
  func needsSeveralLists() async {
    await withKnownIssue {
      try await flowBatch(
        .changing { change in
          guard case .items(let feed, let mode, let items) = change else { return change }
          return .items(Feed(feed.surface), mode, items)
        })
    }
  }

  @Test("flow 8: the batch flow fails when the handshake is not a prerequisite")
  func needsPrerequisites() async {
    await withKnownIssue {
      try await flowBatch(
        .without { adapter in
          adapter.step = { if case .first(.settings) = $0 { .done([]) } else { $0 } }
        })
    }
  }

  private func flowBatch(_ variant: KitVariant) async throws {
    let scene = try CleverTapScene(variant)
    scene.report("Basket opened")
    scene.memory.accept(CleverTap.event("v-1", .impression, on: CleverTap.campaign("5")))
    scene.report("Basket left")
    await scene.vendor.reply("eu1.clevertap-prod.com/a1", Self.full)
    await scene.runners.drain()
    #expect(scene.lines == [CleverTap.hello, CleverTap.batch, CleverTap.viewed])
    #expect(await scene.batches() == [["Basket opened", "Basket left"], ["Notification Viewed"]])
    #expect(scene.memory.pending.isEmpty)
    #expect(scene.memory.outbox.map(\.state) == [.delivered, .delivered, .delivered])
    #expect(scene.memory.campaigns().map(\.template) == ["here"])
    #expect(scene.memory.campaigns(in: CleverTap.due).map(\.template) == ["due"])
    #expect(scene.memory.messages.map(\.id.value) == ["m-1"])
    #expect(
      scene.memory.quarantined == ["1: A message has no id.", "2: A campaign has no template."])
    #expect(scene.memory.ignored.map(\.code) == [.permissionDenied])
    #expect(scene.memory.value(.installation, "domain") == "eu1.clevertap-prod.com")
    try await expectWhatTheVendorHears(scene)
  }

  /// The next batch goes where the last one went and gives back what the vendor gave.
  private func expectWhatTheVendorHears(_ scene: CleverTapScene) async throws {
    let first = try #require(await scene.vendor.batches.first)
    #expect(first.meta["frs"] == true)
    #expect(first.meta["l_ts"] == 0)
    #expect(first.meta["arp"] == nil)
    scene.clock.advance(by: .seconds(60))
    scene.transport.forget()
    scene.report("Basket paid")
    scene.memory.accept(CleverTap.event("e-noise", .custom, "NOISE"))
    await scene.runners.drain()
    #expect(scene.lines == [CleverTap.batch])
    let last = try #require(await scene.vendor.batches.last)
    #expect(last.names == ["Basket paid"])
    #expect(last.guid == first.guid)
    #expect(last.meta["frs"] == false)
    #expect(last.meta["l_ts"] == 1_790_845_200)
    #expect(last.meta["f_ts"] == 1_790_845_200)
    #expect(last.meta["arp"] == ["v": 3, "d_e": ["Noise"]])
    #expect(
      scene.memory.outbox.last?.state
        == .rejected("CleverTap throws events of this name away."))
  }

  @Test("flow 8 C11: the kit sends requests only to hosts that the adapter's capabilities allow")
  func hostGuard() async throws { try await flowHostGuard(.changing(Self.believing)) }

  @Test("flow 8: the host flow fails when the capabilities allow the wrong host")
  func needsHosts() async {
    await withKnownIssue {
      try await flowHostGuard(
        .without { adapter in
          adapter.capabilities.hosts = [
            "*.clevertap-prod.com", "clevertap-prod.com", "example.net",
          ]
          adapter.answer = { Answer($0.changes.compactMap(Self.believing), $0.verdict) }
        })
    }
  }

  /// The handshake's word is believed without a look at the host.
  @Sendable private static func believing(_ change: Change) -> Change? {
    guard case .keep(.installation, "domain", _) = change else { return change }
    return .keep(.installation, "domain", "example.net")
  }

  private func flowHostGuard(_ variant: KitVariant) async throws {
    let scene = try CleverTapScene(variant)
    let outcome = await scene.perform(.inbox)
    guard case .refused(let error) = outcome else {
      Issue.record("It was asked: \(outcome)")
      return
    }
    #expect(error.code == .permissionDenied)
    #expect(scene.lines == [CleverTap.hello])
  }

  // MARK: The handshake

  @Test("flow 8 C11: a handshake is kept even if the batch after it fails")
  func keepsHandshake() async throws { try await flowKeptHandshake(.complete) }

  @Test("flow 8: the handshake flow fails without a commit after each step")
  func needsCommitPerStep() async {
    await withKnownIssue { try await flowKeptHandshake(.withoutCommitPerStep) }
  }

  private func flowKeptHandshake(_ variant: KitVariant) async throws {
    let scene = try CleverTapScene(variant)
    scene.report("Basket opened")
    await scene.vendor.reply(
      "eu1.clevertap-prod.com/a1", HTTPResponse(503), HTTPResponse(503), HTTPResponse(503))
    for _ in 0..<3 { await scene.runners.drain() }
    #expect(scene.memory.pending.count == 1)
    await scene.runners.drain()
    #expect(scene.lines == [CleverTap.hello] + Array(repeating: CleverTap.batch, count: 4))
    #expect(scene.memory.pending.isEmpty)
    // Nobody knows whether a batch arrived: it is the same each time, of the same device.
    let batches = await scene.vendor.batches
    #expect(Set(batches.map(\.guid)).count == 1)
    #expect(Set(batches.map(\.items)).count == 1)
  }

  @Test("flow 8 C11: ten concurrent operations make one device and one handshake")
  func onlyOnce() async throws { try await flowOnce(.complete) }

  @Test("flow 8: the ten operations flow fails without single flight")
  func needsSingleFlight() async {
    await withKnownIssue { try await flowOnce(.withoutSingleFlight) }
  }

  private func flowOnce(_ variant: KitVariant) async throws {
    let (vendor, gate) = (FakeCleverTap(), Gate())
    // As many as the variant lets through at one time.
    let expected = variant.sharesRunner ? 1 : 10
    let scene = try CleverTapScene(variant, vendor: vendor) { request throws(EngagementError) in
      let response = try await vendor.respond(to: request)
      if request.line == "GET /hello" {
        if await vendor.handshakes >= expected { gate.open() }
        await gate.pass()
      }
      return response
    }
    let outcomes = await scene.perform(
      (0..<10).map { .events([CleverTap.event(EventID("e-\($0)"), .custom, "n")]) })
    #expect(outcomes == Array(repeating: .done, count: 10))
    #expect(await vendor.handshakes == 1)
    let devices = Set(await vendor.batches.map(\.guid))
    #expect(devices.count == 1 && !devices.contains(nil))
  }

  @Test(
    "flow 8 C11: a handshake without an allowed host keeps the pending event",
    arguments: [
      [], [("X-WZRK-RD", "example.net")], [("X-WZRK-RD", "eu1.clevertap-prod.com/path")],
      [("X-WZRK-RD", "u@eu1.clevertap-prod.com")], [("X-WZRK-RD", "clevertap-prod.com.")],
    ])
  func uselessHandshake(headers: [(String, String)]) async throws {
    let scene = try CleverTapScene(.complete)
    scene.report("Basket opened")
    await scene.vendor.reply(
      "clevertap-prod.com/hello", .json(200, "{}", headers: headers), HTTPResponse(404))
    for _ in 0..<2 { await scene.runners.drain() }
    #expect(scene.lines == [CleverTap.hello, CleverTap.hello])
    #expect(scene.memory.pending.count == 1)
    #expect(scene.memory.ignored.count == headers.count)
    await scene.runners.drain()
    #expect(scene.memory.pending.isEmpty)
  }
}
