import BrazeFixtures
import EngagementAdapterAPI
import EngagementBraze
import EngagementHTTP
import EngagementJSON
import EngagementModel
import EngagementTesting
import FoundationEssentials
import TestSupport
import Testing

/// What answers mean: statuses, errors inside a success, settings, and bytes of any kind.
@Suite struct BrazeResponsesTests {
  private static let operations: [Operation] = [
    BrazeScene.cards, .settings,
    .events([EngagementEvent(id: "e", kind: .custom, time: TestClock().now, name: "n")]),
    .registerPush(.production),
  ]

  private func answer(
    _ response: HTTPResponse, to operation: Operation = .settings,
    in context: AdapterContext = BrazeScene.context(), signs: Bool = false
  ) throws -> Answer {
    try BrazeScene.adapter(signs: signs).answer(to: operation, from: response, in: context)
  }

  // MARK: Statuses

  /// The status, the code of a failure, whether trying again may help.
  static let statuses: [(Int, EngagementError.Code, Bool)] = [
    (400, .invalidArgument, false), (401, .unauthenticated, false),
    (403, .permissionDenied, false), (404, .notFound, false), (409, .conflict, false),
    (413, .invalidArgument, false), (422, .invalidArgument, false), (408, .unavailable, true),
    (425, .unavailable, true), (429, .rateLimited, true), (500, .unavailable, true),
    (503, .unavailable, true), (302, .unavailable, true), (0, .unavailable, true),
  ]

  @Test("each status gives its expected verdict for every operation", arguments: statuses)
  func status(status: Int, code: EngagementError.Code, mayPass: Bool) throws {
    let body = Array(BrazeScene.config(100).utf8)
    for operation in Self.operations {
      let answer = try answer(HTTPResponse(status, body: body), to: operation)
      #expect(answer.told.isEmpty, "the body of a failure is not read")
      switch answer.verdict {
      case .retry(let error): #expect(mayPass && error.code == code)
      case .refused(let error): #expect(!mayPass && error.code == code)
      default: Issue.record("\(status) is no success")
      }
    }
  }

  @Test(
    "B6: a 429 carries the wait of a valid Retry-After",
    arguments: [
      ("120", 120), ("Thu, 01 Oct 2026 09:01:00 GMT", 60), ("soon", nil), ("-5", nil), ("0", 1),
    ] as [(String, Int?)])
  func retryAfter(value: String, seconds: Int?) throws {
    let headers = [("Retry-After", value)]
    guard case .retry(let error) = try answer(.json(429, "{}", headers: headers)).verdict else {
      Issue.record("429 asks for patience")
      return
    }
    #expect(error.retryAfter == seconds.map { .seconds($0) })
  }

  @Test("B7: a 401 to a signed request asks for a new signature")
  func unauthorized() throws {
    let signed = BrazeScene.context(credential: Secret("s"))
    #expect(
      try answer(HTTPResponse(401), in: signed, signs: true).verdict == .renew(.credential))
  }

  @Test("B6: a success with Retry-After brings its cards and is retried later")
  func more() throws {
    let response = HTTPResponse.json(
      201, BrazeScene.sync(full: true, [BrazeScene.card("a")]), headers: [("Retry-After", "30")])
    let answer = try answer(response, to: BrazeScene.cards)
    guard case .retry(let error) = answer.verdict else {
      Issue.record("more cards are in preparation")
      return
    }
    #expect(error.retryAfter == .seconds(30))
    #expect(answer.changes.contains(.keep(.user, "cards.updatedAt", "100")))
  }

  @Test(
    "B3: a success that asks for a pause is done, and nothing more goes to the endpoint meanwhile")
  func pauseAfterSuccess() throws {
    var response = HTTPResponse.json(201, #"{"message":"success"}"#)
    try response.headers.set("Retry-After", "30")
    let answer = try answer(response, to: .registerPush(.production))
    let end = BrazeScene.context().now.addingTimeInterval(30)
    #expect(answer.verdict == .done)
    for verb in [Operation.Verb.settings, .events, .updatePerson, .registerPush, .unregisterPush] {
      #expect(answer.changes.contains(.throttled(verb, until: end)), "\(verb)")
    }
    #expect(!answer.changes.contains(.throttled(.cards, until: end)))
  }

  @Test(
    "B3: after failures the adapter waits as the settings say, longer each time and not too long")
  func backoff() throws {
    let settings =
      #"{"config":{"time":5,"request_backoff":{"min_sleep_duration_ms":500,"max_sleep_duration_ms":3000,"scale_factor":2}}}"#
    let kept = try answer(.json(200, settings)).changes.compactMap { change -> String? in
      guard case .keep(.installation, "backoff", let text) = change else { return nil }
      return text
    }
    let text = try #require(kept.first)
    for (failures, wait) in [(0, 500), (1, 1_000), (2, 2_000), (3, 3_000), (900, 3_000)] {
      let context = BrazeScene.context(values: [
        (.installation, "backoff", text), (.installation, "failed.data", String(failures)),
      ])
      guard case .retry(let error) = try answer(HTTPResponse(503), in: context).verdict else {
        Issue.record("a 503 is tried again")
        return
      }
      #expect(error.retryAfter == .milliseconds(wait), "\(failures)")
    }
    guard case .retry(let error) = try answer(HTTPResponse(503)).verdict else { return }
    #expect(error.retryAfter == nil, "without the settings the wait is the kit's")
  }

  @Test(
    "settings without a usable wait after failures are as none",
    arguments: [
      "{}", "7", #"{"min_sleep_duration_ms":0,"max_sleep_duration_ms":3,"scale_factor":2}"#,
      #"{"min_sleep_duration_ms":9,"max_sleep_duration_ms":3,"scale_factor":2}"#,
      #"{"min_sleep_duration_ms":1,"max_sleep_duration_ms":3,"scale_factor":0.5}"#,
      #"{"min_sleep_duration_ms":1,"max_sleep_duration_ms":1e300,"scale_factor":2}"#,
    ])
  func noBackoff(settings: String) throws {
    let answer = try answer(.json(200, #"{"config":{"time":5,"request_backoff":\#(settings)}}"#))
    #expect(answer.changes.contains(.keep(.installation, "backoff", nil)))
  }

  @Test("a 304 keeps the cards, and a 304 to a settings request is retried")
  func notModified() throws {
    let unchanged = try answer(HTTPResponse(304), to: BrazeScene.cards)
    #expect(unchanged.told == [.unchanged(.cards)] && unchanged.verdict == .done)
    guard case .retry = try answer(HTTPResponse(304)).verdict else {
      Issue.record("settings were not confirmed")
      return
    }
  }

  // MARK: Errors inside a success

  static let words: [(String, EngagementError.Code, Bool)] = [
    (#""invalid_api_key""#, .invalidConfiguration, false),
    (#""blacklisted""#, .permissionDenied, false),
    (#""no_device_identifier""#, .invalidArgument, false),
    (#""something new""#, .unavailable, true), (#"{"a":1}"#, .unavailable, true),
    (#""\u0000""#, .unavailable, true),
  ]

  @Test("an error inside a success fails every operation and keeps the settings", arguments: words)
  func word(error word: String, code: EngagementError.Code, mayPass: Bool) throws {
    let body = BrazeScene.config(100, besides: #","error":\#(word)"#)
    for operation in Self.operations {
      let answer = try answer(.json(200, body), to: operation)
      switch answer.verdict {
      case .retry(let error): #expect(mayPass && error.code == code)
      case .refused(let error): #expect(!mayPass && error.code == code)
      default: Issue.record("\(word) is no success")
      }
      #expect(answer.changes.contains(.keep(.installation, "config.time", "100")))
      let isSeen = answer.changes.contains { change in
        if case .keep(.installation, "user.last", _) = change { true } else { false }
      }
      #expect(!isSeen, "the vendor took nothing from the user")
    }
  }

  @Test(
    "B7: a refused signature is recognised with any error content",
    arguments: [
      #"{"error_code":22,"reason":"r"}"#, #"{"error_code":"22"}"#, "{}", "[]", "true", #""x""#,
      #"{"reason":"\u0000"}"#, #"{"error_code":1,"error_code":2}"#,
    ])
  func refusedSignature(value: String) throws {
    let context = BrazeScene.context(credential: Secret("s"))
    let response = HTTPResponse.json(200, #"{"auth_error":\#(value)}"#)
    for operation in Self.operations {
      let answer = try answer(response, to: operation, in: context, signs: true)
      #expect(answer.verdict == .renew(.credential))
      #expect(answer.changes.contains(.keep(.user, "auth.refusals", "1")))
    }
    guard case .refused(let error) = try answer(response, in: context).verdict else {
      Issue.record("an unsigned request cannot be renewed")
      return
    }
    #expect(error.code == .unauthenticated)
  }

  @Test("B7: an optional signature error is reported and the operation succeeds")
  func toleratedSignature() throws {
    let body = #"{"optional_auth_error":{"error_code":21},"auth_error":null,"error":null}"#
    let answer = try answer(
      .json(200, body), in: BrazeScene.context(credential: Secret("s")), signs: true)
    #expect(answer.verdict == .done)
    let error = EngagementError(
      .unauthenticated, "Braze refused the signature.", underlying: "21 SUBJECT_MISMATCH")
    #expect(answer.changes.contains(.ignored(error)))
  }

  // MARK: Settings

  /// What `content_cards` says, whether cards are on, the tokens and milliseconds of the bucket.
  static let limits: [(String, Bool, String?, String?)] = [
    (#"{"enabled":true}"#, true, nil, nil), (#"{"enabled":1}"#, true, nil, nil),
    (#"{"enabled":"yes"}"#, false, nil, nil), ("{}", false, nil, nil), ("null", false, nil, nil),
    ("[true]", false, nil, nil),
    (#"{"enabled":true,"rate_limit":{"enabled":true}}"#, true, "5", "90000"),
    (#"{"enabled":true,"rate_limit":{"enabled":false,"capacity":1}}"#, true, nil, nil),
    (#"{"enabled":true,"rate_limit":{"enabled":true,"capacity":0}}"#, true, nil, nil),
    (#"{"enabled":true,"rate_limit":{"enabled":true,"refill_rate":-1}}"#, true, nil, nil),
    (
      #"{"enabled":true,"rate_limit":{"enabled":true,"capacity":0.5,"refill_rate":0.25}}"#, true,
      "1", "250"
    ),
    (
      #"{"enabled":true,"rate_limit":{"enabled":true,"capacity":1e300,"refill_rate":1e300}}"#,
      true, "10000", "86400000"
    ),
  ]

  @Test(
    "B6: settings of any format give valid limits and enable cards only if they say so",
    arguments: limits)
  func limit(cards: String, isEnabled: Bool, capacity: String?, refill: String?) throws {
    let body = #"{"config":{"time":5,"content_cards":\#(cards),"messaging_session_timeout":-3}}"#
    let answer = try answer(.json(200, body))
    #expect(answer.changes.contains(.settings(VendorSettings(cardsEnabled: isEnabled))))
    #expect(answer.changes.contains(.keep(.installation, "bucket.capacity", capacity)))
    #expect(answer.changes.contains(.keep(.installation, "bucket.refill", refill)))
    let emptied = Change.items(.cards, .replace(.nothing), [])
    #expect(answer.changes.contains(emptied) == !isEnabled)
  }

  @Test(
    "B6: a limit for all requests has the default values of the vendor's clients",
    arguments: [
      (#"{"enabled":true}"#, "30", "30000"), (#"{"enabled":true,"capacity":12}"#, "12", "30000"),
      (#"{"enabled":true,"refill_rate":0.5}"#, "30", "500"), (#"{"enabled":false}"#, nil, nil),
      (#"{"enabled":true,"capacity":9}"#, nil, nil), ("7", nil, nil),
    ] as [(String, String?, String?)])
  func requestLimit(settings: String, capacity: String?, refill: String?) throws {
    let body = #"{"config":{"time":5,"global_request_rate_limit":\#(settings)}}"#
    let answer = try answer(.json(200, body))
    #expect(answer.changes.contains(.keep(.installation, "bucket.all.capacity", capacity)))
    #expect(answer.changes.contains(.keep(.installation, "bucket.all.refill", refill)))
  }

  @Test("settings without a time are ignored and reported", arguments: ["{}", #"{"time":"5"}"#])
  func timeless(config: String) throws {
    let answer = try answer(.json(200, #"{"config":\#(config)}"#))
    #expect(answer.verdict == .done)
    let error = EngagementError(.malformedResponse, "The settings have no time.")
    #expect(answer.changes.first == .ignored(error))
  }

  // MARK: Bytes of any kind

  static let hostile: [[UInt8]] = [
    [], Array("null".utf8), Array("[]".utf8), Array("7".utf8),
    Array("<html>Please sign in</html>".utf8), [0xef, 0xbb, 0xbf] + Array("{}".utf8),
    [0xff, 0xfe, 0x00], Array(repeating: UInt8(ascii: "["), count: 100_000),
    Array(repeating: UInt8(ascii: "{"), count: 100_000), Array("{}{}".utf8),
    Array(#"{"cards":[\#(String(repeating: "[", count: 5_000))"#.utf8),
  ]

  @Test("a success whose body is not an object is retried as malformed", arguments: hostile)
  func unreadable(body: [UInt8]) throws {
    for operation in Self.operations {
      let answer = try answer(HTTPResponse(200, body: body), to: operation)
      guard case .retry(let error) = answer.verdict else {
        Issue.record("nothing was confirmed")
        return
      }
      #expect(error.code == .malformedResponse && answer.told.isEmpty)
    }
  }

  @Test(
    "B3 B4: a success without a member of Braze's confirms nothing and is retried",
    arguments: [
      "{}", #"{"status":"ok"}"#, #"{"message":7}"#, #"{"message":null,"cards":{}}"#,
      #"{"config":"x","cards":"y"}"#, #"{"full_sync":true,"last_full_sync_at":"3"}"#,
    ])
  func foreign(body: String) throws {
    for operation in Self.operations {
      let answer = try answer(.json(200, body), to: operation)
      guard case .retry(let error) = answer.verdict else {
        Issue.record("\(operation.verb) was confirmed by \(body)")
        return
      }
      #expect(error.code == .malformedResponse && answer.told.isEmpty)
    }
  }

  @Test(
    "B4: a sync needs a list of cards, except a delta with watermarks where nothing is new",
    arguments: [
      (#""full_sync":false,"last_card_updated_at":3"#, true),
      (#""full_sync":false,"last_card_updated_at":3,"cards":null"#, true),
      (#""full_sync":false,"last_card_updated_at":3,"cards":{}"#, false),
      (#""full_sync":true,"last_card_updated_at":3"#, false), (#""full_sync":false"#, false),
    ])
  func withoutList(members: String, isSync: Bool) throws {
    let answer = try answer(
      .json(201, #"{"message":"success",\#(members)}"#), to: BrazeScene.cards)
    #expect((answer.verdict == .done) == isSync)
  }

  private static let whole = Array(
    """
    {"message":"success","auth_error":null,"config":{"time":9,"content_cards":{"enabled":true}},\
    "full_sync":1,"last_full_sync_at":3,"last_card_updated_at":4,\
    "cards":[{"id":"é","tp":"control","e":{"a":[1,{"b":null}]}},{"id":"b","r":true}]}
    """.utf8)

  @Test("a success that is cut at any byte changes nothing")
  func cut() throws {
    for count in 0..<Self.whole.count {
      let answer = try answer(
        HTTPResponse(200, body: Array(Self.whole.prefix(count))), to: BrazeScene.cards)
      #expect(answer.told.isEmpty, "cut after \(count) bytes")
    }
    let answer = try answer(HTTPResponse(200, body: Self.whole), to: BrazeScene.cards)
    #expect(answer.verdict == .done)
  }

  @Test(
    "a member of any wrong type gives an answer and never empties the cards",
    arguments: [
      "message", "auth_error", "optional_auth_error", "error", "config", "full_sync",
      "last_full_sync_at", "last_card_updated_at", "cards",
    ])
  func wrongTypes(member: String) throws {
    let values = [
      "null", "true", "0", "-1", "1e999", "99999999999999999999", #""""#, #""\ud800""#, "[]",
      "[null]", "{}", #"{"":[[]]}"#,
    ]
    for value in values {
      for operation in Self.operations {
        let response = HTTPResponse.json(200, #"{"full_sync":true,"\#(member)":\#(value)}"#)
        let answer = try answer(response, to: operation)
        let empties = answer.changes.contains { change in
          if case .items(_, .replace, let items) = change { items.isEmpty } else { false }
        }
        #expect(!empties || member == "cards" && value == "[]", "only an empty list empties")
      }
    }
  }

  @Test("ten thousand mutated bodies give answers with valid cards or errors")
  func mutations() throws {
    let adapter = try BrazeScene.adapter()
    var random = SeededGenerator(seed: 20)
    for _ in 0..<10_000 {
      var body = Self.whole
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let place = Int.random(in: 0..<body.count, using: &random)
        body[place] = UInt8.random(in: 0...255, using: &random)
      }
      let answer = adapter.answer(
        to: BrazeScene.cards, from: HTTPResponse(200, body: body), in: BrazeScene.context())
      for case .items(_, _, let items) in answer.changes {
        for item in items {
          if let card = try? adapter.card(in: item) { #expect(!card.id.value.isEmpty) }
        }
      }
    }
  }
}
