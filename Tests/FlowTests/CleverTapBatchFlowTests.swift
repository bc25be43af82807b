import CleverTapFixtures
import EngagementAdapterAPI
import EngagementCleverTap
import EngagementHTTP
import EngagementKit
import EngagementModel
import EngagementTesting
import Testing

@Suite("CleverTap: batches and their answers") struct CleverTapBatchFlowTests {
  /// Everything that an answer to a batch may bring, and a host that is not allowed.
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
    let scene = try await CleverTapScene(variant)
    var receipts = try await scene.report("Basket opened")
    try await scene.view()
    receipts += try await scene.report("Basket left")
    await scene.vendor.reply("eu1.clevertap-prod.com/a1", Self.full)
    await scene.deliver()
    #expect(scene.lines == [CleverTap.hello, CleverTap.batch, CleverTap.viewed])
    #expect(await scene.batches() == [["Basket opened", "Basket left"], ["Notification Viewed"]])
    #expect(try await scene.pending == 0)
    for receipt in receipts {
      #expect(try await receipt.outcome(within: .zero) == .delivered)
    }
    #expect(try await scene.campaigns() == ["here"])
    #expect(try await scene.dueCampaigns() == ["1"])
    #expect(scene.messages == ["m-1"])
    #expect(
      scene.warnings == [
        "warning clevertap: 2 bad items were set aside; the log of events says why.",
        "warning clevertap: An answer names a host that is not allowed.",
      ])
    #expect(try await scene.value(.installation, "domain") == "eu1.clevertap-prod.com")
    try await expectWhatTheVendorHears(scene)
    try await scene.end()
  }

  /// The next batch goes where the last one went and gives back what the vendor gave.
  private func expectWhatTheVendorHears(_ scene: CleverTapScene) async throws {
    let first = try #require(await scene.vendor.batches.first)
    #expect(first.meta["frs"] == true)
    #expect(first.meta["l_ts"] == 0)
    #expect(first.meta["arp"] == nil)
    scene.clock.advance(by: .seconds(60))
    scene.transport.forget()
    try await scene.report("Basket paid")
    let noise = try await scene.engagement.track("NOISE")
    await scene.deliver()
    #expect(scene.lines == [CleverTap.batch])
    let last = try #require(await scene.vendor.batches.last)
    #expect(last.names == ["Basket paid"])
    #expect(last.guid == first.guid)
    #expect(last.meta["frs"] == false)
    #expect(last.meta["l_ts"] == 1_790_845_200)
    #expect(last.meta["f_ts"] == 1_790_845_200)
    #expect(last.meta["arp"] == ["v": 3, "d_e": ["Noise"]])
    guard case .rejected(let error)? = try await noise.outcome(within: .zero) else {
      Issue.record("CleverTap throws events of this name away.")
      return
    }
    #expect(error.message == "CleverTap throws events of this name away.")
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
    let scene = try await CleverTapScene(variant)
    let outcome = await scene.perform(.inbox)
    guard case .refused(let error) = outcome else {
      Issue.record("It was asked: \(outcome)")
      return
    }
    #expect(error.code == .permissionDenied)
    #expect(scene.lines == [CleverTap.hello])
    try await scene.end()
  }

  // MARK: The handshake

  @Test("flow 8 C11: a handshake is kept even if the batch after it fails")
  func keepsHandshake() async throws {
    let scene = try await CleverTapScene(.complete)
    try await scene.report("Basket opened")
    await scene.vendor.reply(
      "eu1.clevertap-prod.com/a1", HTTPResponse(503), HTTPResponse(503), HTTPResponse(503))
    await scene.deliver(times: 3)
    #expect(try await scene.pending == 1)
    await scene.deliver()
    #expect(scene.lines == [CleverTap.hello] + Array(repeating: CleverTap.batch, count: 4))
    #expect(try await scene.pending == 0)
    // A batch may have arrived, so it is the same in every attempt, from the same device.
    let batches = await scene.vendor.batches
    #expect(Set(batches.map(\.guid)).count == 1)
    #expect(Set(batches.map(\.items)).count == 1)
    try await scene.end()
  }

  @Test("flow 8 C11: ten concurrent operations make one device and one handshake")
  func onlyOnce() async throws {
    let (vendor, gate) = (FakeCleverTap(), Gate())
    let scene = try await CleverTapScene(.complete, vendor: vendor) {
      request throws(EngagementError) in
      let response = try await vendor.respond(to: request)
      if request.line == "GET /hello" { await gate.pass() }
      return response
    }
    let outcomes = await scene.app.execute(
      (0..<10).map { .events([CleverTap.event(EventID("e-\($0)"), .custom, "n")]) }
    ) {
      await scene.app.waiters(9)
      gate.open()
    }
    #expect(outcomes == Array(repeating: .done, count: 10))
    #expect(await vendor.handshakes == 1)
    let devices = Set(await vendor.batches.map(\.guid))
    #expect(devices.count == 1 && !devices.contains(nil))
    try await scene.end()
  }

  @Test(
    "flow 8 C11: a handshake without an allowed host keeps the pending event",
    arguments: [
      [], [("X-WZRK-RD", "example.net")], [("X-WZRK-RD", "eu1.clevertap-prod.com/path")],
      [("X-WZRK-RD", "u@eu1.clevertap-prod.com")], [("X-WZRK-RD", "clevertap-prod.com.")],
    ])
  func uselessHandshake(headers: [(String, String)]) async throws {
    let scene = try await CleverTapScene(.complete)
    try await scene.report("Basket opened")
    await scene.vendor.reply(
      "clevertap-prod.com/hello", .json(200, "{}", headers: headers), HTTPResponse(404))
    await scene.deliver(times: 2)
    #expect(scene.lines == [CleverTap.hello, CleverTap.hello])
    #expect(try await scene.pending == 1)
    #expect(scene.warnings.count == headers.count)
    await scene.deliver()
    #expect(try await scene.pending == 0)
    try await scene.end()
  }
}
