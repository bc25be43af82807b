import EngagementAdapterAPI
import EngagementHTTP
import EngagementKit
import EngagementModel
import EngagementTesting
import FoundationEssentials
import OutlineAdapters
import Testing

@Suite("CleverTap: the inbox") struct CleverTapInboxFlowTests {
  /// A device with two messages at the vendor and one that lives here only.
  private func filled(_ variant: KitVariant) async throws -> CleverTapScene {
    let scene = try CleverTapScene(variant)
    await scene.vendor.reply(
      "eu1.clevertap-prod.com/a1",
      .json(200, #"{"inbox_notifs":[\#(CleverTap.messageHere("here", date: 1_790_845_050))]}"#))
    #expect(await scene.perform(.campaigns) == .done)
    let device = try #require(await scene.device())
    await scene.vendor.seed(device, [CleverTap.message("m-1"), CleverTap.message("m-2")])
    #expect(await scene.perform(.inbox) == .done)
    scene.transport.forget()
    return scene
  }

  private func message(_ id: String, _ scene: CleverTapScene) throws -> ItemReference {
    ItemReference(try #require(scene.memory.messages.first { $0.id.value == id }))
  }

  private func list(_ messages: String...) -> HTTPResponse {
    .json(200, #"{"inbox_notifs_v2":[\#(messages.joined(separator: ","))]}"#)
  }

  // MARK: Lists

  @Test("C10: a message list replaces the vendor's messages and keeps the messages of the device")
  func lists() async throws { try await flowLists(.complete) }

  @Test("the message list flow fails when a surface has only one list")
  func needsSeveralLists() async {
    await withKnownIssue {
      try await flowLists(
        .changing { change in
          guard case .items(let feed, let mode, let items) = change else { return change }
          return .items(Feed(feed.surface), mode, items)
        })
    }
  }

  private func flowLists(_ variant: KitVariant) async throws {
    let scene = try await filled(variant)
    #expect(scene.memory.messages.map(\.id.value) == ["here", "m-1", "m-2"])
    await scene.vendor.reply(
      "eu1.clevertap-prod.com/inbox/v2/getMessages",
      list(CleverTap.message("m-2"), CleverTap.message("m-3", date: 1_790_845_100)))
    #expect(await scene.perform(.inbox) == .done)
    #expect(scene.memory.messages.map(\.id.value) == ["m-3", "here", "m-2"])
  }

  @Test("C10: a message in a batch answer is added, and the other messages stay")
  func comesWithBatch() async throws {
    let scene = try await filled(.complete)
    await scene.vendor.reply("eu1.clevertap-prod.com/a1", list(CleverTap.message("m-3")))
    #expect(await scene.perform(.campaigns) == .done)
    #expect(scene.memory.messages.map(\.id.value) == ["here", "m-1", "m-2", "m-3"])
  }

  @Test("C10: of two messages with one id the newest stays, in either order")
  func newestOfTwo() async throws {
    let scene = try CleverTapScene(.complete)
    let (old, new) = (
      CleverTap.messageHere("m-1", title: "old", date: 1_790_000_000),
      CleverTap.messageHere("m-1", title: "new", date: 1_790_000_001)
    )
    for batch in [[old, new], [new, old]] {
      await scene.vendor.reply(
        "eu1.clevertap-prod.com/a1",
        .json(200, #"{"inbox_notifs":[\#(batch.joined(separator: ","))]}"#))
      #expect(await scene.perform(.campaigns) == .done)
      #expect(scene.memory.messages.map(\.subject) == ["new"])
    }
  }

  @Test(
    "C10: an answer without a list is malformed and keeps all messages",
    arguments: [
      "{}", "", "null", #"{"inbox_notifs_v2":null}"#, #"{"inbox_notifs_v2":{}}"#, "<html>",
    ])
  func noList(body: String) async throws {
    let scene = try await filled(.complete)
    await scene.vendor.reply("eu1.clevertap-prod.com/inbox/v2/getMessages", .json(200, body))
    guard case .retry(let error) = await scene.perform(.inbox) else {
      Issue.record("There is no list.")
      return
    }
    #expect(error.code == .malformedResponse)
    #expect(scene.memory.messages.count == 3)
  }

  // MARK: Reading

  @Test("C10: a read is sent with the message's id, and the message stays read in later lists")
  func reads() async throws { try await flowRead(.complete) }

  @Test("the read flow fails when a new list may reset the read state")
  func needsOnlyEverSet() async {
    await withKnownIssue {
      try await flowRead(
        .changing { change in
          guard case .items(let feed, .replace, let items) = change else { return change }
          return .items(feed, .replace(.nothing), items)
        })
    }
  }

  private func flowRead(_ variant: KitVariant) async throws {
    let scene = try await filled(variant)
    try scene.memory.act(.read, on: try message("m-1", scene))
    await scene.runners.drain()
    #expect(scene.lines == [CleverTap.viewed])
    let batch = try #require(await scene.vendor.batches.last)
    #expect(
      batch.items.first?["evtData"]
        == ["wzrk_id": "c-m-1", "wzrk_pivot": "wzrk_default", "wzrk_mid": "m-1"])
    let answers = [
      list(CleverTap.message("m-1")), list(CleverTap.message("m-1", read: true)),
      // An answer from a server that has not heard of it.
      list(CleverTap.message("m-1")),
    ]
    for answer in answers {
      await scene.vendor.reply("eu1.clevertap-prod.com/inbox/v2/getMessages", answer)
      #expect(await scene.perform(.inbox) == .done)
      #expect(scene.memory.messages.first { $0.id.value == "m-1" }?.isRead == true)
    }
  }

  @Test("C10: reading a device message stays local, and its impression and click are sent")
  func readsHere() async throws {
    let scene = try await filled(.complete)
    let item = try message("here", scene)
    try scene.memory.act(.read, on: item)
    await scene.runners.drain()
    #expect(scene.lines.isEmpty)
    #expect(scene.memory.outbox.last?.state == .delivered)
    #expect(scene.memory.messages.first { $0.id.value == "here" }?.isRead == true)
    try scene.memory.act(.impression, on: item)
    try scene.memory.act(.click, on: item)
    await scene.runners.drain()
    #expect(scene.lines.sorted() == [CleverTap.viewed, CleverTap.batch].sorted())
    let data = await scene.vendor.batches.suffix(2).map { $0.items.first?["evtData"] }
    #expect(
      data == Array(repeating: ["wzrk_id": "c-here", "wzrk_pivot": "wzrk_default"], count: 2))
  }

  // MARK: Deleting

  @Test(
    "C10: a deletion is retried until it is sent, and the message stays hidden while it is listed")
  func deletes() async throws {
    let scene = try await filled(.complete)
    try scene.memory.act(.delete, on: try message("m-1", scene))
    await scene.vendor.reply("eu1.clevertap-prod.com/inbox/v2/deleteMessages", HTTPResponse(503))
    for _ in 0..<2 { await scene.runners.drain() }
    #expect(scene.lines == [CleverTap.deleteMessages, CleverTap.deleteMessages])
    let batch = try #require(await scene.vendor.batches.last)
    #expect(
      batch.items == [
        [
          "type": "deleteMessages",
          "messages": [["wzrk_mid": "m-1", "wzrk_id": "c-m-1", "wzrk_pivot": "wzrk_default"]],
        ]
      ])
    #expect(await scene.perform(.inbox) == .done)
    #expect(scene.memory.messages.map(\.id.value) == ["here", "m-2"])
  }

  @Test("C10: deleting a device message sends no request")
  func deletesHere() async throws {
    let scene = try await filled(.complete)
    try scene.memory.act(.dismiss, on: try message("here", scene))
    await scene.runners.drain()
    #expect(scene.lines.isEmpty)
    #expect(scene.memory.messages.map(\.id.value) == ["m-1", "m-2"])
    #expect(scene.memory.pending.isEmpty)
  }

  // MARK: No inbox, too often

  @Test(
    "C10: an account without an inbox is asked again in the next session, and its actions are kept")
  func withoutInbox() async throws {
    let scene = try await filled(.complete)
    scene.memory.setSession(CleverTap.session)
    await scene.vendor.reply("eu1.clevertap-prod.com/inbox/v2/deleteMessages", HTTPResponse(403))
    try scene.memory.act(.delete, on: try message("m-1", scene))
    guard case .retry(let error)? = await scene.runners.drain().first else {
      Issue.record("The vendor refused it for this session only.")
      return
    }
    #expect(error.code == .permissionDenied)
    await scene.runners.drain()
    guard case .refused(let error) = await scene.perform(.inbox) else {
      Issue.record("There is no inbox.")
      return
    }
    #expect(error.code == .permissionDenied)
    #expect(scene.lines == [CleverTap.deleteMessages])
    #expect(scene.memory.messages.map(\.id.value) == ["here", "m-2"])
    scene.memory.setSession(Session("s-2", startedAt: CleverTap.time))
    await scene.runners.drain()
    #expect(scene.memory.pending.isEmpty)
    #expect(await scene.perform(.inbox) == .done)
  }

  @Test("C10: a user may refresh the inbox every five minutes, the application at any time")
  func throttles() async throws {
    let scene = try await filled(.complete)
    let next = CleverTap.time.addingTimeInterval(300)
    #expect(await scene.runners.perform(.inbox, isUserRequested: true) == .wait(until: next))
    #expect(await scene.perform(.inbox) == .done)
    scene.clock.advance(by: .seconds(299))
    #expect(await scene.runners.perform(.inbox, isUserRequested: true) == .wait(until: next))
    scene.clock.advance(by: .seconds(1))
    #expect(await scene.runners.perform(.inbox, isUserRequested: true) == .done)
    #expect(scene.lines == [CleverTap.getMessages, CleverTap.getMessages])
  }

  @Test("C10: a device inbox sends no list request and still receives messages with a batch")
  func deviceInbox() async throws {
    let scene = try CleverTapScene(.complete, hasServerInbox: false)
    #expect(await scene.perform(.inbox) == .done)
    #expect(scene.lines.isEmpty)
    await scene.vendor.reply(
      "eu1.clevertap-prod.com/a1",
      .json(
        200,
        #"{"inbox_notifs":[\#(CleverTap.messageHere("m-1"))],"inbox_notifs_v2":[\#(CleverTap.message("m-2"))]}"#
      ))
    #expect(await scene.perform(.campaigns) == .done)
    #expect(scene.memory.messages.map(\.id.value) == ["m-1"])
  }
}
