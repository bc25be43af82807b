import CleverTapFixtures
import EngagementAdapterAPI
import EngagementCleverTap
import EngagementHTTP
import EngagementJSON
import EngagementModel
import EngagementTesting
import Testing

@Suite("CleverTap: rules") struct CleverTapRuleTests {
  /// The first item that an operation sends.
  private func item(_ operation: CleverTap.Operation) throws -> JSON {
    guard
      case .send(let request) = try CleverTap.adapter()
        .step(for: operation, in: CleverTap.context())
    else { throw EngagementError(.internalFailure, "It is not asked at once.") }
    let body = try JSON(parsing: request.body ?? [])
    return try #require(body.array?.dropFirst().first)
  }

  // MARK: Names, keys and values

  static let names: [(String, String)] = [
    ("Basket", "Basket"), ("  Basket opened \n", "Basket opened"), ("a.b:c$d'e\"f\\g", "abcdefg"),
    (String(repeating: "x", count: 1_025), String(repeating: "x", count: 1_024)),
    // No character is cut in two.
    (String(repeating: "x", count: 1_023) + "🎉", String(repeating: "x", count: 1_023)),
    ("e\u{301}", "e\u{301}"),
  ]

  @Test("C11: the adapter cleans an event name as the vendor does", arguments: names)
  func name(name: String, cleaned: String) throws {
    let sent = try item(.events([CleverTap.event("e-1", .custom, name)]))["evtName"]?.string
    #expect(sent.map { Array($0.utf8) } == Array(cleaned.utf8))
  }

  static let ownNames = [
    "Stayed", "Notification Clicked", "notification viewed", "UTM Visited", "NotificationSent",
    "App Launched", "App Uninstalled", "Geocluster Entered", "Geocluster Exited", "wzrk_fetch",
    "WZRK_D", "SCCampaignOptOut", "App. Launched",
  ]

  @Test(
    "C11: empty and reserved event names are refused in any spelling",
    arguments: ownNames + ["", " ", "...", "$"])
  func ownName(name: String) throws {
    #expect {
      try item(.events([CleverTap.event("e-1", .custom, name)]))
    } throws: { ($0 as? EngagementError)?.code == .invalidArgument }
  }

  @Test("C11: property keys, texts and lists are cleaned and cut to their limits")
  func properties() throws {
    let long = String(repeating: "k", count: 121)
    var properties: JSONObject = [
      "it's": "\"quoted\" \\ it's $1:2", " ": "lost", "null": .null, "empty": " ' ",
      "when": "$D_1700000000", "nulls": [.null], "its": "a second one",
      "nested": ["a:b": ["c": [" d ", .null]], "none": [:]],
    ]
    properties[long] = 1
    properties["text"] = .string(String(repeating: "v", count: 1_025))
    properties["list"] = .array(Array(repeating: 1, count: 101))
    properties["infinite"] = .number(.infinity)
    let event = CleverTap.event("e-1", .custom, "e", on: nil, properties)
    let data = try #require(try item(.events([event]))["evtData"])
    #expect(data["its"] == "quoted  its $1:2")
    #expect(data[String(long.dropLast())] == 1)
    #expect(data["text"]?.string?.count == 1_024)
    #expect(data["when"] == "$D_1700000000")
    #expect(data["list"]?.array?.count == 100)
    #expect(data["nested"] == ["ab": ["c": ["d"]]])
    #expect(data.object?.count == 6)
  }

  // MARK: Templates

  private func arguments(_ names: String) -> [Template.Argument] {
    names.split(separator: " ").map { Template.Argument(String($0), .string, defaultValue: "") }
  }

  static let orders: [(declared: String, sent: String)] = [
    ("", ""), ("b a", "b a"), ("m.b a m.a", "m.a m.b a"),
    (
      "title sale.until sale.prices.old text sale.prices.new picture.alt sale.name picture.url end",
      "title sale.name sale.prices.new sale.prices.old sale.until text picture.alt picture.url end"
    ),
    ("g.B g.a g.C g.b h.x g.A", "g.A g.a g.B g.b g.C h.x"),
    ("a.b.z a.b.c.d a.ba a.b.a", "a.b.a a.b.c.d a.b.z a.ba"),
  ]

  @Test(
    "C4: arguments keep their declared order, with each group at its first argument",
    arguments: orders)
  func order(declared: String, sent: String) throws {
    let template = try Template("t", .template, arguments: arguments(declared))
    let variables = try #require(
      try item(.templates([template]))["definitions"]?["t"]?["vars"]?.object)
    #expect(variables.members.map(\.key).joined(separator: " ") == sent)
    #expect(
      variables.members.map { $0.value["order"]?.integer }
        == variables.members.indices.map { Int64($0) })
  }

  @Test("C2 C4: each argument type has its vendor name, and files and actions have no default")
  func types() throws {
    let template = try Template(
      "Welcome", .template,
      arguments: [
        .init("on", .boolean, defaultValue: false), .init("text", .string, defaultValue: "t"),
        .init("count", .number, defaultValue: 2.5), .init("map.key", .string, defaultValue: "v"),
        .init("picture", .file), .init("then", .action),
      ])
    let sent = try item(
      .templates([template, Template("run", .function, isVisual: false)]))
    #expect(
      sent == [
        "type": "templatePayload",
        "definitions": [
          "Welcome": [
            "type": "template",
            "vars": [
              "on": ["defaultValue": false, "type": "boolean", "order": 0],
              "text": ["defaultValue": "t", "type": "string", "order": 1],
              "count": ["defaultValue": 2.5, "type": "number", "order": 2],
              "map.key": ["defaultValue": "v", "type": "string", "order": 3],
              "picture": ["type": "file", "order": 4], "then": ["type": "action", "order": 5],
            ],
          ],
          "run": ["type": "function", "vars": [:]],
        ],
      ])
  }

  @Test(
    "C3: an empty, duplicate or reserved template name is refused",
    arguments: [
      ["a", "a"], ["ctsystem_openurl"], ["ctsystem_pushpermission"], ["ctsystem_apprating"], [""],
    ])
  func templateNames(names: [String]) throws {
    #expect {
      try item(.templates(names.map { try Template($0, .template) }))
    } throws: { ($0 as? EngagementError)?.code == .invalidArgument }
  }

  // MARK: Configuration

  struct Wrong: Sendable {
    var field: String
    var account = "ACC-1"
    var token = "t"
    var region: String?
    var endpoint = CleverTapConfiguration.handshake
  }

  static let wrong: [Wrong] = [
    Wrong(field: "accountID", account: ""), Wrong(field: "accountID", account: "a\r\nX: y"),
    Wrong(field: "token", token: ""), Wrong(field: "token", token: "a\nb"),
    Wrong(field: "region", region: ""), Wrong(field: "region", region: "eu1.x"),
    Wrong(field: "region", region: "eu 1"), Wrong(field: "region", region: "eu1/"),
    Wrong(field: "endpoint", endpoint: ""),
    Wrong(field: "endpoint", endpoint: "http://clevertap-prod.com"),
    Wrong(field: "endpoint", endpoint: "https://clevertap-prod.com/hello"),
    Wrong(field: "endpoint", endpoint: "wss://clevertap-prod.com"),
    Wrong(field: "endpoint", endpoint: "clevertap-prod.com"),
  ]

  @Test("C3: an invalid configuration names the field", arguments: wrong)
  func configuration(wrong: Wrong) {
    #expect {
      try CleverTapConfiguration(
        accountID: wrong.account, token: Secret(wrong.token), region: wrong.region,
        endpoint: wrong.endpoint)
    } throws: { thrown in
      guard let error = thrown as? EngagementError else { return false }
      return error.code == .invalidConfiguration && error.message.hasPrefix(wrong.field)
    }
  }

  @Test("the configuration never prints its token")
  func prints() throws {
    let configuration = try CleverTap.configuration()
    #expect(!"\(configuration) \(String(reflecting: configuration))".contains("canary"))
    #expect(!"\(CleverTapAdapter(configuration))".contains("canary"))
  }
}
