import EngagementAdapterAPI
import EngagementFormats
import EngagementHTTP
import EngagementKit
import EngagementModel
import EngagementTesting
import EngagementVibes
import FoundationEssentials
import Testing
import VibesFixtures

@Suite("Vibes: requests") struct VibesRequestTests {
  /// A request as a table says it.
  struct Row: Sendable, CustomTestStringConvertible {
    var operation: Vibes.Operation
    var line: String
    var body: String?
    var eventType: String?

    init(
      _ operation: Vibes.Operation, _ line: String, _ body: String? = nil,
      eventType: String? = nil
    ) {
      self.operation = operation
      self.line = line
      self.body = body
      self.eventType = eventType
    }

    var testDescription: String { "\(operation.verb) \(line)" }
  }

  private static let device =
    #"{"device":{"os":"Android","os_version":"12","sdk_version":"4.8.3","app_version":"2.0.0","#
    + #""hardware_make":"Example","hardware_model":"One","advertising_id":null,"#
    + #""locale":"en_US","timezone":"Europe/Sofia","location":null}}"#

  static let rows: [Row] = [
    Row(.settings, "GET "),
    Row(.device(.renew), "PUT /devices/d-1", device),
    Row(.device(.update), "PATCH /devices/d-1", device),
    Row(.device(.unregister), "DELETE /devices/d-1"),
    Row(.vendor("release", ["device": "d-1"]), "DELETE /devices/d-1"),
    Row(.vendor("release.renew", ["device": "d-1"]), "PUT /devices/d-1", device),
    Row(
      .registerPush(.production), "POST /devices/d-1/push_registration",
      #"{"device":{"push_token":"0AFF"}}"#),
    Row(
      .registerPush(.sandbox), "POST /devices/d-1/push_registration",
      #"{"device":{"push_token":"fcm:Token_1"}}"#),
    Row(.unregisterPush(.production), "DELETE /devices/d-1/push_registration"),
    Row(.associate("u é"), "POST /devices/d-1/assign", #"{"external_person_id":"u é"}"#),
    Row(.person, "GET /devices/d-1/person"),
    Row(.inbox, "GET /persons/p-1/messages"),
    Row(.message("m/1 ?+="), "GET /persons/p-1/messages/m/1%20%3F+="),
    Row(.message("m/../1"), "GET /persons/p-1/messages/m%2F..%2F1"),
    Row(.act(.read, on: Vibes.item("m-1")), "PUT /persons/p-1/messages/m-1", #"{"read":true}"#),
    Row(
      .act(.expire(at: Date(timeIntervalSince1970: 1_562_771_215.012)), on: Vibes.item("m-1")),
      "PUT /persons/p-1/messages/m-1", #"{"expires_at":"2019-07-10T15:06:55.012Z"}"#),
    Row(
      .act(.expire(at: nil), on: Vibes.item("m-1")), "PUT /persons/p-1/messages/m-1",
      #"{"expires_at":"2026-10-01T09:00:00.000Z"}"#),
    Row(
      .act(.delete, on: Vibes.item("m-1")), "PUT /persons/p-1/messages/m-1",
      #"{"expires_at":"2026-10-01T09:00:00.000Z"}"#),
    Row(
      .act(.dismiss, on: Vibes.item("m-1")), "PUT /persons/p-1/messages/m-1",
      #"{"expires_at":"2026-10-01T09:00:00.000Z"}"#),
    Row(
      .vendor("callback", ["migration_item_id": "i-1"]), "PUT /migrations/callbacks",
      #"{"migration_item_id":"i-1","vibes_device_id":"d-1"}"#),
    Row(
      .events([Vibes.event("e-1", .launch), Vibes.event("e-2", .launch)]),
      "POST /devices/d-1/events",
      #"{"events":[{"uuid":"e-1","type":"launch","timestamp":"2026-10-01T09:00:00.250Z","attributes":{}},"#
        + #"{"uuid":"e-2","type":"launch","timestamp":"2026-10-01T09:00:00.250Z","attributes":{}}]}"#,
      eventType: "launch"),
    Row(
      .events([Vibes.event("e-1", .inboxFetch)]), "POST /devices/d-1/events",
      #"{"events":[{"uuid":"e-1","type":"inbox_fetch","timestamp":"2026-10-01T09:00:00.250Z","attributes":{}}]}"#,
      eventType: "inbox_fetch"),
    Row(
      .events([Vibes.event("e-1", .open, about: Vibes.item("m-1"))]), "POST /devices/d-1/events",
      message("inbox_open"), eventType: "inbox_open"),
    Row(
      .events([Vibes.event("e-1", .click, about: Vibes.item("m-1", on: .push))]),
      "POST /devices/d-1/events", message("clickthru"), eventType: "clickthru"),
    Row(
      .events([Vibes.event("e-1", .receive, about: Vibes.item("m-1", on: .push))]),
      "POST /devices/d-1/events", message("push_receive"), eventType: "push_receive"),
  ]

  private static func message(_ type: String) -> String {
    #"{"events":[{"uuid":"e-1","type":"\#(type)","timestamp":"2026-10-01T09:00:00.250Z","attributes":{"#
      + #""message_uid":"m-1","activity_type":"Broadcast","activity_uid":"a-1"}}]}"#
  }

  private static let context = Vibes.context { context in
    context.push[.production] = PushRegistration(token: Secret("0aff"), service: .apns)
    context.push[.sandbox] = PushRegistration(
      token: Secret("fcm:Token_1"), service: .fcm, environment: .sandbox)
  }

  private func request(
    _ operation: Vibes.Operation, _ context: AdapterContext
  ) throws -> HTTPRequest {
    guard case .send(let request) = try Vibes.adapter().step(for: operation, in: context) else {
      Issue.record("\(operation.verb) sends nothing.")
      throw EngagementError(.internalFailure, "Nothing was sent.")
    }
    return request
  }

  @Test(
    "V2–V8 V12: every operation becomes its documented request, with the token as a secret",
    arguments: rows)
  func requests(row: Row) throws {
    let request = try request(row.operation, Self.context)
    #expect(request.line == row.line.replacing(" ", with: " \(Vibes.root)", maxReplacements: 1))
    #expect(request.url.hasPrefix(Vibes.host))
    #expect(request.body.map { String(decoding: $0, as: UTF8.self) } == row.body)
    #expect(request.headers.secret("Authorization") == Secret("MobileAppToken t-1"))
    #expect(request.headers.first("X-Event-Type") == row.eventType)
    #expect(request.headers.first("Content-Type") == row.body.map { _ in "application/json" })
    #expect(
      request.headers.first("Accept") == (request.method == .delete ? nil : "application/json"))
    #expect(!"\(request) \(request.headers)".contains("t-1"))
    #expect(try self.request(row.operation, Self.context) == request)
    #expect(try Vibes.adapter().capabilities.hosts.allows(request.target()))
  }

  @Test("the declared request operations are exactly those with a request")
  func declares() throws {
    let declared = try Vibes.adapter().capabilities.abilities.filter { $0.value.travel == .request }
    #expect(Set(declared.keys) == Set(Self.rows.map(\.operation.verb) + [.device(.register)]))
  }

  @Test("V8: a retry sends the same request with the time of the user's action")
  func retries() throws {
    let operation = Vibes.Operation.act(.delete, on: Vibes.item("m-1"))
    let first = try request(operation, Self.context)
    var later = Self.context
    later.acceptedAt = later.now
    later.now = later.now.addingTimeInterval(600)
    later.attempt = 2
    #expect(try request(operation, later) == first)
  }

  @Test("V2 V4: a registration sends no token and sends every known device field")
  func registers() throws {
    let context = Vibes.context { context in
      context.secrets[.installation, "token"] = nil
      context.device.system = "iPadOS"
      context.device.appVersion = nil
      context.device.make = nil
      context.device.model = nil
      context.device.advertisingID = "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"
      context.device.location = Device.Location(latitude: 42.5, longitude: 23.25)
    }
    let request = try request(.device(.register), context)
    #expect(request.line == "POST \(Vibes.root)/devices")
    #expect(!request.headers.contains("Authorization"))
    #expect(
      request.text
        == #"{"device":{"os":"iOS","os_version":"12","sdk_version":"4.8.3","app_version":"Unknown","#
        + #""hardware_make":"Unknown","hardware_model":"Unknown","#
        + #""advertising_id":"E621E1F8-C36C-495A-93FC-0C247A3E6E5F","locale":"en_US","#
        + #""timezone":"Europe/Sofia","location":{"latitude":42.5,"longitude":23.25}}}"#)
  }

  @Test(
    "V1: an advertising id that is empty or all zeros is sent as null",
    arguments: ["", "00000000-0000-0000-0000-000000000000"])
  func noAdvertisingID(id: String) throws {
    let context = Vibes.context { $0.device.advertisingID = id }
    #expect(try request(.device(.update), context).text.contains(#""advertising_id":null"#))
  }

  // MARK: What comes first

  @Test("V2 V7 V8: missing prerequisites run first, in order")
  func prerequisites() throws {
    let adapter = try Vibes.adapter()
    var context = Vibes.context { context in
      context.values[.installation, "device"] = nil
      context.values[.user, "associated"] = "u-1"
      context.values[.user, "associated.device"] = "d-0"
    }
    func first(_ operation: Vibes.Operation) throws -> Vibes.Operation? {
      guard case .first(let needed) = try adapter.step(for: operation, in: context) else {
        return nil
      }
      return needed
    }
    let read = Vibes.Operation.act(.read, on: Vibes.item("m-1"))
    for operation in [.settings, .person, .inbox, read, .device(.update)] {
      #expect(try first(operation) == .device(.register))
    }
    context.values[.installation, "device"] = "d-2"
    for operation in [.person, .inbox, read] {
      #expect(try first(operation) == .associate("u-1"))
    }
    #expect(try first(.settings) == nil)
    context.values[.user, "associated.device"] = "d-2"
    for operation in [.inbox, read] { #expect(try first(operation) == .person) }
    context.values[.user, "person.device"] = "d-2"
    #expect(try first(read) == nil)
    #expect(try first(.inbox) == nil)
    context.now = context.now.addingTimeInterval(61)
    #expect(try first(read) == nil)
    #expect(try first(.inbox) == .person)
  }

  @Test("V2: after another registration the person is associated anew, whatever id the device gets")
  func sameID() throws {
    let adapter = try Vibes.adapter()
    var context = Vibes.context { context in
      context.values[.installation, "device"] = "d-1"
      context.values[.user, "associated"] = "u-1"
    }
    let registered = adapter.answer(
      to: .device(.register),
      from: .json(200, #"{"auth_token":"t","device":{"vibes_device_id":"d-1"}}"#), in: context)
    for case .keep(let scope, let name, let value) in registered.changes {
      context.values[scope, name] = value
    }
    for mark in ["d-1", "d-1 another"] {
      context.values[.user, "associated.device"] = mark
      guard case .first(.associate("u-1")) = try adapter.step(for: .inbox, in: context) else {
        Issue.record("nobody is associated after \(mark)")
        return
      }
    }
    let associated = adapter.answer(to: .associate("u-1"), from: .json(200, "{}"), in: context)
    for case .keep(let scope, let name, let value) in associated.changes {
      context.values[scope, name] = value
    }
    guard case .first(.person) = try adapter.step(for: .inbox, in: context) else {
      Issue.record("it is not associated")
      return
    }
  }

  @Test("V4: giving back the token of one environment leaves that of the other")
  func environments() throws {
    func isSent(_ registered: [String]) throws -> Bool {
      let context = Vibes.context { context in
        for name in registered { context.values[.installation, name] = "registered" }
      }
      let step = try Vibes.adapter().step(for: .unregisterPush(.sandbox), in: context)
      if case .send = step { return true }
      return false
    }
    #expect(try !isSent(["push.production"]))
    for registered in [[], ["push.sandbox"], ["push.sandbox", "push.production"]] {
      #expect(try isSent(registered), "\(registered)")
    }
  }

  @Test("V2 V3 V5 V8: an operation that is already done skips its request")
  func nothingToAsk() throws {
    let adapter = try Vibes.adapter()
    func isDone(_ operation: Vibes.Operation, _ context: AdapterContext) throws -> Bool {
      if case .done = try adapter.step(for: operation, in: context) { true } else { false }
    }
    #expect(try isDone(.device(.register), Vibes.context()))
    #expect(try isDone(.events([]), Vibes.context()))
    #expect(try isDone(.vendor("release", ["device": "d-0"]), Vibes.context()))
    let unknown = Vibes.context { $0.values[.installation, "device"] = nil }
    #expect(try isDone(.device(.unregister), unknown))
    #expect(try isDone(.unregisterPush(.production), unknown))
  }

  @Test("V7: an association already made after the sign-in is skipped")
  func tiedSince() throws {
    func isDone(_ id: UserID, tied: TimeInterval, to device: String = "d-1") throws -> Bool {
      let context = Vibes.context { context in
        let time = context.acceptedAt.addingTimeInterval(tied)
        context.values[.user, "associated.time"] = ISO8601.text(of: time)
        context.values[.user, "associated.device"] = device
      }
      if case .done = try Vibes.adapter().step(for: .associate(id), in: context) { return true }
      return false
    }
    for tied in [0, 5] { #expect(try isDone("u-1", tied: TimeInterval(tied))) }
    #expect(try !isDone("u-1", tied: -5), "a later request is executed")
    #expect(try !isDone("u-2", tied: 5))
    #expect(try !isDone("u-1", tied: 5, to: "d-0"))
  }

  // MARK: What is refused before anything is sent

  static let refused: [(Vibes.Operation, EngagementError.Code)] = [
    (.cards(in: nil, matching: []), .unsupported),
    (.updatePerson(PersonUpdate()), .unsupported),
    (.metrics, .unsupported), (.campaigns, .unsupported), (.templates([]), .unsupported),
    (.optOut(true), .unsupported), (.vendor("other", .null), .unsupported),
    (.act(.vote(useful: true, reason: nil, message: nil), on: Vibes.item("m-1")), .unsupported),
    (.act(.snooze(seconds: 1), on: Vibes.item("m-1")), .unsupported),
    (.act(.read, on: Vibes.item("m-1", on: .cards)), .unsupported),
    (.events([Vibes.event("e-1", .purchase)]), .unsupported),
    (.events([Vibes.event("e-1", .open, about: Vibes.item("m-1", on: .cards))]), .unsupported),
    (.events([Vibes.event("e-1", .launch), Vibes.event("e-2", .inboxFetch)]), .invalidArgument),
    (.vendor("callback", .null), .invalidArgument),
    (.vendor("callback", ["migration_item_id": ""]), .invalidArgument),
    (.message(""), .invalidArgument), (.message(".."), .invalidArgument),
    (.act(.read, on: Vibes.item(".")), .invalidArgument),
    (.associate(""), .invalidArgument),
    (.associate(UserID(String(repeating: "u", count: 129))), .invalidArgument),
    (.registerPush(.production), .invalidArgument),
    (
      .act(.expire(at: Date(timeIntervalSince1970: 1e12)), on: Vibes.item("m-1")),
      .invalidArgument
    ),
  ]

  @Test(
    "flow 12: an operation that Vibes lacks or would refuse sends no request",
    arguments: refused)
  func refuses(operation: Vibes.Operation, code: EngagementError.Code) async throws {
    #expect {
      try Vibes.adapter().step(
        for: operation, in: Vibes.context { $0.values[.installation, "device"] = nil })
    } throws: {
      ($0 as? EngagementError)?.code == code
    }
    let application = try await VibesApplication()
    guard case .refused(let error) = await application.engagement.execute(operation, with: "vibes")
    else {
      Issue.record("\(operation.verb) was not refused.")
      return
    }
    #expect(error.code == code)
    #expect(application.transport.lines.isEmpty)
    try await application.engagement.close()
  }

  // MARK: The configuration

  @Test(
    "V1: an invalid configuration names its field",
    arguments: [
      ("app-1", "http://vibes.example.com/mobile_apps", "endpoint"),
      ("app-1", "wss://vibes.example.com/mobile_apps", "endpoint"),
      ("app-1", "vibes.example.com", "endpoint"), ("app-1", "https://x.example.com/?q", "endpoint"),
      ("", VibesConfiguration.europe, "appID"), ("..", VibesConfiguration.europe, "appID"),
    ])
  func badConfiguration(appID: String, endpoint: String, name: String) {
    #expect {
      try VibesConfiguration(appID: appID, endpoint: endpoint)
    } throws: { error in
      guard let error = error as? EngagementError else { return false }
      return error.code == .invalidConfiguration && error.message.hasPrefix(name)
    }
  }

  @Test("V1: the application chooses the endpoint, the port and the reported event kinds")
  func configures() throws {
    let local = VibesAdapter(
      try VibesConfiguration(
        appID: "demo", endpoint: "http://127.0.0.1:8401/mobile_apps/",
        reporting: [.launch, .purchase]))
    guard case .send(let request) = try local.step(for: .settings, in: Vibes.context()) else {
      Issue.record("The settings are asked for.")
      return
    }
    #expect(request.url == "http://127.0.0.1:8401/mobile_apps/demo")
    #expect(local.capabilities.eventKinds == [.launch])
    #expect(try local.capabilities.hosts.allows(request.target()))
  }
}
