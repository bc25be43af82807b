import CleverTapFixtures
import EngagementAdapterAPI
import EngagementCleverTap
import EngagementHTTP
import EngagementJSON
import EngagementModel
import EngagementTesting
import FoundationEssentials
import TestSupport
import Testing

@Suite("CleverTap: answers") struct CleverTapAnswerTests {
  private func answer(
    _ operation: CleverTap.Operation, _ response: HTTPResponse,
    _ context: AdapterContext = CleverTap.context()
  ) throws -> Answer {
    try CleverTap.adapter().answer(to: operation, from: response, in: context)
  }

  @Test("C10: an answer with the older form of the inbox brings its messages, and removes none")
  func olderInbox() throws {
    let body = #"{"inbox_notifs":[\#(CleverTap.message("m-1", read: false))]}"#
    let answer = try answer(.inbox, .json(200, body))
    #expect(answer.verdict == .done)
    guard case .items(let feed, .put, let items)? = answer.changes.first else {
      Issue.record("no messages")
      return
    }
    #expect(feed.surface == .inbox && feed != .inbox && items.count == 1)
  }

  // MARK: Statuses

  enum Ending: Hashable {
    case done, renew
    case partly([EventID: String])
    case retry(EngagementError.Code)
    case refused(EngagementError.Code)

    init(_ verdict: Verdict) {
      switch verdict {
      case .done: self = .done
      case .partly(let rejected): self = .partly(rejected)
      case .retry(let error): self = .retry(error.code)
      case .refused(let error): self = .refused(error.code)
      case .renew: self = .renew
      }
    }
  }

  static let statuses: [(Int, Ending)] = [
    (0, .retry(.unavailable)), (302, .retry(.unavailable)), (304, .retry(.unavailable)),
    (400, .refused(.invalidArgument)), (401, .refused(.unauthenticated)),
    (402, .refused(.invalidArgument)), (403, .refused(.permissionDenied)),
    (404, .refused(.notFound)), (407, .retry(.unavailable)), (408, .retry(.unavailable)),
    (409, .refused(.conflict)), (410, .refused(.notFound)), (413, .refused(.invalidArgument)),
    (419, .refused(.invalidArgument)), (425, .retry(.unavailable)), (429, .retry(.rateLimited)),
    (500, .retry(.unavailable)), (502, .retry(.unavailable)), (503, .retry(.unavailable)),
    (504, .retry(.unavailable)), (999, .retry(.unavailable)),
  ]

  private static let operations: [CleverTap.Operation] =
    [.settings] + CleverTapRequestTests.rows.map(\.operation)

  @Test(
    "C4 C10 C11: each status gives its error code and verdict for every operation",
    arguments: statuses)
  func status(status: Int, ending: Ending) throws {
    let body = #"{"error":"secret words","code":10006}"#
    for operation in Self.operations {
      let answer = try answer(
        operation, .json(status, body, headers: [("Retry-After", "7")]))
      #expect(Ending(answer.verdict) == expected(ending, operation, status), "\(operation.verb)")
      #expect(!"\(answer)".contains("secret words"))
      guard case .retry(let error) = answer.verdict, operation != .settings, status != 403 else {
        continue
      }
      #expect(error.retryAfter == .seconds(7))
      #expect(error.underlying == "\(status)")
    }
  }

  private func expected(
    _ ending: Ending, _ operation: CleverTap.Operation, _ status: Int
  ) -> Ending {
    switch (operation, ending) {
    // What waits for a host is not lost because the handshake failed.
    case (.settings, .refused(let code)) where status != 401: .retry(code)
    // The profile is not marked as a test profile.
    case (.templates, .refused(.unauthenticated)): .refused(.permissionDenied)
    // Told again in the next session.
    case (.act, .refused(.permissionDenied)): .retry(.permissionDenied)
    default: ending
    }
  }

  @Test("C10: a 403 marks the inbox as missing for the session")
  func withoutInbox() throws {
    let context = CleverTap.context { $0.session = CleverTap.session }
    for operation in [CleverTap.Operation.inbox, .act(.delete, on: CleverTap.campaign("1"))] {
      let answer = try answer(operation, HTTPResponse(403), context)
      #expect(answer.changes == [.keep(.user, "inbox.off", "s-1")])
    }
  }

  // MARK: Bodies

  private static let bookkeeping: [Change] = [
    .keep(.user, "request.last", "1790845200"), .keep(.user, "request.session", ""),
    .keep(.user, "request.first", "1790845200"),
  ]

  private static func caps(_ perSession: Int, _ perDay: Int) -> Change {
    .settings(
      VendorSettings(campaignCaps: CampaignCaps(perSession: perSession, perDay: perDay)))
  }

  private static let campaignItem = CleverTap.campaign(1, template: "a")
  private static let other = CleverTap.campaign(2, template: "b")

  private static func raw(_ texts: String...) -> [RawItem] {
    texts.map { CleverTap.raw($0) }
  }

  static let remembered: [(String, [Change])] = [
    (
      #"{"g":"-forced","_i":7,"_j":8}"#,
      [
        .keep(.user, "guid", "-forced"), .keep(.user, "i", "7"), .keep(.user, "j", "8"),
      ]
    ),
    (
      #"{"arp":{"v":2,"old":-1,"new":"x"}}"#,
      [
        .keep(.user, "arp", #"{"v":2,"new":"x","kept":true}"#)
      ]
    ),
    (#"{"arp":{"v":-1,"old":-1,"kept":-1}}"#, [.keep(.user, "arp", nil)]),
    (#"{"inapp_delivery_mode":"SS"}"#, [.items(.campaigns, .replace(.nothing), [])]),
    (#"{"inapp_notifs_cs":[]}"#, [.items(.campaigns, .replace(.nothing), [])]),
    (
      #"{"inapp_stale":[17,"18",null,{}],"inapp_delivery_mode":"CS"}"#,
      [
        .removed(.campaigns, ids: ["17", "18"]), .removed(.announcedCampaigns, ids: ["17", "18"]),
        .removed(.dueCampaigns, ids: ["17", "18"]),
        .items(.announcedCampaigns, .replace(.nothing), []),
      ]
    ),
    (
      #"{"inapp_delivery_mode":"NO_MODE"}"#,
      [
        .items(.campaigns, .replace(.nothing), []),
        .items(.announcedCampaigns, .replace(.nothing), []),
      ]
    ),
    (#"{"inapp_delivery_mode":"new"}"#, []),
    (
      // A list of the answer itself stays, whatever the mode.
      #"{"inapp_delivery_mode":"CS","inapp_notifs_ss":[\#(campaignItem)]}"#,
      [.items(.announcedCampaigns, .replace(.nothing), raw(campaignItem))]
    ),
    (
      #"{"inapp_delivery_mode":"SS","inapp_notifs_cs":[\#(campaignItem)]}"#,
      [.items(.campaigns, .replace(.nothing), raw(campaignItem))]
    ),
    (
      // The vendor's clients ask for these only after a time without action, and report none.
      #"{"inapp_notifs_applaunched_meta":[\#(other)]}"#, []
    ),
    (
      #"{"inapp_notifs":[\#(campaignItem)],"inapp_notifs_applaunched":[\#(other)]}"#,
      [.items(.dueCampaigns, .put, raw(campaignItem, other))]
    ),
    (#"{"inbox_notifs":[]}"#, [.items(Feed(.inbox, in: "device"), .put, [])]),
    (#"{"arp":7,"g":"","_i":"7","_j":null,"inapp_notifs":{},"inapp_stale":"x","console":[1]}"#, []),
    (
      #"{"arp":{"a":1,"a":2},"g":"\u0000","_i":99999999999999999999,"_j":8}"#,
      [
        .keep(.user, "j", "8")
      ]
    ),
  ]

  @Test(
    "C7 C9 C10 C11: a batch answer becomes its changes, and malformed members are ignored",
    arguments: remembered)
  func remembers(body: String, changes: [Change]) throws {
    let context = CleverTap.context {
      $0.values[.user, "arp"] = #"{"v":1,"old":1,"kept":true}"#
    }
    let answer = try answer(.campaigns, .json(200, body), context)
    #expect(answer == Answer(changes + [Self.caps(10, 10)] + Self.bookkeeping))
  }

  @Test("C9: an answer that says nothing leaves the caps alone, and an empty body is no answer")
  func saysNothing() throws {
    #expect(try answer(.campaigns, .json(200, "{}")) == Answer(Self.bookkeeping))
    let empty = try answer(.campaigns, .json(200, ""))
    guard case .retry(let error) = empty.verdict, error.code == .malformedResponse else {
      Issue.record("\(empty)")
      return
    }
  }

  @Test(
    "C9: an answer gives the caps; an absent or mistyped one is ten",
    arguments: [
      (#"{"imc":1,"imp":20}"#, 1, 20), (#"{"imc":0}"#, 0, 10), (#"{"imp":3}"#, 10, 3),
      (#"{"imc":"7","imp":null}"#, 10, 10), (#"{"imc":[],"imp":2.5}"#, 10, 10),
    ])
  func capsOfAnswer(body: String, perSession: Int, perDay: Int) throws {
    let answer = try answer(.events([CleverTap.event("e-1", .custom, "a")]), .json(200, body))
    #expect(answer.changes.first == Self.caps(perSession, perDay))
  }

  private static let report = CampaignReport(
    due: ["4711"], suppressed: [["campaign": ["wzrk_id": "5_1"]]], mark: 9)

  @Test("C9: the report is confirmed by the answers to exactly the requests that carried it")
  func confirms() throws {
    let context = CleverTap.context {
      $0.campaignReport = Self.report
      $0.push[.production] = PushRegistration(token: Secret("0aff"), service: .apns)
    }
    let operations = CleverTapRequestTests.rows.map(\.operation)
    for operation in operations {
      guard
        case .send(let request)? = try? CleverTap.adapter().step(for: operation, in: context)
      else { continue }
      let body = #"{"inbox_notifs_v2":[]}"#
      let carries = request.text.contains(#""inapps_eval":[4711]"#)
      #expect(carries == request.text.contains(#""inapps_suppressed":"#))
      let done = try answer(operation, .json(200, body), context)
      #expect(done.changes.contains(.campaignsReported(through: 9)) == carries, "\(operation)")
      for status in [400, 429, 500] {
        let failed = try answer(operation, HTTPResponse(status), context)
        #expect(!failed.changes.contains(.campaignsReported(through: 9)))
      }
    }
    let silent = try answer(.campaigns, .json(200, "{}"))
    #expect(!silent.changes.contains(.campaignsReported(through: 0)))
    // A batch that has to go to another host was not taken.
    let moved = try answer(
      .campaigns, .json(200, "{}", headers: [("X-WZRK-RD", "eu2.clevertap-prod.com")]), context)
    #expect(!moved.changes.contains(.campaignsReported(through: 9)))
  }

  @Test("C11: the time of the first request and the first identified device are stored once")
  func firsts() throws {
    let context = CleverTap.context {
      $0.values[.user, "request.first"] = "1"
      $0.session = CleverTap.session
    }
    let first = try answer(.associate("u-1"), .json(200, "{}"), context)
    #expect(
      first
        == Answer([
          .keep(.user, "request.last", "1790845200"), .keep(.user, "request.session", "s-1"),
          .keep(.installation, "identified.first", "-guid"),
        ]))
    var known = context
    known.values[.installation, "identified.first"] = "-other"
    #expect(try answer(.associate("u-1"), .json(200, "{}"), known).changes.count == 2)
  }

  @Test("C11: unsupported events of a batch are rejected with a reason")
  func partly() throws {
    let context = CleverTap.context { $0.values[.user, "arp"] = #"{"d_e":["Noise Made"]}"# }
    let batch = [
      CleverTap.event("e-1", .custom, "a"), CleverTap.event("e-2", .custom, "App Launched"),
      CleverTap.event("e-3", .custom, "noisemade"), CleverTap.event("e-4", .custom, " .$ "),
      CleverTap.event("e-5", .snooze), CleverTap.event("e-6", .click),
      CleverTap.event("e-7", .purchase, "a"),
      CleverTap.event("e-8", .click, on: ItemReference(ItemID("clevertap", "x"), on: .push)),
    ]
    guard case .partly(let rejected) = try answer(.events(batch), .json(200, "{}"), context).verdict
    else {
      Issue.record("Most of it was refused.")
      return
    }
    #expect(rejected.keys.sorted() == ["e-2", "e-3", "e-4", "e-5", "e-6", "e-7", "e-8"])
    #expect(rejected["e-2"] == "CleverTap keeps this name of an event for itself.")
    #expect(rejected["e-4"] == "The event has no name.")
  }

  @Test("C4 C10: an operation that reads no body accepts none and any object, but no page")
  func unread() throws {
    for operation in [
      CleverTap.Operation.templates([]), .act(.delete, on: CleverTap.campaign("1")),
    ] {
      for body in ["", "{}", #"{"a":1}"#] {
        #expect(try answer(operation, .json(200, body)).verdict == .done)
      }
      for body in ["<html>", "null", "[]", "ok"] {
        let answer = try answer(operation, .json(200, body))
        #expect(Ending(answer.verdict) == .retry(.malformedResponse))
      }
    }
  }

  @Test("C11: a handshake is known by its headers, whatever its body", arguments: ["", "<html>"])
  func handshake(body: String) throws {
    let named = HTTPResponse.json(
      200, body, headers: [("X-WZRK-RD", "eu1.clevertap-prod.com")])
    #expect(try answer(.settings, named).verdict == .done)
    #expect(
      Ending(try answer(.settings, .json(200, body)).verdict) == .retry(.malformedResponse))
  }

  // MARK: Hostile answers

  private static let full = """
    {"arp":{"v":1},"g":"-g","_i":1,"inapp_stale":[1],"inapp_delivery_mode":"CS","imc":1,"imp":2,
    "inapp_notifs_ss":[\(CleverTapCampaignTests.announced)],"inapp_notifs_applaunched_meta":[{}],
    "inapp_notifs":[\(CleverTap.campaign(1, template: "a"))],"inapp_notifs_cs":[{}],
    "inbox_notifs":[\(CleverTap.messageHere("m-1"))],
    "inbox_notifs_v2":[\(CleverTap.message("m-2", read: true)),7]}
    """

  static let reading: [CleverTap.Operation] = [
    .campaigns, .inbox, .events([CleverTap.event("e-1", .custom, "a")]), .optOut(true),
  ]

  @Test(
    "flow 12: a body cut at any byte changes nothing and is retried",
    arguments: reading)
  func cut(operation: CleverTap.Operation) throws {
    let bytes = Array(Self.full.utf8)
    for length in 1..<bytes.count {
      let answer = try answer(operation, HTTPResponse(200, body: Array(bytes.prefix(length))))
      #expect(answer.changes.isEmpty, "\(length)")
      #expect(Ending(answer.verdict) == .retry(.malformedResponse), "\(length)")
    }
    #expect(try answer(operation, .json(200, Self.full)).verdict == .done)
  }

  static let hostile: [String] = [
    "<html><body>Please sign in</body></html>", "null", "true", "7", #""text""#, "\u{feff}{}",
    "[]", "{", "}", "{}{}", " ", "\u{0}", "nan", #"{"a":1,}"#, #"{"g":"a","g":"b"}"#,
    String(repeating: "[", count: 100_000), String(repeating: #"{"a":"#, count: 100_000),
    #"{"inbox_notifs_v2":"# + String(repeating: "[", count: 65),
  ]

  @Test(
    "flow 12: a body of any other format is malformed and retried", arguments: hostile)
  func hostileBody(body: String) throws {
    for operation in Self.reading {
      let answer = try answer(operation, .json(200, body))
      #expect(answer.changes.isEmpty, "\(operation.verb)")
      #expect(Ending(answer.verdict) == .retry(.malformedResponse), "\(operation.verb)")
    }
  }

  @Test("flow 12: the adapter answers any bytes at any status", arguments: 0..<8)
  func fuzz(seed: UInt64) throws {
    var random = CleverTapRandom(state: seed)
    let adapter = try CleverTap.adapter()
    for _ in 0..<Effort.share(of: 500) {
      for operation in Self.reading {
        var bytes = Array(Self.full.utf8)
        for _ in 0...Int(random.next() % 4) {
          bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next())
        }
        let status = [200, 200, 200, 204, 401, 403, 429, 500][Int(random.next() % 8)]
        let answer = try answer(operation, HTTPResponse(status, body: bytes))
        for case .items(_, _, let items) in answer.changes {
          for item in items {
            _ = try? adapter.message(in: item)
            _ = try? adapter.campaign(in: item)
          }
        }
      }
    }
  }
}

/// Numbers that look random and are the same each time.
struct CleverTapRandom {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var value = state
    value = (value ^ value >> 30) &* 0xbf58_476d_1ce4_e5b9
    value = (value ^ value >> 27) &* 0x94d0_49bb_1331_11eb
    return value ^ value >> 31
  }
}
