import CleverTapFixtures
import EngagementAdapterAPI
import EngagementCleverTap
import EngagementHTTP
import EngagementKit
import EngagementModel
import EngagementTesting
import FoundationEssentials
import Testing

@Suite("CleverTap: the inbox") struct CleverTapInboxFlowTests {
  /// A device with two messages at the vendor and one that lives here only.
  private func filled(_ variant: KitVariant) async throws -> CleverTapScene {
    let scene = try await CleverTapScene(variant)
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
    #expect(scene.messages == ["here", "m-1", "m-2"])
    await scene.vendor.reply(
      "eu1.clevertap-prod.com/inbox/v2/getMessages",
      list(CleverTap.message("m-2"), CleverTap.message("m-3", date: 1_790_845_100)))
    #expect(await scene.perform(.inbox) == .done)
    #expect(scene.messages == ["m-3", "here", "m-2"])
    try await scene.end()
  }

  @Test("C10: a message in a batch answer is added, and the other messages stay")
  func comesWithBatch() async throws {
    let scene = try await filled(.complete)
    await scene.vendor.reply("eu1.clevertap-prod.com/a1", list(CleverTap.message("m-3")))
    #expect(await scene.perform(.campaigns) == .done)
    #expect(scene.messages == ["here", "m-1", "m-2", "m-3"])
    try await scene.end()
  }

  @Test("C10: of two messages with one id the newest stays, in either order")
  func newestOfTwo() async throws {
    let scene = try await CleverTapScene(.complete)
    let (old, new) = (
      CleverTap.messageHere("m-1", title: "old", date: 1_790_000_000),
      CleverTap.messageHere("m-1", title: "new", date: 1_790_000_001)
    )
    for batch in [[old, new], [new, old]] {
      await scene.vendor.reply(
        "eu1.clevertap-prod.com/a1",
        .json(200, #"{"inbox_notifs":[\#(batch.joined(separator: ","))]}"#))
      #expect(await scene.perform(.campaigns) == .done)
      #expect(scene.engagement.inbox.messages.map(\.subject) == ["new"])
    }
    try await scene.end()
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
    #expect(scene.messages.count == 3)
    try await scene.end()
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
    try await scene.app.perform(.read, on: "m-1")
    await scene.deliver()
    #expect(scene.lines == [CleverTap.batch])
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
      #expect(scene.engagement.message(ItemID("clevertap", "m-1"))?.isRead == true)
    }
    try await scene.end()
  }

  @Test("C10: reading a device message stays local, and its impression and click are sent")
  func readsHere() async throws {
    let scene = try await filled(.complete)
    try await scene.app.perform(.read, on: "here")
    await scene.deliver()
    #expect(scene.lines.isEmpty)
    #expect(try await scene.pending == 0)
    #expect(scene.engagement.message(ItemID("clevertap", "here"))?.isRead == true)
    try await scene.app.perform(.impression, on: "here")
    try await scene.app.perform(.click, on: "here")
    await scene.deliver()
    #expect(scene.lines == [CleverTap.batch])
    let data = await scene.vendor.batches.last?.items.map { $0["evtData"] }
    #expect(
      data == Array(repeating: ["wzrk_id": "c-here", "wzrk_pivot": "wzrk_default"], count: 2))
    try await scene.end()
  }

  // MARK: Deleting

  @Test(
    "C10: a deletion is retried until it is sent, and the message stays hidden while it is listed")
  func deletes() async throws {
    let scene = try await filled(.complete)
    try await scene.app.perform(.delete, on: "m-1")
    await scene.vendor.reply("eu1.clevertap-prod.com/inbox/v2/deleteMessages", HTTPResponse(503))
    await scene.deliver(times: 2)
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
    #expect(scene.messages == ["here", "m-2"])
    try await scene.end()
  }

  @Test("C10: deleting a device message sends no request")
  func deletesHere() async throws {
    let scene = try await filled(.complete)
    try await scene.app.perform(.dismiss, on: "here")
    await scene.deliver()
    #expect(scene.lines.isEmpty)
    #expect(scene.messages == ["m-1", "m-2"])
    #expect(try await scene.pending == 0)
    try await scene.end()
  }

  // MARK: No inbox, too often

  @Test(
    "C10: an account without an inbox is asked again in the next session, and its actions are kept")
  func withoutInbox() async throws {
    let scene = try await filled(.complete)
    await scene.vendor.reply("eu1.clevertap-prod.com/inbox/v2/deleteMessages", HTTPResponse(403))
    try await scene.app.perform(.delete, on: "m-1")
    await scene.deliver(times: 2)
    #expect(try await scene.pending == 1, "the vendor refused it for this session only")
    guard case .refused(let error) = await scene.perform(.inbox) else {
      Issue.record("There is no inbox.")
      return
    }
    #expect(error.code == .permissionDenied)
    #expect(scene.lines == [CleverTap.deleteMessages])
    #expect(scene.messages == ["here", "m-2"])
    scene.engagement.setScenePhase(.active)
    scene.clock.advance(by: .seconds(1_200))
    await scene.deliver()
    #expect(try await scene.pending == 0)
    #expect(await scene.perform(.inbox) == .done)
    try await scene.end()
  }

  @Test("C10: an action that an account without an inbox refuses may be retried")
  func actionWithoutInbox() async throws {
    let scene = try await filled(.complete)
    await scene.vendor.reply("eu1.clevertap-prod.com/inbox/v2/deleteMessages", HTTPResponse(403))
    let message = try #require(scene.engagement.message(ItemID("clevertap", "m-1")))
    guard case .retry(let error) = await scene.perform(.act(.delete, on: ItemReference(message)))
    else {
      Issue.record("The vendor refused it for this session only.")
      return
    }
    #expect(error.code == .permissionDenied)
    try await scene.end()
  }

  @Test("C10: a user may refresh the inbox every five minutes, the application at any time")
  func throttles() async throws {
    let scene = try await filled(.complete)
    let next = CleverTap.time.addingTimeInterval(300)
    #expect(await scene.app.refresh(.inbox) == .throttled(until: next))
    #expect(await scene.perform(.inbox) == .done)
    scene.clock.advance(by: .seconds(299))
    #expect(await scene.app.refresh(.inbox) == .throttled(until: next))
    scene.clock.advance(by: .seconds(1))
    #expect(await scene.app.refresh(.inbox) == .fresh)
    #expect(scene.lines == [CleverTap.hello, CleverTap.getMessages, CleverTap.getMessages])
    try await scene.end()
  }

  @Test("C10: a device inbox sends no list request and still receives messages with a batch")
  func deviceInbox() async throws {
    let scene = try await CleverTapScene(.complete, CleverTap.configuration(hasServerInbox: false))
    #expect(await scene.perform(.inbox) == .done)
    #expect(scene.lines.isEmpty)
    await scene.vendor.reply(
      "eu1.clevertap-prod.com/a1",
      .json(
        200,
        #"{"inbox_notifs":[\#(CleverTap.messageHere("m-1"))],"inbox_notifs_v2":[\#(CleverTap.message("m-2"))]}"#
      ))
    #expect(await scene.perform(.campaigns) == .done)
    #expect(scene.messages == ["m-1"])
    try await scene.end()
  }
}
