import AtomicFixtures
import EngagementAdapterAPI
import EngagementAtomic
import EngagementHTTP
import EngagementJSON
import EngagementModel
import EngagementTesting
import FoundationEssentials
import Testing

/// Events in Atomic's words.
@Suite struct AtomicEventTests {
  private static let card = ItemReference(
    ItemID("atomic", "1f0c"), on: .cards, in: "BqWL1sT", handle: ["status": "active"])

  /// One event with the members that are its own.
  struct Row: Sendable, CustomTestStringConvertible {
    var kind: EngagementEvent.Kind
    var properties: JSONObject
    var word: String
    var sent: JSONObject

    init(
      _ kind: EngagementEvent.Kind, _ properties: JSONObject, _ word: String,
      _ sent: JSONObject = [:]
    ) {
      self.kind = kind
      self.properties = properties
      self.word = word
      self.sent = sent
    }

    var testDescription: String { word }
  }

  static let rows: [Row] = [
    Row(.displayed, ["secret": "stays here"], "card-displayed"),
    Row(
      .vote, ["useful": true, "message": "nice", "source": "swipe"], "card-voted-up",
      ["source": "swipe-menu", "message": "nice"]),
    Row(
      .vote, ["useful": false, "reason": "too-often", "message": "only with other"],
      "card-voted-down", ["reason": "too-often"]),
    Row(
      .vote, ["useful": false, "reason": "other", "message": "why", "source": "button"],
      "card-voted-down", ["source": "card-button", "reason": "other", "message": "why"]),
    Row(
      .redirect, ["linkMethod": "url", "url": "https://example.com", "detail": "image"],
      "user-redirected", ["linkMethod": "url", "url": "https://example.com", "detail": "image"]),
    Row(
      .subview, ["subviewID": "sv1", "subviewTitle": "Details", "subviewLevel": 1],
      "card-subview-displayed", ["subviewId": "sv1", "subviewTitle": "Details", "subviewLevel": 1]),
    Row(.subview, ["exited": true], "card-subview-exited"),
    Row(.video, ["media": "a.mp4"], "video-played", ["media": "a.mp4"]),
    Row(.video, ["completed": true], "video-completed"),
    Row(.snoozeOptions, [:], "snooze-options-displayed"),
    Row(.snoozeOptions, ["cancelled": true], "snooze-options-canceled"),
    Row(.streamDisplayed, ["displayMode": "single"], "stream-displayed", ["displayMode": "single"]),
    Row(
      .variablesUpdated, ["resolvedVariables": ["dueIn": "soon"]], "runtime-vars-updated",
      ["resolvedVariables": ["dueIn": "soon"]]),
    Row(
      .upload, ["started": true, "fileName": "a.jpg", "bucket": "b-1", "byteCount": 3],
      "user-file-uploads-started",
      ["fileInfo": [["filename": "a.jpg", "bucketId": "b-1"]]]),
    Row(
      .upload, ["completed": true, "fileName": "a.jpg"], "user-file-uploads-completed",
      ["fileInfo": [["filename": "a.jpg"]]]),
    Row(
      .upload, ["failed": true, "fileName": "a.jpg"], "user-file-uploads-failed",
      ["fileInfo": [["filename": "a.jpg"]]]),
    Row(.receive, [:], "notification-received"),
    Row(.sessionStart, [:], "sdk-initialized"), Row(.credentialRenewed, [:], "sdk-initialized"),
    Row(
      .providerFailed, ["path": "env-1/socket", "statusCode": 0], "request-failed",
      ["path": "env-1/socket", "statusCode": 0]),
  ]

  @Test(
    "A16 A28 A29: each kind of event is sent with its vendor name and only its own properties",
    arguments: rows
  )
  func words(_ row: Row) throws {
    let event = event(row.kind, row.properties)
    let sent = try #require(try sent([event]).first)
    #expect(sent["analyticsEvent"] == .string(row.word))
    #expect(sent["properties"] == .object(row.sent))
    #expect(sent["eventType"] == nil)
  }

  @Test("A28: the table covers every declared event kind")
  func everyKind() throws {
    let kinds = try AtomicSamples.adapter().capabilities.eventKinds
    #expect(kinds == Set(Self.rows.map(\.kind)).union([.custom]))
  }

  @Test("A19 A28: an event carries its time, its container and its card in full")
  func wholeEvent() throws {
    var event = event(
      .displayed,
      ["streamLength": 3, "streamLengthVisible": 2, "position": 1, "viewState": "subview"])
    event.zoneOffset = 46_800
    let request = try request([event])
    #expect(request.line == "PUT /env-1/analytics")
    #expect(
      request.text == """
        {"data":[{"id":"e-1","endUserId":"u-1","timestamp":"2026-10-01T09:00:00.000Z",\
        "properties":{},"eventContext":{"userLocalTimestamp":"2026-10-01T22:00:00.000+13:00"},\
        "analyticsEvent":"card-displayed","hostContext":{},"sdkContext":{"containerId":"BqWL1sT"},\
        "streamContext":{"streamLength":3,"streamLengthVisible":2,"cardPositionInStream":1},\
        "cardContext":{"cardInstanceId":"1f0c","cardInstanceStatus":"active",\
        "cardViewState":"subview","cardPresentation":"individual"}}]}
        """)
  }

  @Test("A19: a custom event keeps its name and its properties unchanged")
  func custom() throws {
    var event = EngagementEvent(id: "e-1", kind: .custom, time: TestClock().now)
    event.name = "page-viewed"
    event.properties = ["page": "home", "position": 4]
    #expect(
      try request([event]).text == """
        {"data":[{"id":"e-1","endUserId":"u-1","timestamp":"2026-10-01T09:00:00.000Z",\
        "properties":{"page":"home","position":4},\
        "eventContext":{"userLocalTimestamp":"2026-10-01T09:00:00.000+00:00"},\
        "eventType":"custom","eventName":"page-viewed","sdkContext":{}}]}
        """)
  }

  @Test("A16: the text of a vote is cut to 280 characters")
  func longVote() throws {
    let text = String(repeating: "é", count: 300)
    let event = event(.vote, ["useful": false, "reason": "other", "message": .string(text)])
    let message = try sent([event]).first?["properties"]?["message"]?.string
    #expect(message?.count == 280)
  }

  // MARK: Arrived, or not

  @Test("A19 G2: supported events are settled, and every other event is rejected with a reason")
  func partly() throws {
    let adapter = try AtomicSamples.adapter()
    let nameless = EngagementEvent(id: "e-2", kind: .custom, time: TestClock().now)
    let foreign = EngagementEvent(id: "e-3", kind: .purchase, time: TestClock().now)
    let timeless = EngagementEvent(
      id: "e-4", kind: .displayed, time: .distantFuture.addingTimeInterval(1e12))
    let events = [event(.displayed, [:]), nameless, foreign, timeless]
    #expect(try sent(events).map { $0["id"] } == ["e-1"])
    let answer = adapter.answer(to: .events(events), from: HTTPResponse(200), in: context)
    #expect(answer.changes == [.settled(["e-1"])])
    guard case .partly(let rejected) = answer.verdict else {
      throw AtomicSurprise("Nothing was rejected.")
    }
    #expect(Set(rejected.keys) == ["e-2", "e-3", "e-4"])
    #expect(
      adapter.answer(to: .events([events[0]]), from: HTTPResponse(200), in: context).verdict
        == .done)
  }

  // MARK: Parts

  private var context: AdapterContext {
    AdapterContext(
      user: "u-1", device: .test, credential: AtomicSamples.token(), now: TestClock().now,
      key: OperationKey(1, 2))
  }

  private func event(
    _ kind: EngagementEvent.Kind, _ properties: JSONObject
  ) -> EngagementEvent {
    EngagementEvent(
      id: "e-1", kind: kind, time: TestClock().now, item: Self.card, properties: properties)
  }

  private func request(_ events: [EngagementEvent]) throws -> HTTPRequest {
    guard
      case .send(let request) = try AtomicSamples.adapter().step(for: .events(events), in: context)
    else { throw AtomicSurprise("It is no request.") }
    return request
  }

  private func sent(_ events: [EngagementEvent]) throws -> [JSON] {
    try JSON(parsing: request(events).body ?? [])["data"]?.array ?? []
  }
}
