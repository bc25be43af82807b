import CleverTapFixtures
import EngagementAdapterAPI
import EngagementCleverTap
import EngagementHTTP
import EngagementJSON
import EngagementKit
import EngagementModel
import EngagementTesting
import Testing

/// What the adapter does within the kit, one operation at a time.
@Suite("CleverTap: operations") struct CleverTapOperationFlowTests {
  static let refusals: [(CleverTap.Operation, EngagementError.Code)] = [
    (.cards(in: nil, matching: []), .unsupported), (.message("m-1"), .unsupported),
    (.person, .unsupported), (.metrics, .unsupported), (.device(.update), .unsupported),
    (.vendor("geofences", .null), .unsupported),
    (.act(.snooze(seconds: 5), on: CleverTap.item(.inbox)), .unsupported),
    (.registerPush(.production), .invalidArgument),
    (.unregisterPush(.production), .invalidArgument),
    (.associate(""), .invalidArgument), (.associate("it's"), .invalidArgument),
    (.associate(UserID(String(repeating: "u", count: 1_025))), .invalidArgument),
    (.updatePerson(PersonUpdate()), .invalidArgument),
    (CleverTap.update { $0.custom = [" ": 1] }, .invalidArgument),
    (CleverTap.update { $0.custom = ["name": ["a", "b"]] }, .invalidArgument),
    (CleverTap.update { $0.custom = ["Phone": ["$add": ["a"]]] }, .invalidArgument),
    (CleverTap.update { $0.externalID = "a\\b" }, .invalidArgument),
    (CleverTap.update { $0.timeFrames = [.monday: []] }, .unsupported),
    (
      .events([CleverTap.event("e-1", .custom, "a"), CleverTap.event("e-2", .receive)]),
      .invalidArgument
    ),
    (
      .events((0..<50).map { CleverTap.event(EventID("e-\($0)"), .custom, "a") }),
      .invalidArgument
    ),
  ]

  @Test(
    "flow 12 C11: an operation that CleverTap lacks or would refuse sends no request",
    arguments: refusals)
  func refuses(operation: CleverTap.Operation, code: EngagementError.Code) async throws {
    let scene = try await CleverTapScene(.complete)
    try await scene.engagement.commit([.keep(.user, "guid", "-guid")], from: "clevertap")
    let outcome = await scene.perform(operation)
    guard case .refused(let error) = outcome else {
      Issue.record("It was asked: \(outcome)")
      return
    }
    #expect(error.code == code)
    #expect(scene.lines.isEmpty)
    try await scene.end()
  }

  @Test("C10 C11: an operation with nothing to send completes without a request")
  func settled() async throws {
    let scene = try await CleverTapScene(.complete)
    let silent: [CleverTap.Operation] = [
      .events([]), .unregisterPush(.production), .device(.register), .device(.register),
      CleverTap.one(.receive, on: CleverTap.item(.push)),
      CleverTap.one(.impression, on: CleverTap.item(.inbox, ["server": true])),
      CleverTap.one(.read, on: CleverTap.item(.inbox, ["server": true, "read": true])),
    ]
    for operation in silent {
      #expect(await scene.perform(operation) == .done, "\(operation.verb)")
    }
    #expect(scene.lines.isEmpty)
    #expect(try await scene.value(.user, "guid")?.utf8.count == 33)
    try await scene.end()
  }

  @Test("C10: each bad message of a hundred costs only itself")
  func oneOfAHundred() async throws {
    let scene = try await CleverTapScene(.complete)
    var items = (0..<100).map { CleverTap.message("m-\($0)") }
    items[7] = #"{"wzrk_id":"no id"}"#
    items[8] = #"{"_id":7}"#
    items[9] = #"{"_id":"m-9","msg":{"type":"\u0000"}}"#
    items[10] = "[]"
    let list = try CleverTap.adapter().answer(
      to: .inbox, from: .json(200, #"{"inbox_notifs_v2":[\#(items.joined(separator: ","))]}"#),
      in: CleverTap.context())
    try await scene.engagement.commit(list.changes, from: "clevertap")
    #expect(scene.messages.count == 96)
    #expect(Set(scene.messages).isDisjoint(with: ["m-7", "m-8", "m-9", "m-10"]))
    #expect(
      scene.warnings == [
        "warning clevertap: 4 bad items were set aside; the log of events says why."
      ])
    try await scene.end()
  }

  @Test("C11: the vendor hears of an opened push, and of a received one that asks for it")
  func pushes() async throws {
    let scene = try await CleverTapScene(.complete)
    for flag in ["true", "false"] {
      let push: JSON = [
        "wzrk_id": "c-1", "wzrk_pid": .string("p-\(flag)"), "wzrk_rnv": .string(flag),
      ]
      for phase in [Engagement.PushPhase.delivered, .opened, .dismissed] {
        _ = try #require(try await scene.engagement.handlePush(push, phase: phase))
      }
    }
    await scene.deliver()
    let heard = await scene.vendor.batches.map { batch in
      batch.items.map { "\(batch.host) \($0["evtData"]?["wzrk_pid"]?.string ?? "")" }
    }
    #expect(try await scene.pending == 0)
    #expect(
      heard.flatMap(\.self).sorted() == [
        "eu1-spiky.clevertap-prod.com p-true", "eu1.clevertap-prod.com p-false",
        "eu1.clevertap-prod.com p-true",
      ])
    try await scene.end()
  }

  @Test("C11: a handshake that names a foreign host is told, and loses nothing")
  func foreignHandshake() async throws {
    let scene = try await CleverTapScene(.complete)
    let greeting = HTTPResponse.json(
      200, "{}", headers: [("X-WZRK-RD", "clevertap-prod.com.evil.example")])
    await scene.vendor.reply("clevertap-prod.com/hello", greeting)
    try await scene.report("Basket opened")
    await scene.deliver()
    #expect(try await scene.pending == 1)
    #expect(scene.lines == [CleverTap.hello])
    #expect(scene.warnings.contains { $0.contains("clevertap: ") })
    await scene.deliver(times: 8)
    #expect(try await scene.pending == 0)
    #expect(await scene.batches() == [["Basket opened"]])
    try await scene.end()
  }

  @Test("X18: a loopback emulator may serve the handshake and both batch hosts on one port")
  func loopback() async throws {
    let configuration = try CleverTapConfiguration(
      accountID: "demo", token: CleverTap.token, endpoint: "http://127.0.0.1:8402")
    let scene = try await CleverTapScene(.complete, configuration) {
      request throws(EngagementError) in
      .json(
        200, "{}",
        headers: request.line == "GET /hello" ? [("X-WZRK-RD", "127.0.0.1:8402")] : [])
    }
    try await scene.report("Basket opened")
    try await scene.view()
    await scene.deliver()
    #expect(
      scene.transport.requests.map { $0.url.prefix { $0 != "?" } } == [
        "http://127.0.0.1:8402/hello", "http://127.0.0.1:8402/a1", "http://127.0.0.1:8402/a1",
      ])
    #expect(try await scene.pending == 0)
    try await scene.end()
  }
}
