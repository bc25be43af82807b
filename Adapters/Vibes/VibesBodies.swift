import EngagementAdapterAPI
import EngagementFormats
import EngagementJSON
import EngagementModel
import EngagementPlatform

/// The bodies of requests. The same values give the same bytes.
enum VibesBodies {
  static func device(_ device: Device, _ configuration: VibesConfiguration) -> [UInt8] {
    object { writer in
      writer.key("device")
      writer.beginObject()
      writer.member("os", (systems[device.system] ?? configuration.otherSystem).rawValue)
      writer.member("os_version", device.systemVersion)
      writer.member("sdk_version", configuration.clientVersion)
      writer.member("app_version", device.appVersion ?? "Unknown")
      writer.member("hardware_make", device.make ?? "Unknown")
      writer.member("hardware_model", device.model ?? "Unknown")
      writer.member("advertising_id", advertisingID(device).map(JSON.string) ?? .null)
      writer.member("locale", device.locale)
      writer.member("timezone", device.timeZone)
      writer.member("location", device.location.map(location) ?? .null)
      writer.endObject()
    }
  }

  static let read = object { $0.member("read", true) }

  static func expiry(_ date: Date) throws(EngagementError) -> [UInt8] {
    guard let text = ISO8601.text(of: date) else {
      throw EngagementError(.invalidArgument, "The time of the expiry cannot be written.")
    }
    return object { $0.member("expires_at", text) }
  }

  static func person(_ id: UserID) throws(EngagementError) -> [UInt8] {
    guard (1...VibesCall.longestPersonID).contains(id.rawValue.utf8.count) else {
      throw EngagementError(
        .invalidArgument, "A person's id has 1 to \(VibesCall.longestPersonID) bytes.")
    }
    return object { $0.member("external_person_id", id.rawValue) }
  }

  static func push(
    _ environment: PushEnvironment, _ context: AdapterContext
  ) throws(EngagementError) -> [UInt8] {
    guard let registration = context.push[environment] else {
      throw EngagementError(.invalidArgument, "There is no push token to register.")
    }
    return object { writer in
      writer.key("device")
      writer.beginObject()
      writer.member("push_token", spelled(registration))
      writer.endObject()
    }
  }

  /// The vendor's own client sends APNs tokens in upper case.
  private static func spelled(_ registration: PushRegistration) -> String {
    let token = registration.token.revealed
    guard registration.service == .apns, let bytes = Hex.bytes(from: token) else { return token }
    return Hex.text(of: bytes, uppercase: true)
  }

  static func migrated(_ item: String, _ device: String) -> [UInt8] {
    object { writer in
      writer.member(VibesCall.migrationItem, item)
      writer.member("vibes_device_id", device)
    }
  }

  // The vendor knows two systems and refuses others. Its own client sends iOS for tablets.
  private static let systems: [String: VibesConfiguration.System] = [
    "iOS": .iOS, "ios": .iOS, "iPadOS": .iOS, "Android": .android, "android": .android,
  ]

  /// The id, unless it is all zeros: the systems return that to an application without permission.
  private static func advertisingID(_ device: Device) -> String? {
    device.advertisingID.flatMap { id in
      id.utf8.allSatisfy { $0 == UInt8(ascii: "0") || $0 == UInt8(ascii: "-") } ? nil : id
    }
  }

  private static func location(_ place: Device.Location) -> JSON {
    ["latitude": .number(place.latitude), "longitude": .number(place.longitude)]
  }

  private static func object(_ members: (inout JSONWriter) -> Void) -> [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    members(&writer)
    writer.endObject()
    return writer.bytes
  }
}
