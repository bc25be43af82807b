import EngagementAdapterAPI
import EngagementFormats
import EngagementHTTP
import EngagementJSON
import EngagementKit
import EngagementModel
import EngagementTesting
import EngagementVibes
import Foundation
import TestSupport
import Testing
import VibesFixtures

@Suite("Vibes: answers") struct VibesAnswerTests {
  private func answer(
    _ operation: Vibes.Operation, _ response: HTTPResponse,
    _ context: AdapterContext = Vibes.context()
  ) throws -> Answer {
    try Vibes.adapter().answer(to: operation, from: response, in: context)
  }

  // MARK: Statuses

  enum Ending: Hashable {
    case retry(EngagementError.Code)
    case refused(EngagementError.Code)
    case renew, other

    init(_ verdict: Verdict) {
      switch verdict {
      case .retry(let error): self = .retry(error.code)
      case .refused(let error): self = .refused(error.code)
      case .renew(.operation(.device(.renew))): self = .renew
      default: self = .other
      }
    }
  }

  static let statuses: [(Int, Ending)] = [
    (302, .retry(.unavailable)), (304, .retry(.unavailable)),
    (400, .refused(.invalidArgument)), (401, .renew), (403, .refused(.permissionDenied)),
    (404, .refused(.notFound)), (405, .refused(.invalidArgument)), (407, .retry(.unavailable)),
    (408, .retry(.unavailable)), (409, .refused(.conflict)), (410, .refused(.notFound)),
    (413, .refused(.invalidArgument)), (422, .refused(.invalidArgument)),
    (425, .retry(.unavailable)), (429, .retry(.rateLimited)), (500, .retry(.unavailable)),
    (502, .retry(.unavailable)), (503, .retry(.unavailable)), (504, .retry(.unavailable)),
    (599, .retry(.unavailable)), (0, .retry(.unavailable)), (999, .retry(.unavailable)),
  ]

  @Test("each status gives its expected verdict for every operation", arguments: statuses)
  func status(status: Int, ending: Ending) throws {
    let envelope = #"{"errors":[{"message":"secret words","code":1}]}"#
    for row in VibesRequestTests.rows {
      let answer = try answer(
        row.operation, .json(status, envelope, headers: [("Retry-After", "7")]))
      #expect(
        Ending(answer.verdict) == expected(ending, row.operation, status), "\(row.operation.verb)")
      #expect(!"\(answer)".contains("secret words"))
      guard case .retry(let error) = answer.verdict else { continue }
      #expect(error.retryAfter == .seconds(7))
      #expect(error.underlying == "\(status)/1")
    }
  }

  /// Where nothing is left to refuse, or where it may be the device that is gone.
  private func expected(_ ending: Ending, _ operation: Vibes.Operation, _ status: Int) -> Ending {
    switch (operation, status) {
    case (.device(.renew), 401), (.device(.renew), 404), (.device(.renew), 410): .other
    case (.device(.unregister), 404), (.device(.unregister), 410): .other
    case (.unregisterPush, 404), (.unregisterPush, 410): .other
    case (.vendor("release", _), 404), (.vendor("release", _), 410): .other
    case (.vendor("release.renew", _), 404), (.vendor("release.renew", _), 410): .other
    case (.vendor("release.renew", _), 401): .refused(.unauthenticated)
    case (.device(.update), 404), (.registerPush, 404), (.associate, 404), (.person, 404),
      (.events, 404), (.device(.update), 410), (.registerPush, 410), (.associate, 410),
      (.person, 410), (.events, 410):
      .renew
    case (.act(.read, _), _): ending
    case (.act, 404), (.act, 410): .other
    default: ending
    }
  }

  @Test("V2: a refused registration asks for no renewal")
  func refusedRegistration() throws {
    let answer = try answer(.device(.register), HTTPResponse(401))
    #expect(Ending(answer.verdict) == .refused(.unauthenticated))
  }

  @Test("V2: an expired token of a released device is renewed once, for the release only")
  func leaving() throws {
    let trace = SHA256.digest(of: "d-0").description
    let name = "leaving.\(trace)"
    let context = Vibes.context { $0.secrets[.installation, name] = Secret("t-0") }
    let (release, renewal): (Vibes.Operation, Vibes.Operation) = (
      .vendor("release", ["device": "d-0"]), .vendor("release.renew", ["device": "d-0"])
    )
    guard case .send(let request) = try Vibes.adapter().step(for: release, in: context) else {
      Issue.record("The vendor has to be told.")
      return
    }
    #expect(request.line == "DELETE \(Vibes.root)/devices/d-0")
    #expect(request.headers.secret("Authorization") == Secret("MobileAppToken t-0"))
    #expect(
      try answer(release, HTTPResponse(401), context) == Answer([], .renew(.operation(renewal))))
    let credential = #"{"auth_token":"t-1","device":{"vibes_device_id":"d-0"}}"#
    #expect(
      try answer(renewal, .json(200, credential), context)
        == Answer([.secret(.installation, name, Secret("t-1"))]))
    let forgotten = [Change.secret(.installation, name, nil)]
    #expect(try answer(release, HTTPResponse(204), context) == Answer(forgotten))
    #expect(try answer(release, HTTPResponse(404), context) == Answer(forgotten))
    let refused = try answer(renewal, HTTPResponse(401), context)
    #expect(refused.changes == forgotten)
    #expect(Ending(refused.verdict) == .refused(.unauthenticated))
  }

  @Test(
    "V2 G19: a refused renewal replaces the device, at most once an hour",
    arguments: [
      (nil, true), ("2026-10-01T08:00:01.000Z", false), ("2026-10-01T08:00:00.000Z", true),
      ("2026-10-01T09:00:01.000Z", true), ("soon", true),
    ] as [(String?, Bool)])
  func refusedRenewal(before: String?, isReplaced: Bool) throws {
    let names = isReplaced ? ["device", "token", "token.device", "token.refused"] : []
    let context = Vibes.context { $0.values[.installation, "token.refused"] = before }
    let answer = try answer(.device(.renew), HTTPResponse(401), context)
    let kept = answer.changes.map { change in
      switch change {
      case .keep(.installation, let name, _), .secret(.installation, let name, _): name
      default: "\(change)"
      }
    }
    #expect(kept == names)
    #expect(Ending(answer.verdict) == (isReplaced ? .other : .refused(.unauthenticated)))
  }

  @Test("V8: a 404 to a deletion removes the message")
  func missingMessage() throws {
    let answer = try answer(.act(.delete, on: Vibes.item("m-1")), HTTPResponse(404))
    #expect(answer == Answer([.removed(.inbox, ids: ["m-1"])]))
  }

  @Test("V8: a refused message list makes the kit ask for the person again", arguments: [403, 404])
  func doubtfulList(status: Int) throws {
    let answer = try answer(.inbox, HTTPResponse(status))
    #expect(answer.changes == [.keep(.user, "person.time", nil)])
  }

  // MARK: Bodies

  /// Calls whose answers are read, each with a whole one.
  static let bodies: [(Vibes.Operation, String)] = [
    (.settings, #"{"app_id":"app-1","inbox_enabled":true}"#),
    (.device(.register), #"{"auth_token":"t","device":{"vibes_device_id":"d"}}"#),
    (.device(.renew), #"{"auth_token":"t","device":{"vibes_device_id":"d"}}"#),
    (
      .person,
      #"{"person_key":"p","external_person_id":"u","mobile_phone":{"mdn":"+1555"},"custom_fields":{"a":1}}"#
    ),
    (.inbox, #"[{"message_uid":"m-1","content":"c"},{"message_uid":"m-2"},7]"#),
    (.message("m-1"), #"{"message_uid":"m-1","content":"c"}"#),
    (.act(.read, on: Vibes.item("m-1")), #"{"message_uid":"m-1","content":"c","read":true}"#),
  ]

  @Test("V2 V7 V8: each answer becomes its changes")
  func changes() throws {
    // Of the id alone.
    let trace = "18ac3e7343f016890c510e93f935261169d9e3f565436429830faf0934f4f8e4"
    let wanted: [[Change]] = [
      [.settings(VendorSettings(inboxEnabled: true)), .keep(.installation, "inbox", nil)],
      [
        .keep(.installation, "device", "d"), .secret(.installation, "token", Secret("t")),
        .secret(.installation, "token.device", Secret(trace)),
        .keep(.installation, "device.registration", Vibes.context().key.text),
        .keep(.installation, "device.user", "yes"),
      ],
      [
        .keep(.installation, "device", "d"), .secret(.installation, "token", Secret("t")),
        .secret(.installation, "token.device", Secret(trace)),
      ],
    ]
    for (row, changes) in zip(Self.bodies, wanted) {
      #expect(try answer(row.0, .json(200, row.1)) == Answer(changes))
    }
  }

  @Test(
    "V8 G5: the answer to the end of a message does not bring the message back",
    arguments: [ItemAction.expire(at: nil), .delete, .dismiss])
  func ended(action: ItemAction) throws {
    let operation = EngagementAdapterAPI.Operation.act(action, on: Vibes.item("m-1"))
    let body = #"{"message_uid":"m-1","content":"c","read":false}"#
    #expect(try answer(operation, .json(200, body)) == Answer())
    let other = try answer(operation, .json(200, #"{"message_uid":"m-2"}"#))
    let later = Vibes.Operation.act(.expire(at: Date.distantFuture), on: Vibes.item("m-1"))
    #expect(try answer(later, .json(200, body)).changes.count == 1, "it has its new end")
    #expect(Self.Ending(other.verdict) == .retry(.malformedResponse), "another request's answer")
  }

  @Test("V7: a person answer stores the person with the device and the time")
  func person() throws {
    let context = Vibes.context { $0.values[.user, "person"] = nil }
    let answer = try answer(.person, .json(200, Self.bodies[3].1), context)
    var person = Person("p", provider: "vibes", vendor: "vibes")
    person.externalID = "u"
    person.phone = "+1555"
    person.custom = ["a": 1]
    #expect(
      answer
        == Answer([
          .person(person), .keep(.user, "person", "p"), .keep(.user, "person.device", "d-1"),
          .keep(.user, "person.time", "2026-10-01T09:00:00.000Z"),
        ]))
  }

  @Test("V7: a person without an external id or a phone is accepted")
  func barePerson() throws {
    let answer = try answer(.person, .json(200, #"{"person_key":"p-1","external_person_id":null}"#))
    #expect(answer.verdict == .done)
    #expect(answer.changes.contains(.person(Person("p-1", provider: "vibes", vendor: "vibes"))))
  }

  @Test("V8: a disabled inbox is stored")
  func inboxOff() throws {
    let answer = try answer(.settings, .json(200, #"{"inbox_enabled":false}"#))
    #expect(answer.changes.contains(.keep(.installation, "inbox", "off")))
    #expect(answer.changes.contains(.settings(VendorSettings(inboxEnabled: false))))
  }

  @Test(
    "flow 12: a body cut at any byte changes nothing and is retried",
    arguments: bodies)
  func cut(operation: Vibes.Operation, body: String) throws {
    let bytes = Array(body.utf8)
    for length in 0..<bytes.count {
      let answer = try answer(operation, HTTPResponse(200, body: Array(bytes.prefix(length))))
      #expect(answer.changes.isEmpty, "\(length)")
      #expect(Ending(answer.verdict) == .retry(.malformedResponse), "\(length)")
    }
    #expect(try answer(operation, .json(200, body)).verdict == .done)
  }

  static let hostile: [String] = [
    "<html><body>Please sign in</body></html>", "null", "true", "7", #""text""#, "\u{feff}{}",
    "\u{feff}[]", "{", "}", "{}", "[]]", "{}{}", " ", "\u{0}", "nan", "[1,]", #"{"a":1,}"#,
    String(repeating: "[", count: 100_000), String(repeating: #"{"a":"#, count: 100_000),
    String(repeating: "[", count: 65) + String(repeating: "]", count: 64),
    #"{"auth_token":7,"device":{"vibes_device_id":"d"}}"#,
    #"{"auth_token":"","device":{"vibes_device_id":"d"}}"#,
    #"{"auth_token":"a\r\nX: y","device":{"vibes_device_id":"d"}}"#,
    #"{"auth_token":"t","device":{"vibes_device_id":".."}}"#,
    #"{"auth_token":"t","device":"d"}"#, #"{"auth_token":"t"}"#,
    #"{"person_key":null}"#, #"{"person_key":7}"#, #"{"person_key":""}"#,
    #"{"inbox_enabled":"yes"}"#, #"{"message_uid":"m-9","content":"c"}"#,
    #"{"message_uid":7,"content":"c"}"#, #"{"messages":[]}"#,
    #"{"errors":[{"message":"no","code":1}]}"#,
  ]

  @Test(
    "flow 12: a body of any other format is malformed and retried", arguments: hostile)
  func hostileBody(body: String) throws {
    for (operation, _) in Self.bodies {
      let answer = try answer(operation, .json(200, body))
      #expect(answer.changes.isEmpty, "\(operation.verb)")
      #expect(Ending(answer.verdict) == .retry(.malformedResponse), "\(operation.verb)")
    }
  }

  @Test("flow 12: the adapter answers any bytes at any status", arguments: 0..<8)
  func fuzz(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<Effort.share(of: 500) {
      for (operation, body) in Self.bodies {
        var bytes = Array(body.utf8)
        for _ in 0...Int(random.next() % 4) {
          bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next())
        }
        let status = [200, 200, 200, 204, 401, 404, 429, 500][Int(random.next() % 8)]
        let answer = try answer(operation, HTTPResponse(status, body: bytes))
        for case .items(_, _, let items) in answer.changes {
          for item in items { _ = try? Vibes.adapter().message(in: item) }
        }
      }
    }
  }

  @Test("V3 V5: an operation that ignores its answer's body accepts any body but an HTML page")
  func unread() throws {
    for operation in [Vibes.Operation.device(.update), .registerPush(.production)] {
      for body in ["", " ", "null", "OK"] {
        #expect(try answer(operation, .json(200, body)).verdict == .done)
      }
      let page = try answer(operation, .json(200, "\n<html>"))
      #expect(Ending(page.verdict) == .retry(.malformedResponse))
    }
  }

  @Test("V5: unsupported events of a batch are rejected with a reason")
  func partly() throws {
    let batch = [
      Vibes.event("e-1", .open, about: Vibes.item("m-1")),
      Vibes.event("e-2", .open, about: Vibes.item("c-1", on: .cards)),
    ]
    #expect(
      try answer(.events(batch), HTTPResponse(200))
        == Answer([], .partly(rejected: ["e-2": "Vibes has no event for this."])))
  }

  @Test("V8: each bad message of a hundred costs only itself")
  func oneOfAHundred() async throws {
    let engagement = try await VibesApplication().engagement
    var items = (0..<100).map { #"{"message_uid":"m-\#($0)","content":"c"}"# }
    items[7] = #"{"message_uid":"m-7"}"#
    items[8] = #"{"content":"c"}"#
    items[9] = #"{"message_uid":"m-9","content":"\u0000"}"#
    items[10] = "[]"
    items[11] =
      #"{"message_uid":"m-11","content":"c","custom_fields":{"x":"#
      + String(repeating: "[", count: 80) + String(repeating: "]", count: 80) + "}}"
    let list = try answer(.inbox, .json(200, "[\(items.joined(separator: ","))]"))
    try await engagement.commit(list.changes, from: "vibes")
    #expect(engagement.inbox.messages.count == 95)
    let quarantined = try await engagement.events().filter { $0.kind == .itemQuarantined }
      .map(\.properties)
    #expect(quarantined.compactMap { $0["index"]?.integer } == [7, 8, 9, 10, 11])
    #expect(
      quarantined.prefix(2).map { $0["reason"]?.string } == [
        "A message has no content.", "A message has no message_uid.",
      ])
    #expect(
      quarantined.last?["reason"]?.string?.hasPrefix("The JSON is nested more than 64 levels deep.")
        == true)
    try await engagement.close()
  }

  @Test("an answer never prints a token")
  func prints() throws {
    let answer = try answer(
      .device(.register), .json(200, #"{"auth_token":"canary","device":{"vibes_device_id":"d"}}"#))
    #expect(answer.changes.count == 5)
    #expect(!"\(answer) \(String(reflecting: answer))".contains("canary"))
  }
}
