import EngagementEmulator
import EngagementModel
import Testing

/// A test's device of Vibes.
final class VibesDevice {
  static let details: JSON = [
    "device": [
      "os": "iOS", "os_version": "17.4", "sdk_version": "4.9.0", "app_version": "1.0",
      "hardware_make": "Apple", "hardware_model": "x86_64", "advertising_id": .null,
      "locale": "en_US", "timezone": "Europe/Sofia", "location": .null,
    ]
  ]

  let endpoint: String
  let id: String
  var token: String
  private let prefix: String

  /// Registers a device.
  init(_ stand: Stand, prefix: String = "/mobile_apps/demo") throws {
    endpoint = stand.emulator.endpoint(of: "vibes")
    self.prefix = prefix
    let answer = try RawRequest("POST", "\(prefix)/devices", Self.details).send(to: endpoint)
    #expect(answer.status == 201)
    id = try #require(answer.json?["device"]?["vibes_device_id"]?.string)
    token = try #require(answer.json?["auth_token"]?.string)
  }

  /// A call under the app, with the token.
  func call(
    _ method: String, _ path: String, _ body: JSON? = nil, type: String? = nil
  ) throws -> RawAnswer {
    var request = RawRequest(method, prefix + path, body)
    request.headers = [("Authorization", "MobileAppToken \(token)")]
    if let type { request.headers.append(("X-Event-Type", type)) }
    return try request.send(to: endpoint)
  }

  /// A call under the device.
  func own(
    _ method: String, _ path: String, _ body: JSON? = nil, type: String? = nil
  ) throws -> RawAnswer {
    try call(method, "/devices/\(id)\(path)", body, type: type)
  }

  func person() throws -> JSON { try #require(try own("GET", "/person").json) }

  func inboxPath() throws -> String {
    "/persons/\(try #require(try person()["person_key"]?.string))/messages"
  }

  func inbox() throws -> [JSON] {
    try #require(try call("GET", try inboxPath()).json?.array)
  }

  static func event(_ uuid: String, _ type: String, message: String? = nil) -> JSON {
    [
      "uuid": .string(uuid), "type": .string(type), "timestamp": "2026-11-22T00:00:00.000Z",
      "attributes": message.map { ["message_uid": .string($0)] } ?? [:],
    ]
  }
}
