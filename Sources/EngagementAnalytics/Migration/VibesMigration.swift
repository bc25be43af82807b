import EngagementFormats
import EngagementModel

/// Tokens for an import batch, after which the vendor sends each device a silent push; and people, one a
/// call. No call of a server stops pushes to a person: whom the first file names is kept out of the rest.
struct VibesMigration: MigrationForm {
  func call(_ part: MigrationBatches.Part) -> MigrationCall {
    switch part {
    case .suppressed: .lines(nil)
    case .people: .lines("POST /companies/:company_key/mobiledb/persons/")
    case .tokens:
      MigrationCall(
        call: "POST /mobile_apps/:app_id/migrations/import_batches", mostObjects: 1_000,
        head: #"{"devices":["#, tail: "]}")
    }
  }

  func check(_ id: UserID) throws(MigrationFault) {
    guard (1...Self.longestID).contains(id.rawValue.unicodeScalars.count) else {
      throw MigrationFault("An id has 1 to \(Self.longestID) characters.")
    }
  }

  private static let longestID = 128

  func suppressed(_ id: UserID) -> [UInt8] {
    MovingValue.bytes(["external_person_id": .string(id.rawValue)])
  }

  func withoutNotifications(_ id: UserID) -> [UInt8]? { nil }

  func person(_ id: UserID, _ profile: inout MovingProfile) -> [UInt8]? {
    let update = profile.update
    var object: JSONObject = ["external_person_id": .string(id.rawValue)]
    if let phone = profile.take(update.phone, .phone, unless: MovingValue.phoneFault) {
      object["mobile_phone"] = ["mdn": .string(phone)]
    }
    profile.lack(.name, .email, .city, .country, .region, .timeFrames)
    let custom = profile.custom { name, value in
      name.isEmpty
        ? "Its name is empty." : value.string == nil ? "Vibes keeps texts alone." : nil
    }
    if !custom.isEmpty { object["custom_fields"] = .object(custom) }
    return MovingValue.bytes(object)
  }

  func token(_ token: MovingPerson.Token, of id: UserID?) throws(MigrationFault) -> [UInt8]? {
    var (platform, text) = ("ANDROID", token.registration.token.revealed)
    switch token.registration.service {
    case .apns:
      guard let bytes = Hex.bytes(from: text) else {
        throw MigrationFault("The token of APNs is no hex text.", in: "token")
      }
      // The vendor's client registers it in capitals.
      (platform, text) = ("IOS", Hex.text(of: bytes, uppercase: true))
    case .fcm: break
    case let other:
      throw MigrationFault("Vibes takes no token of \(other.rawValue).", in: "token")
    }
    var object: JSONObject = ["platform": .string(platform), "token": .string(text)]
    object["external_person_id"] = id.map { .string($0.rawValue) }
    return MovingValue.bytes(object)
  }
}
