import EngagementModel

/// Profiles and tokens for `/1/upload`.
struct CleverTapMigration: MigrationForm {
  func call(_ part: MigrationBatches.Part) -> MigrationCall {
    MigrationCall(
      call: "POST /1/upload", mostObjects: part == .tokens ? 100 : 1_000, head: #"{"d":["#,
      tail: "]}")
  }

  func check(_ id: UserID) throws(MigrationFault) {
    let scalars = id.rawValue.unicodeScalars
    guard (1...1_024).contains(scalars.count),
      !scalars.contains(where: { "'\"\\".unicodeScalars.contains($0) })
    else {
      throw MigrationFault("An id has 1 to 1024 characters, no quotes and no backslashes.")
    }
  }

  func suppressed(_ id: UserID) -> [UInt8] {
    Self.profile(
      id, ["MSG-email": false, "MSG-push": false, "MSG-sms": false, "MSG-whatsapp": false])
  }

  func withoutNotifications(_ id: UserID) -> [UInt8]? { Self.profile(id, ["MSG-push": false]) }

  private static func profile(_ id: UserID, _ data: JSONObject) -> [UInt8] {
    MovingValue.bytes([
      "type": "profile", "identity": .string(id.rawValue), "profileData": .object(data),
    ])
  }

  func person(_ id: UserID, _ profile: inout MovingProfile) -> [UInt8]? {
    let update = profile.update
    var data = JSONObject()
    data["Name"] = profile.take(update.name, .name, unless: Self.textFault).map(JSON.string)
    data["Email"] = profile.take(update.email, .email, unless: MovingValue.emailFault)
      .map(JSON.string)
    data["Phone"] = profile.take(update.phone, .phone, unless: MovingValue.phoneFault)
      .map(JSON.string)
    data["City"] = profile.take(update.city, .city, unless: Self.textFault).map(JSON.string)
    data["Region"] = profile.take(update.region, .region, unless: Self.textFault)
      .map(JSON.string)
    data["Country"] = profile.take(update.country, .country, unless: Self.textFault)
      .map(JSON.string)
    if update.notifications == true { data["MSG-push"] = true }
    profile.lack(.timeFrames)
    let own = profile.custom(unless: Self.customFault).members
    for member in own.dropFirst(Self.mostKeys) {
      profile.refuse(
        MigrationFault(
          "A person has at most \(Self.mostKeys) fields of your own.", in: "custom.\(member.key)"))
    }
    // No name of theirs is one of the vendor's.
    return Self.profile(
      id, JSONObject(uniqueMembers: data.members + own.prefix(Self.mostKeys)))
  }

  /// CleverTap adds a token to a device that it knows, and to no other.
  func token(_ token: MovingPerson.Token, of id: UserID?) throws(MigrationFault) -> [UInt8]? {
    guard [.apns, .fcm].contains(token.registration.service) else {
      throw MigrationFault(
        "CleverTap takes no token of \(token.registration.service.rawValue).", in: "token")
    }
    guard let device = token.device else {
      throw MigrationFault(
        "CleverTap does not know the device yet; it takes the token once the application has "
          + "spoken with CleverTap.", in: "token")
    }
    return MovingValue.bytes([
      "type": "token",
      "tokenData": [
        "id": .string(token.registration.token.revealed),
        "type": .string(token.registration.service.rawValue),
      ], "objectId": .string(device),
    ])
  }

  // MARK: Rules

  private static let mostKeys = 256
  private static let longestKey = 120
  private static let longestValue = 512

  /// The vendor's own fields of a person, in lower case.
  private static let reserved: Set<String> = [
    "name", "email", "phone", "identity", "gender", "dob", "age", "photo", "employed",
    "education", "married", "city", "region", "country", "tz", "fbid", "gpid", "objectid",
  ]

  private static func textFault(_ text: String) -> String? {
    text.utf8.count <= longestValue ? nil : "A text has at most \(longestValue) bytes."
  }

  private static func customFault(_ name: String, _ value: JSON) -> String? {
    guard !name.isEmpty, name.utf8.count <= longestKey,
      !name.utf8.contains(where: { ".:$'\"\\".utf8.contains($0) })
    else { return "A name has 1 to \(longestKey) bytes and none of . : $ ' \" \\." }
    guard !reserved.contains(name.lowercased()), !name.lowercased().hasPrefix("msg-") else {
      return "CleverTap has a field of its own with this name."
    }
    switch value {
    case .bool, .integer, .null: return nil
    case .number(let number): return number.isFinite ? nil : "It is no number."
    case .string(let text): return textFault(text)
    case .array: return MovingValue.listFault
    // Such as {"$incr": 1}.
    case .object: return MovingValue.objectFault
    }
  }
}
