import EngagementFormats
import EngagementJSON
import EngagementModel
import EngagementPlatform
import EngagementVendors

/// Vibes: devices with tokens, persons, the inbox, events of one type a batch.
///
/// Events are de-duplicated by their `uuid`, and setting what is set changes nothing.
struct VibesServer: VendorServer {
  static let paths = [
    "GET /mobile_apps/{app}", "POST /mobile_apps/{app}/devices",
    "PUT /mobile_apps/{app}/devices/{device}", "PATCH /mobile_apps/{app}/devices/{device}",
    "DELETE /mobile_apps/{app}/devices/{device}",
    "POST /mobile_apps/{app}/devices/{device}/push_registration",
    "DELETE /mobile_apps/{app}/devices/{device}/push_registration",
    "POST /mobile_apps/{app}/devices/{device}/assign",
    "GET /mobile_apps/{app}/devices/{device}/person",
    "POST /mobile_apps/{app}/devices/{device}/events",
    "GET /mobile_apps/{app}/persons/{person}/messages",
    "GET /mobile_apps/{app}/persons/{person}/messages/{message}",
    "PUT /mobile_apps/{app}/persons/{person}/messages/{message}",
    "PUT /mobile_apps/{app}/migrations/callbacks", "GET /track?d={JSON}",
  ]

  var settings = VibesSettings()
  var messages: [VibesMessage]
  var devices: [String: RegisteredVibesDevice] = [:]
  var persons: [String: VibesPerson] = [:]
  var eventIDs: Set<String> = []
  var numbers: SeededNumbers

  var registrations = 0

  init(seed: UInt64?, at now: Date) {
    numbers = SeededNumbers(seed: (seed ?? 1) ^ 0x71be5)
    messages = seed == nil ? [] : VibesSeed.messages(&numbers, at: now)
  }

  mutating func expireCredentials(at now: Date) {
    for id in devices.keys { devices[id]?.expiresAt = now }
  }

  func user(of request: VendorRequest) -> User? {
    guard let segments = request.segments,
      let index = segments.firstIndex(where: { ["devices", "persons"].contains($0) }),
      segments.indices.contains(index + 1)
    else { return nil }
    let person = devices[segments[index + 1]]?.person ?? segments[index + 1]
    return persons[person]?.externalID.map { User(UserID($0)) }
  }

  mutating func answer(_ call: VendorRequest, at now: Date) -> VendorAnswer {
    guard var segments = call.segments, !segments.isEmpty else { return Self.unknown(call) }
    if call.method == "GET", segments == ["track"] { return track(call) }
    // The vendor's base has this part and a client's configuration may leave it out.
    if segments.first == "mobile_apps" { segments.removeFirst() }
    joinDeviceID(in: &segments)
    let app = segments.first ?? ""
    let place = segments.dropFirst().enumerated().map { $0 % 2 == 0 ? $1 : "*" }
    let key = "\(call.method) \(place.joined(separator: "/"))"
    if key == "POST devices" { return register(call, at: now) }
    guard Self.places.contains(key), !app.isEmpty else { return Self.unknown(call) }
    guard let device = authorize(call, renewing: key == "PUT devices/*", at: now) else {
      return Self.failure(401, "The token is missing, unknown or expired")
    }
    switch segments.count > 1 ? segments[1] : "" {
    case "devices":
      guard segments[2] == device else { return Self.failure(404, "There is no such device") }
      return deviceCall(key, call, device, at: now)
    case "persons":
      guard segments[2] == devices[device]?.person else {
        return Self.failure(404, "There is no such person")
      }
      return inboxCall(key, call, device, segments.last ?? "", at: now)
    case "migrations": return migration(call, device)
    default:
      return VendorAnswer(
        reply: VendorReply(
          json: ["app_id": .string(app), "inbox_enabled": .bool(settings.inboxEnabled)]),
        summary: "app")
    }
  }

  /// Clients put a device's id into the path as it is, also one with slashes.
  private func joinDeviceID(in segments: inout [String]) {
    guard segments.count > 3, segments[1] == "devices" else { return }
    for end in 4...segments.count {
      let id = segments[2..<end].joined(separator: "/")
      guard devices[id] != nil else { continue }
      segments.replaceSubrange(2..<end, with: [id])
      return
    }
  }

  /// Methods and paths after the app, a star for every id.
  private static let places: Set<String> = [
    "GET ", "PUT devices/*", "PATCH devices/*", "DELETE devices/*",
    "POST devices/*/push_registration", "DELETE devices/*/push_registration",
    "POST devices/*/assign", "GET devices/*/person", "POST devices/*/events",
    "GET persons/*/messages", "GET persons/*/messages/*", "PUT persons/*/messages/*",
    "PUT migrations/*",
  ]

  /// The device whose token a call carries; an expired one may only be renewed.
  private func authorize(_ call: VendorRequest, renewing: Bool, at now: Date) -> String? {
    let scheme = "MobileAppToken "
    guard let value = call.header("Authorization"), value.hasPrefix(scheme) else { return nil }
    let token = String(value.dropFirst(scheme.utf8.count))
    guard let (id, device) = devices.first(where: { $0.value.token.revealed == token }) else {
      return nil
    }
    return renewing || device.expiresAt.map { $0 > now } ?? true ? id : nil
  }

  /// A refusal in the platform's envelope.
  static func failure(_ status: Int, _ message: String) -> VendorAnswer {
    VendorAnswer(
      reply: VendorReply(
        status, json: ["errors": [["message": .string(message), "code": .integer(1)]]]),
      summary: message)
  }

  /// The name of a device's user in the record.
  func user(of device: String) -> String {
    guard let key = devices[device]?.person, let person = persons[key] else { return device }
    return person.externalID ?? "anonymous:\(device)"
  }

  static func object(_ call: VendorRequest) -> JSONObject? {
    (try? JSON(parsing: call.body))?.object
  }
}
