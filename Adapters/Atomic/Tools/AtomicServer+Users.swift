import EngagementModel
import EngagementPlatform
import EngagementVendors

/// Users and the devices that get their pushes.
extension AtomicServer {
  private static let days: Set<String> = [
    "default", "mon", "tue", "wed", "thu", "fri", "sat", "sun",
  ]

  // MARK: The user

  mutating func updateUser(_ body: JSONObject, _ user: String) -> VendorAnswer {
    guard !body.isEmpty else { return failure(400, "There is no field to update") }
    if let preferences = body["preferences"], let fault = Self.fault(in: preferences) {
      return failure(400, fault)
    }
    for member in body.members { users[user]?.profile[member.key] = member.value }
    return VendorAnswer(
      reply: VendorReply(json: [:]),
      effects: body.members.map { VendorEffect("update-user", of: $0.key, by: user) },
      summary: "user updated")
  }

  /// What is wrong with preferences.
  private static func fault(in json: JSON) -> String? {
    guard let preferences = json.object else { return "The preferences are no object" }
    if let enabled = preferences["notificationsEnabled"], enabled.bool == nil {
      return "notificationsEnabled is neither true nor false"
    }
    guard let times = preferences["notifications"] else { return nil }
    guard let times = times.object else { return "The notifications are no object" }
    for day in times.members {
      guard days.contains(day.key) else { return "There is no day \(day.key)" }
      guard let ranges = day.value.array, ranges.allSatisfy(isRange) else {
        return "\(day.key) has a time frame that is none"
      }
    }
    return nil
  }

  /// `{"from": "08:00", "to": "17:30"}`, the end not before the beginning.
  private static func isRange(_ json: JSON) -> Bool {
    guard let from = minutes(json["from"]), let to = minutes(json["to"]) else { return false }
    return from <= to
  }

  private static func minutes(_ json: JSON?) -> Int? {
    let parts = json?.string?.split(separator: ":", omittingEmptySubsequences: false) ?? []
    guard parts.count == 2, parts.allSatisfy({ $0.utf8.count == 2 && $0.utf8.allSatisfy(isDigit) }),
      let hours = Int(parts[0]), let minutes = Int(parts[1]), hours < 24, minutes < 60
    else { return nil }
    return hours * 60 + minutes
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }

  // MARK: Devices

  private func device(in body: JSONObject) -> (key: String, id: String)? {
    guard let id = body["deviceId"]?.string, !id.isEmpty, let app = body["appId"]?.string,
      !app.isEmpty
    else { return nil }
    return ("\(app)\u{0}\(id)", id)
  }

  mutating func register(_ body: JSONObject, by user: String) -> VendorAnswer {
    guard let (key, id) = device(in: body), let token = body["token"]?.string, !token.isEmpty,
      let platform = body["platform"]?.string, ["iOS", "Android"].contains(platform)
    else { return failure(400, "A registration has token, deviceId, appId and platform") }
    let old = devices[key]
    var device = old ?? AtomicServerDevice(user: user)
    device.token = Secret(token)
    device.platform = platform
    device.user = user
    if old?.token == nil { registrations += 1 }
    let isChange =
      old?.token != device.token || old?.platform != platform || old?.user != user
    devices[key] = device
    return done("device registered", isChange, "register", of: id, by: user)
  }

  mutating func registerContainers(_ body: JSONObject, by user: String) -> VendorAnswer {
    let containers = body["streamContainerIds"]?.array?.compactMap(\.string)
    guard let (key, id) = device(in: body), let containers,
      containers.count == body["streamContainerIds"]?.array?.count
    else { return failure(400, "A registration has deviceId, appId and streamContainerIds") }
    guard containers.allSatisfy(hasContainer) else {
      return failure(400, "Invalid stream container id")
    }
    if let enabled = body["notificationsEnabled"], enabled.bool == nil {
      return failure(400, "notificationsEnabled is neither true nor false")
    }
    let old = devices[key]
    var device = old ?? AtomicServerDevice(user: user)
    device.user = user
    device.containers = containers
    device.notificationsEnabled =
      body["notificationsEnabled"]?.bool ?? device.notificationsEnabled
    devices[key] = device
    let isChange =
      old?.containers ?? [] != containers || old?.user != user
      || old?.notificationsEnabled != device.notificationsEnabled
    return done(
      "\(containers.count) containers registered", isChange, "register-containers", of: id,
      by: user)
  }

  /// A device that is not registered is no error: clients try at every sign-out.
  mutating func deregister(_ body: JSONObject, by user: String) -> VendorAnswer {
    guard let (key, id) = device(in: body) else {
      return failure(400, "A device has a deviceId and an appId")
    }
    let isChange = devices[key]?.token != nil
    devices[key] = nil
    return done("device deregistered", isChange, "deregister-token", of: id, by: user)
  }

  private func done(
    _ summary: String, _ isChange: Bool, _ name: String, of device: String, by user: String
  ) -> VendorAnswer {
    done(summary, effects: isChange ? [VendorEffect(name, of: device, by: user)] : [])
  }
}
