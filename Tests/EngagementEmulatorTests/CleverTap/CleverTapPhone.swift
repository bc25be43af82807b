import EngagementEmulator
import EngagementFormats
import EngagementModel
import EngagementVendors
import Foundation
import Testing

@testable import EngagementCleverTapTools

/// A phone of a test with CleverTap's client.
struct CleverTapPhone {
  static let now = Int64(Stand.start.timeIntervalSince1970)
  static let json = ("Content-Type", "application/json; charset=utf-8")
  static let query = "os=iOS&t=70700&z=demo&ts=\(now)"
  static let launch = event("App Launched", ["Version": "2.0"])
  static let account = [("X-CleverTap-Account-Id", "demo"), ("X-CleverTap-Token", "demo-token")]

  let endpoint: String
  let guid: String
  var headers = account + [json]
  var query = query

  init(_ stand: Stand, guid: String = "g-1") {
    endpoint = stand.emulator.endpoint(of: "clevertap")
    self.guid = guid
  }

  static func run(_ body: (Stand, CleverTapPhone) async throws -> Void) async throws {
    try await Stand.run(vendors: ["clevertap"]) { stand async throws in
      try await body(stand, CleverTapPhone(stand))
    }
  }

  var meta: JSONObject {
    [
      "type": "meta", "g": .string(guid), "tk": "demo-token", "id": "demo", "l_ts": 0, "f_ts": 0,
      "ddnd": true, "frs": true, "fl": true,
      "af": [
        "Version": "2.0", "Build": "7", "SDK Version": 70_700, "OS Version": "17.1", "OS": "iOS",
        "Make": "Apple", "Model": "iPhone15,2", "useIP": false, "wdt": 2.8, "hgt": 5.8,
        "locale": "en_US",
      ],
    ]
  }

  /// Sends the items after the meta object, which has more members or others.
  func send(
    _ items: [JSON], path: String = "/a1", meta more: JSONObject = [:], host: String? = nil
  ) throws -> RawAnswer {
    var meta = meta
    for member in more.members { meta[member.key] = member.value == "absent" ? nil : member.value }
    return try send(raw: .array([.object(meta)] + items), path: path, host: host)
  }

  func send(raw body: JSON, path: String = "/a1", host: String? = nil) throws -> RawAnswer {
    let target = query.isEmpty ? path : "\(path)?\(query)"
    var request = RawRequest("POST", target, body)
    request.headers = headers + (host.map { [("Host", $0)] } ?? [])
    return try request.send(to: endpoint)
  }

  /// A good batch's answer.
  @discardableResult
  func good(
    _ items: [JSON], path: String = "/a1", meta: JSONObject = [:]
  ) throws -> JSON {
    let answer = try send(items, path: path, meta: meta)
    #expect(answer.status == 200, "\(answer.text)")
    return try #require(answer.json)
  }

  func signIn(_ identity: JSON) throws { try good([Self.profile(["Identity": identity])]) }

  func inbox() throws -> [JSON] {
    let answer = try good([Self.fetch(7)], path: "/inbox/v2/getMessages")
    return try #require(answer["inbox_notifs_v2"]?.array)
  }

  // MARK: Items

  private static func item(_ type: String, _ members: JSONObject, at time: Int64) -> JSON {
    var item: JSONObject = [
      "type": .string(type), "ep": .integer(time), "s": .integer(now), "pg": 1, "lsl": 0, "f": true,
    ]
    for member in members.members { item[member.key] = member.value }
    return .object(item)
  }
  static func event(_ name: String, _ data: JSON = [:], at time: Int64 = now) -> JSON {
    item("event", ["evtName": .string(name), "evtData": data], at: time)
  }
  static func profile(_ members: JSONObject, at time: Int64 = now) -> JSON {
    item("profile", ["profile": .object(members)], at: time)
  }
  static func token(_ action: String, _ id: String, _ type: String = "apns") -> JSON {
    item(
      "data", ["data": ["action": .string(action), "id": .string(id), "type": .string(type)]],
      at: now)
  }
  static func page(_ name: String) -> JSON { item("page", ["n": .string(name)], at: now) }
  static func fetch(_ t: Int64, _ more: JSONObject = [:]) -> JSON {
    var data = more
    data["t"] = .integer(t)
    return event("wzrk_fetch", .object(data))
  }

  /// An item with members changed; nil takes one away.
  static func changed(_ item: JSON, _ name: String, _ value: JSON?) -> JSON {
    var object = item.object ?? [:]
    object[name] = value
    return .object(object)
  }
}

extension Stand {
  /// The effects so far, as `name subject` with their counts.
  func effects() async -> [String: Int] {
    Dictionary(
      await emulator.effects().map { ("\($0.key.name) \($0.key.subject)", $0.value) },
      uniquingKeysWith: +)
  }
}
