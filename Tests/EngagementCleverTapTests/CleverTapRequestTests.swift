import CleverTapFixtures
import EngagementAdapterAPI
import EngagementCleverTap
import EngagementHTTP
import EngagementJSON
import EngagementModel
import EngagementTesting
import FoundationEssentials
import Testing

@Suite("CleverTap: requests") struct CleverTapRequestTests {
  /// A request as a table says it: what follows the header in its body.
  struct Row: Sendable, CustomTestStringConvertible {
    var operation: CleverTap.Operation
    var line: String
    var items: String

    init(_ operation: CleverTap.Operation, _ line: String, _ items: String) {
      self.operation = operation
      self.line = line
      self.items = items
    }

    var testDescription: String { "\(operation.verb) \(line)" }
  }

  private static let common = #""ep":1790845200,"s":1790845100,"pg":1,"lsl":90,"f":true"#
  private static let app = #""pai":"com.example.app"}"#

  private static func profile(_ members: String) -> String {
    // Each has the time zone and the country of the device.
    #"{"type":"profile","profile":{\#(members),"tz":"Europe/Sofia","cc":"US"},\#(common)}"#
  }

  private static func event(_ name: String, _ data: String, session: Bool = true) -> String {
    // Before its first session a client of the vendor's sends zeros.
    let times = session ? common : #""ep":1790845200,"s":0,"pg":1,"lsl":0,"f":false"#
    return #"{"type":"event","evtName":"\#(name)","evtData":\#(data),\#(times),\#(app)"#
  }

  private static let application =
    #"{"Version":"2.0.0","SDK Version":70000,"Model":"One","Make":"Example","OS Version":"12","#
    + #""useIP":false,"OS":"Linux","locale":"en_US"}"#

  private static let counter = try? Template(
    "t", .function, arguments: [.init("a", .number, defaultValue: 2)])

  static let rows: [Row] = [
    Row(.inbox, CleverTap.getMessages, event("wzrk_fetch", #"{"t":7}"#)),
    Row(.campaigns, CleverTap.batch, event("wzrk_fetch", #"{"t":5}"#)),
    Row(
      .registerPush(.production), CleverTap.batch,
      #"{"type":"data","data":{"action":"register","id":"0aff","type":"apns"},\#(common)}"#),
    Row(
      .unregisterPush(.sandbox), CleverTap.batch,
      #"{"type":"data","data":{"action":"unregister","id":"fcm:T","type":"fcm"},\#(common)}"#),
    Row(.associate("u é"), CleverTap.batch, profile(#""Identity":"u é""#)),
    Row(
      CleverTap.update {
        ($0.externalID, $0.name, $0.email, $0.phone) = ("u-9", "Ada", "a@example.com", "+1555")
        ($0.city, $0.region, $0.country, $0.notifications) = ("Sofia", "22", "BG", false)
      }, CleverTap.batch,
      profile(
        #""Identity":"u-9","Name":"Ada","Email":"a@example.com","Phone":"+1555","City":"Sofia","#
          + #""Region":"22","Country":"BG","MSG-push":false"#)),
    Row(
      CleverTap.update {
        $0.custom = [
          "old": .null, "points": ["$incr": 5], "tags": ["$add": ["x"]], "sizes": ["M", "L"],
          "plan": "a \"b\"", "Name": ["$delete": 1], "Age": ["$incr": 1],
        ]
      }, CleverTap.batch,
      profile(
        #""old":{"$delete":true},"points":{"$incr":5},"tags":{"$add":["x"]},"#
          + #""sizes":{"$set":["M","L"]},"plan":"a b","Name":{"$delete":1},"Age":{"$incr":1}"#)),
    Row(
      .optOut(true), CleverTap.batch,
      profile(#""ct_optout":true,"ct_allow_sys_events_and_communication":false"#)),
    Row(
      .optOut(false), CleverTap.batch,
      profile(#""ct_optout":false,"ct_allow_sys_events_and_communication":true"#)),
    Row(
      .templates([counter].compactMap(\.self)),
      "POST eu1.clevertap-prod.com/defineTemplates",
      #"{"type":"templatePayload","definitions":{"t":{"type":"function","#
        + #""vars":{"a":{"defaultValue":2,"type":"number","order":0}}}}}"#),
    Row(
      .act(.delete, on: CleverTap.item(.inbox, ["server": true])), CleverTap.deleteMessages,
      #"{"type":"deleteMessages","messages":[{"wzrk_mid":"i-1","wzrk_id":"c-1","wzrk_pivot":"p"}]}"#
    ),
    Row(
      .act(.dismiss, on: CleverTap.item(.inbox, ["server": true, "campaign": ["wzrk_id": "c-2"]])),
      CleverTap.deleteMessages,
      #"{"type":"deleteMessages","messages":[{"wzrk_mid":"i-1","wzrk_id":"c-2","#
        + #""wzrk_pivot":"wzrk_default"}]}"#),
    Row(CleverTap.one(.launch), CleverTap.batch, event("App Launched", application)),
    Row(
      CleverTap.one(
        .custom, " Basket. opened", ["A:b": "it's", "n": 2.5, "list": [1, .null], "no": .null]),
      CleverTap.batch, event("Basket opened", #"{"Ab":"its","n":2.5,"list":[1]}"#)),
    Row(
      CleverTap.one(
        .purchase, "Shoe", ["price": 2.5, "quantity": 2, "currency": "EUR", "size": 42]),
      CleverTap.batch,
      event(
        "Charged",
        #"{"Amount":5.0,"Currency":"EUR","size":42,"#
          + #""Items":[{"Name":"Shoe","Price":2.5,"Quantity":2.0}]}"#)),
    Row(
      CleverTap.one(.templatePresented, on: CleverTap.item(.campaigns)), CleverTap.batch,
      event("Notification Viewed", #"{"wzrk_id":"c-1","wzrk_pivot":"p"}"#)),
    Row(
      CleverTap.one(
        .receive, on: CleverTap.item(.push, ["campaign": ["wzrk_id": "c-1", "wzrk_rnv": "true"]])),
      CleverTap.viewed, event("Notification Viewed", #"{"wzrk_id":"c-1","wzrk_rnv":"true"}"#)),
    Row(
      CleverTap.one(.click, on: CleverTap.item(.push), ["button": "Go", "url": "app://x"]),
      CleverTap.batch,
      event(
        "Notification Clicked",
        #"{"wzrk_id":"c-1","wzrk_pivot":"p","wzrk_c2a":"Go","wzrk_dl":"app://x","#
          + #""wzrk_cts":1790845200}"#)),
    Row(
      CleverTap.one(.open, on: CleverTap.item(.inbox, ["server": true])), CleverTap.batch,
      event(
        "Notification Clicked", #"{"wzrk_id":"c-1","wzrk_pivot":"p","wzrk_mid":"i-1"}"#)),
    Row(
      .events([CleverTap.event("e-1", .custom, "a"), CleverTap.event("e-2", .custom, "b")]),
      CleverTap.batch,
      event("a", "{}", session: false) + "," + event("b", "{}", session: false)),
  ]

  private var context: AdapterContext {
    CleverTap.context { context in
      context.session = Session(
        "s-1", startedAt: CleverTap.session.startedAt, isFirst: true,
        previousLength: .seconds(90.9))
      context.push = [
        .production: PushRegistration(token: Secret("0aff"), service: .apns),
        .sandbox: PushRegistration(
          token: Secret("fcm:T"), service: .fcm, environment: .sandbox),
      ]
      context.acceptedAt = context.now
      context.now = context.now.addingTimeInterval(7)
    }
  }

  private func request(
    _ operation: CleverTap.Operation, _ context: AdapterContext
  ) throws -> HTTPRequest {
    guard case .send(let request) = try CleverTap.adapter().step(for: operation, in: context)
    else { throw EngagementError(.internalFailure, "It is not asked at once.") }
    return request
  }

  private static let header =
    #"[{"type":"meta","g":"-guid","tk":"token-canary","id":"ACC-1","af":\#(application),"#
    + #""ddnd":false,"frs":true,"fl":true,"l_ts":0,"f_ts":0,"imp":0,"tlc":[]},"#

  @Test(
    "C11: an event of an earlier session is sent with it, and a launch that names none with this one"
  )
  func earlierSession() throws {
    var context = context
    let earlier = Session(
      "s-0", startedAt: CleverTap.session.startedAt.addingTimeInterval(-9_000), isFirst: true,
      previousLength: .seconds(5))
    context.formerSessions = [earlier]
    var old = CleverTap.event("e-1", .custom, "a")
    old.session = "s-0"
    let launch = CleverTap.event("e-2", .launch)
    let body = try request(.events([old, launch]), context).text
    #expect(body.contains(#""s":1790836100,"pg":1,"lsl":5,"f":true"#))
    #expect(body.contains(#""s":1790845100,"pg":1,"lsl":90,"f":true"#))
  }

  @Test("C4 C10 C11: each operation becomes its documented request", arguments: rows)
  func request(row: Row) throws {
    let context = context
    let request = try request(row.operation, context)
    let url = try request.target()
    #expect("\(request.method) \(url.host)\(url.path)" == row.line)
    #expect(url.query == "os=iOS&t=70000&z=ACC-1&ts=1790845207")
    #expect(request.text == Self.header + row.items + "]")
    #expect(request.headers.first("Content-Type") == "application/json; charset=utf-8")
    #expect(request.headers.first("X-CleverTap-Account-Id") == "ACC-1")
    #expect(request.headers.secret("X-CleverTap-Token") == CleverTap.token)
    #expect(!"\(request) \(request.headers)".contains("canary"))
    #expect(try self.request(row.operation, context) == request)
    #expect(try CleverTap.adapter().capabilities.hosts.allows(url))
    #expect(try CleverTap.adapter().capabilities.ability(row.operation.verb).travel == .request)
  }

  @Test("C11: a handshake sends only the account")
  func handshake() throws {
    let request = try request(.settings, CleverTap.context { $0.values = .init() })
    #expect(request.method == .get)
    #expect(request.url == "https://clevertap-prod.com/hello")
    #expect(request.body == nil)
    #expect(request.headers.first("Content-Type") == "application/json; charset=utf-8")
    #expect(request.headers.count == 3)
  }

  @Test("C9 C11: the batch header repeats the vendor's stored values and the campaign counters")
  func metaHeader() throws {
    let context = CleverTap.context { context in
      context.values[.user, "arp"] = #"{"v":1,"d_e":["a"]}"#
      context.values[.user, "i"] = "7"
      context.values[.user, "j"] = "8"
      context.values[.user, "request.first"] = "1790000000"
      context.values[.user, "request.last"] = "1790000001"
      context.values[.user, "request.session"] = ""
      context.counters = CampaignCounters(
        shownToday: 3, campaigns: [.init("4711", today: 1, lifetime: 2)])
      context.device.location = .init(latitude: 42.7, longitude: 23.3)
    }
    let body = try JSON(parsing: try request(.campaigns, context).body ?? [])
    let meta = try #require(body.array?.first)
    #expect(meta["arp"] == ["v": 1, "d_e": ["a"]])
    #expect((meta["_i"], meta["_j"]) == (7, 8))
    #expect((meta["f_ts"], meta["l_ts"]) == (1_790_000_000, 1_790_000_001))
    #expect((meta["frs"], meta["fl"]) == (false, false))
    #expect(meta["ddnd"] == true)
    #expect(meta["imp"] == 3)
    #expect(meta["tlc"] == [["4711", 1, 2]])
    #expect(meta["af"]?["Latitude"] == 42.7)
    #expect(meta["af"]?["Longitude"] == 23.3)
  }

  @Test(
    "flow 12: damaged stored values do not stop a request or an answer",
    arguments: ["", "{", "7", "[]", "null", "é"])
  func damagedMemory(value: String) throws {
    let context = CleverTap.context { context in
      for name in ["arp", "i", "j", "request.first", "request.last", "inbox.time"] {
        context.values[.user, name] = value
      }
      context.values[.installation, "domain.time"] = value
      context.isUserRequested = true
      context.attempt = 9
    }
    _ = try CleverTap.adapter().step(for: .inbox, in: context)
    guard
      case .items? = try CleverTap.adapter().answer(
        to: .inbox, from: .json(200, #"{"inbox_notifs_v2":[]}"#), in: context
      ).changes.first
    else {
      Issue.record("The list is lost.")
      return
    }
  }

  @Test("C9: batches for the main host say which campaigns are due and which are suppressed")
  func report() throws {
    var context = CleverTap.context { context in
      context.campaignReport = CampaignReport(
        due: ["4711", "no number", "12"],
        suppressed: [
          ["number": "5", "campaign": ["wzrk_id": "5_20250101", "wzrk_cgId": 3]],
          ["campaign": ["wzrk_id": "6_20250101", "wzrk_pivot": "p"]], [:],
        ], mark: 3)
      // Two hours before midnight in UTC: the next day where the device is.
      context.now = Date(timeIntervalSince1970: 1_790_892_000)
      context.device.zoneOffset = 10_800
    }
    let meta = try #require(
      try JSON(parsing: try request(.campaigns, context).body ?? []).array?.first)
    #expect(meta["inapps_eval"] == [4711, 12])
    #expect(
      meta["inapps_suppressed"] == [
        ["wzrk_id": "5_20261002", "wzrk_pivot": "wzrk_default", "wzrk_cgId": 3],
        ["wzrk_id": "6_20250101", "wzrk_pivot": "p"],
      ])
    context.campaignReport = CampaignReport(due: ["no number"], suppressed: [[:]], mark: 3)
    let empty = try request(.campaigns, context).text
    #expect(!empty.contains("inapps_"))
  }

  @Test("C11: a handshake of another domain than the vendor's names it")
  func ownHandshake() throws {
    let configuration = try CleverTapConfiguration(
      accountID: "ACC-1", token: CleverTap.token, endpoint: "https://metrics.shop.example")
    guard
      case .send(let request) = try CleverTapAdapter(configuration)
        .step(for: .settings, in: CleverTap.context { $0.values = .init() })
    else {
      Issue.record("It is not asked at once.")
      return
    }
    #expect(request.url == "https://metrics.shop.example/hello")
    #expect(request.headers.first("X-CleverTap-Handshake-Domain") == "metrics.shop.example")
  }

  @Test("C3: the capabilities name the vendor's own templates and the events of its pushes")
  func capabilities() throws {
    let capabilities = try CleverTap.adapter().capabilities
    #expect(
      capabilities.reservedTemplates == [
        "ctsystem_pushpermission", "ctsystem_openurl", "ctsystem_apprating",
      ])
    #expect(capabilities.pushKinds == [.receive, .click])
    #expect(capabilities.pushKinds.isSubset(of: capabilities.eventKinds))
  }

  @Test("the factory makes the adapter of a configuration")
  func factory() throws {
    let made: CleverTapAdapter = try .clevertap(
      accountID: "ACC-1", token: CleverTap.token, region: "eu1", definesTemplates: true)
    let configuration = try CleverTapConfiguration(
      accountID: "ACC-1", token: CleverTap.token, region: "eu1", definesTemplates: true)
    #expect(made.configuration == configuration)
    #expect(made.summary == "clevertap, client 1, account ACC-1")
    #expect(throws: EngagementError.self) {
      let _: CleverTapAdapter = try .clevertap(accountID: "", token: CleverTap.token)
    }
  }

  @Test("C4: template definitions are sent only if the configuration enables them")
  func templatesOnlyInDebug() throws {
    for definesTemplates in [false, true] {
      let adapter = CleverTapAdapter(
        try CleverTap.configuration(definesTemplates: definesTemplates))
      let travel = adapter.capabilities.ability(.templates).travel
      #expect(travel == (definesTemplates ? .request : .unsupported))
    }
  }

  @Test("C11: a batch holds events of one group, at most forty-nine")
  func batches() throws {
    let events = (0..<60).map { index -> EngagementEvent in
      index % 3 == 0
        ? CleverTap.event(EventID("e-\(index)"), .receive, on: CleverTap.item(.push))
        : CleverTap.event(EventID("e-\(index)"), .custom, "a")
    }
    let batches = try CleverTap.adapter().capabilities.batching.batches(of: events)
    #expect(batches.map(\.count).sorted() == [20, 40])
    let many = (0..<100).map { CleverTap.event(EventID("e-\($0)"), .custom, "a") }
    #expect(
      try CleverTap.adapter().capabilities.batching.batches(of: many).map(\.count)
        == [49, 49, 2])
  }
}
