import AtomicFixtures
import EngagementAdapterAPI
import EngagementAtomic
import EngagementHTTP
import EngagementJSON
import EngagementModel
import EngagementTesting
import FoundationEssentials
import Testing

/// What Atomic's answers mean.
@Suite struct AtomicAnswerTests {
  private static let card = ItemReference(ItemID("atomic", "1f0c"), on: .cards, in: "BqWL1sT")
  private static let write = EngagementAdapterAPI.Operation.act(.dismiss, on: card)
  static let operations: [EngagementAdapterAPI.Operation] = [
    AtomicSamples.cards, .metrics, write,
    .events([EngagementEvent(id: "e-1", kind: .launch, time: TestClock().now)]),
    .registerPush(.production),
  ]

  // MARK: Statuses

  /// A status with the code that it gives.
  struct Status: Sendable, CustomTestStringConvertible {
    var number: Int
    var code: EngagementError.Code
    var isRetry: Bool

    init(_ number: Int, _ code: EngagementError.Code, isRetry: Bool = false) {
      self.number = number
      self.code = code
      self.isRetry = isRetry
    }

    var testDescription: String { "\(number)" }
  }

  static let statuses = [
    Status(100, .malformedResponse), Status(301, .malformedResponse),
    Status(400, .invalidArgument), Status(402, .invalidArgument),
    Status(403, .permissionDenied), Status(404, .notFound), Status(409, .conflict),
    Status(410, .notFound), Status(413, .invalidArgument), Status(422, .invalidArgument),
    Status(408, .deadlineExceeded, isRetry: true), Status(425, .unavailable, isRetry: true),
    Status(429, .rateLimited, isRetry: true), Status(500, .unavailable, isRetry: true),
    Status(502, .unavailable, isRetry: true), Status(503, .unavailable, isRetry: true),
    Status(599, .unavailable, isRetry: true), Status(700, .malformedResponse),
    Status(0, .malformedResponse), Status(-1, .malformedResponse),
  ]

  @Test("G6: a status has the same meaning for every operation", arguments: statuses, operations)
  func status(_ status: Status, _ operation: EngagementAdapterAPI.Operation) throws {
    let body = Array(#"{"secret":"never shown"}"#.utf8)
    let answer = try answer(operation, HTTPResponse(status.number, body: body))
    #expect(answer.changes.isEmpty)
    switch answer.verdict {
    case .retry(let error):
      #expect(status.isRetry)
      #expect(error.code == status.code)
      #expect(!error.description.contains("never shown"))
    case .refused(let error):
      #expect(!status.isRetry)
      #expect(error.code == status.code)
    default: Issue.record("It is neither refused nor to be tried again.")
    }
  }

  @Test("A2: a 401 asks the application for another token", arguments: operations)
  func unauthorized(_ operation: EngagementAdapterAPI.Operation) throws {
    #expect(try answer(operation, HTTPResponse(401)) == Answer([], .renew(.credential)))
  }

  @Test("G6: the error carries a valid Retry-After, and garbage is ignored")
  func retryAfter() throws {
    for (value, seconds) in [("120", 120.0), ("Thu, 01 Oct 2026 09:05:00 GMT", 300), ("0", 1)] {
      let response = HTTPResponse(429, headers: try HTTPHeaders(["Retry-After": value]))
      guard case .retry(let error) = try answer(Self.write, response).verdict else {
        throw AtomicSurprise("No retry.")
      }
      #expect(error.retryAfter == .seconds(seconds))
    }
    let garbage = HTTPResponse(503, headers: try HTTPHeaders(["Retry-After": "soon"]))
    guard case .retry(let error) = try answer(Self.write, garbage).verdict else {
      throw AtomicSurprise("No retry.")
    }
    #expect(error.retryAfter == nil)
  }

  @Test("A17: a 304 is valid only after a request that sent an entity tag")
  func notModified() throws {
    let response = HTTPResponse(304)
    for operation in Self.operations {
      #expect(try answer(operation, response).verdict.code == .malformedResponse)
    }
    var context = context
    context.values[.user, "etag.feed.BqWL1sT"] = "e1"
    context.values[.user, "etag.user-metrics"] = "e2"
    #expect(
      try answer(AtomicSamples.cards, response, context)
        == Answer([.unchanged(AtomicSamples.feed)]))
    #expect(try answer(.metrics, response, context) == Answer())
    #expect(try answer(Self.write, response, context).verdict.code == .malformedResponse)
  }

  // MARK: Bodies

  @Test(
    "A10: errors inside a 200 refuse the operation", arguments: operations,
    [
      #"{"errors":[{"title":"Invalid user"}]}"#, #"{"ok":true,"errors":["x"]}"#,
      #"{"errors":{"title":"x"},"cardInstances":[]}"#, #"{"errors":"x","aggregates":{}}"#,
    ])
  func errors(_ operation: EngagementAdapterAPI.Operation, _ body: String) throws {
    let answer = try answer(operation, .json(200, body))
    #expect(answer.changes.isEmpty)
    #expect(answer.verdict.code == .invalidArgument)
    #expect(answer.verdict.error?.description.contains("Invalid user") == false)
  }

  @Test("A10: an answer with ok false refuses the action")
  func notDone() throws {
    #expect(try answer(Self.write, .json(200, #"{"ok":false}"#)).verdict.code == .invalidArgument)
    #expect(
      try answer(Self.write, .json(200, "{}")).verdict.code == .invalidArgument,
      "only ok says that an action was done")
  }

  @Test(
    "A10 A20: a body that is not Atomic's is malformed and the operation is retried",
    arguments: operations,
    [
      "<html>Sign in to the hotel</html>", "[]", "null", "\u{feff}{}", #"{"ok":tru"#,
      #"{"ok":true}x"#, String(repeating: "[", count: 100_000),
      #"{"a":"# + String(repeating: "[", count: 100) + String(repeating: "]", count: 99) + "}",
    ])
  func unreadable(_ operation: EngagementAdapterAPI.Operation, _ body: String) throws {
    let answer = try answer(operation, .json(200, body))
    #expect(answer.changes.isEmpty)
    #expect(answer.verdict.code == .malformedResponse)
    guard case .retry = answer.verdict else { throw AtomicSurprise("It is not tried again.") }
  }

  @Test("A10 A20: an empty 200 completes a push registration but no action or metrics request")
  func empty() throws {
    #expect(try answer(.registerPush(.production), HTTPResponse(200)).verdict == .done)
    #expect(try answer(Self.write, HTTPResponse(200)).verdict.code == .malformedResponse)
    #expect(try answer(Self.write, .json(201, #"{"ok":true,"more":[1]}"#)).verdict == .done)
    #expect(try answer(.metrics, HTTPResponse(200)).verdict.code == .malformedResponse)
  }

  @Test("A8 A21: a feed answer brings the items, the total and the entity tag")
  func feed() throws {
    let cards = [AtomicSamples.card("a"), "7", AtomicSamples.card("b")]
    let body = AtomicSamples.feedBody(cards, total: 9)
    let answer = try answer(AtomicSamples.cards, .json(200, body, headers: [("ETag", #"W/"1""#)]))
    guard case .items(AtomicSamples.feed, .replace(.nothing), let items)? = answer.changes.first
    else { throw AtomicSurprise("There are no items.") }
    #expect(items.map { String(decoding: $0.bytes, as: UTF8.self) } == cards)
    #expect(
      Array(answer.changes.dropFirst()) == [
        .total(AtomicSamples.feed, 9), .keep(.user, "etag.feed.BqWL1sT", #"W/"1""#),
      ])
    #expect(answer.verdict == .done)
  }

  @Test("A8: an absent or very long entity tag clears the stored one")
  func noTag() throws {
    for headers in [[], [("ETag", String(repeating: "e", count: 1025))]] {
      let response = HTTPResponse.json(200, #"{"cardInstances":[]}"#, headers: headers)
      #expect(
        try answer(AtomicSamples.cards, response).changes.last
          == .keep(.user, "etag.feed.BqWL1sT", nil))
    }
  }

  @Test("A22: metrics count in total and by container, and wrong entries are left out")
  func metrics() throws {
    var expected = CardMetrics(active: 3, unseen: ["c1", "c2"])
    expected.byContainer = [
      "BqWL1sT": .init(active: 2, unseen: ["c1"]), "77": .init(active: 1, unseen: ["c2"]),
    ]
    #expect(
      try answer(.metrics, .json(200, AtomicSamples.metricsBody)).changes.first
        == .metrics(expected))
    let lenient = #"""
      {"aggregates":{"cards":{"total":{"active":0},"byContainer":[{"active":1},
      {"containerId":"a","active":-1},{"containerId":"b","active":"2"},7,
      {"containerId":"c","active":1,"unseenCardInstanceIds":[1,"x",null]}]}}}
      """#
    #expect(
      try answer(.metrics, .json(200, lenient)).changes.first
        == .metrics(
          CardMetrics(active: 0, unseen: [], byContainer: ["c": .init(active: 1, unseen: ["x"])])))
    for body in [
      "{}", #"{"aggregates":[]}"#, #"{"aggregates":{"cards":{"total":{"active":"3"}}}}"#,
    ] {
      #expect(try answer(.metrics, .json(200, body)).verdict.code == .malformedResponse)
    }
  }

  // MARK: Any bytes

  @Test("flow 12 G17: the adapter answers a body that is cut or changed at any byte")
  func hostile() throws {
    let adapter = try AtomicSamples.adapter()
    let bodies = [
      AtomicSamples.feedBody([AtomicSamples.card("a")]), AtomicSamples.metricsBody,
      #"{"ok":true,"errors":[]}"#,
    ]
    for body in bodies.map({ Array($0.utf8) }) {
      for index in body.indices {
        var changed = body
        changed[index] = UInt8(truncatingIfNeeded: index &* 151 &+ 7)
        for bytes in [Array(body[..<index]), changed] {
          for operation in Self.operations {
            let answer = adapter.answer(
              to: operation, from: HTTPResponse(200, body: bytes), in: context)
            for case .items(_, _, let items) in answer.changes {
              for item in items { _ = try? adapter.card(in: item) }
            }
          }
        }
      }
      let cut = adapter.answer(
        to: AtomicSamples.cards, from: HTTPResponse(200, body: body.dropLast()), in: context)
      #expect(cut.verdict.code == .malformedResponse)
    }
  }

  // MARK: Parts

  private var context: AdapterContext {
    AdapterContext(user: "u-1", device: .test, now: TestClock().now, key: OperationKey(1, 2))
  }

  private func answer(
    _ operation: EngagementAdapterAPI.Operation, _ response: HTTPResponse,
    _ context: AdapterContext? = nil
  ) throws -> Answer {
    try AtomicSamples.adapter().answer(to: operation, from: response, in: context ?? self.context)
  }
}

extension Verdict {
  /// What went wrong.
  fileprivate var error: EngagementError? {
    switch self {
    case .retry(let error), .refused(let error): error
    case .done, .partly, .renew: nil
    }
  }

  fileprivate var code: EngagementError.Code? { error?.code }
}
