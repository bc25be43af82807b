import EngagementJSON
import EngagementModel

/// Preferences for `/userPreferences`, the one documented call by which a server tells of people. Names,
/// addresses and tokens come from the application at the next sign-in.
struct AtomicMigration: MigrationForm {
  /// No bound is documented; this is ours.
  func call(_ part: MigrationBatches.Part) -> MigrationCall {
    MigrationCall(
      call: "PUT /userPreferences", mostObjects: 1_000, head: #"{"data":{"#, tail: "}}")
  }

  func check(_ id: UserID) throws(MigrationFault) {
    guard !id.rawValue.isEmpty else { throw MigrationFault("Its id is empty.") }
  }

  func suppressed(_ id: UserID) -> [UInt8] {
    Self.member(id, ["notificationsEnabled": false])
  }

  func withoutNotifications(_ id: UserID) -> [UInt8]? { suppressed(id) }

  /// A member of the object of all people.
  private static func member(_ id: UserID, _ preferences: JSONObject) -> [UInt8] {
    JSON.string(id.rawValue).encoded() + Array(":".utf8) + MovingValue.bytes(preferences)
  }

  func person(_ id: UserID, _ profile: inout MovingProfile) -> [UInt8]? {
    profile.lack(.name, .email, .phone, .city, .country, .region, .custom)
    var preferences = JSONObject()
    if let frames = profile.update.timeFrames, !frames.isEmpty {
      var only = PersonUpdate()
      only.timeFrames = frames
      preferences["notifications"] = only.json["timeFrames"]
    }
    if profile.update.notifications == true { preferences["notificationsEnabled"] = true }
    return preferences.isEmpty ? nil : Self.member(id, preferences)
  }

  func token(_ token: MovingPerson.Token, of id: UserID?) throws(MigrationFault) -> [UInt8]? { nil }
}
