import EngagementModel

/// Attributes and tokens for `/users/track`.
struct BrazeMigration: MigrationForm {
  let appID: String?

  func call(_ part: MigrationBatches.Part) -> MigrationCall {
    MigrationCall(
      call: "POST /users/track", mostObjects: 75, head: #"{"attributes":["#, tail: "]}")
  }

  func check(_ id: UserID) throws(MigrationFault) {
    guard !id.rawValue.isEmpty else { throw MigrationFault("Its id is empty.") }
  }

  func suppressed(_ id: UserID) -> [UInt8] {
    MovingValue.bytes([
      "external_id": .string(id.rawValue), "email_subscribe": "unsubscribed",
      "push_subscribe": "unsubscribed",
    ])
  }

  func withoutNotifications(_ id: UserID) -> [UInt8]? {
    MovingValue.bytes([
      "external_id": .string(id.rawValue), "push_subscribe": "unsubscribed",
    ])
  }

  func person(_ id: UserID, _ profile: inout MovingProfile) -> [UInt8]? {
    let update = profile.update
    var object: JSONObject = ["external_id": .string(id.rawValue)]
    object["email"] = profile.take(update.email, .email, unless: MovingValue.emailFault)
      .map(JSON.string)
    object["phone"] = profile.take(update.phone, .phone, unless: Self.phoneFault).map(JSON.string)
    object["home_city"] = profile.take(update.city, .city, unless: Self.textFault).map(JSON.string)
    object["country"] = profile.take(update.country, .country, unless: Self.countryFault)
      .map(JSON.string)
    if update.notifications == true { object["push_subscribe"] = "opted_in" }
    // A first and a last name cannot be told from a whole one.
    profile.lack(.name, .region, .timeFrames)
    // No name of theirs is one of the vendor's.
    let own = profile.custom(unless: Self.customFault)
    return MovingValue.bytes(JSONObject(uniqueMembers: object.members + own.members))
  }

  func token(_ token: MovingPerson.Token, of id: UserID?) throws(MigrationFault) -> [UInt8]? {
    guard let appID else {
      throw MigrationFault("Braze files tokens under its id of the application.", in: "token")
    }
    guard [.apns, .fcm].contains(token.registration.service) else {
      throw MigrationFault(
        "Braze takes no token of \(token.registration.service.rawValue).", in: "token")
    }
    var object = JSONObject()
    if let id {
      object["external_id"] = .string(id.rawValue)
    } else {
      object["push_token_import"] = true
    }
    object["push_tokens"] = [
      ["app_id": .string(appID), "token": .string(token.registration.token.revealed)]
    ]
    return MovingValue.bytes(object)
  }

  // MARK: Rules

  private static let longestText = 255
  private static let longestList = 25

  /// The vendor's own fields of a person, and its instructions.
  private static let reserved: Set<String> = [
    "external_id", "user_alias", "braze_id", "_update_existing_only", "push_token_import",
    "push_tokens", "push_subscribe", "email_subscribe", "email", "phone", "first_name",
    "last_name", "home_city", "country", "gender", "dob", "language", "time_zone", "image_url",
    "current_location", "date_of_first_session", "date_of_last_session", "facebook", "twitter",
    "marked_email_as_spam_at", "email_open_tracking_disabled", "email_click_tracking_disabled",
    "subscription_groups", "alias_name", "alias_label", "bio", "app_id",
  ]

  private static func textFault(_ text: String) -> String? {
    text.unicodeScalars.count <= longestText ? nil : "A text has at most \(longestText) characters."
  }

  private static func phoneFault(_ text: String) -> String? {
    !text.isEmpty && text.utf8.allSatisfy { "0123456789 .()+-".utf8.contains($0) }
      ? nil : "A phone number has digits, spaces and . ( ) + - alone."
  }

  /// A code of ISO 3166-1 with two letters.
  private static func countryFault(_ text: String) -> String? {
    let capitals = UInt8(ascii: "A")...UInt8(ascii: "Z")
    return text.utf8.count == 2 && text.utf8.allSatisfy(capitals.contains)
      ? nil : "It is no code of two letters, such as BG."
  }

  private static func customFault(_ name: String, _ value: JSON) -> String? {
    guard !name.isEmpty, name.unicodeScalars.count <= longestText,
      name.utf8.first != UInt8(ascii: "$"),
      !name.unicodeScalars.contains(where: { $0.value < 0x20 || $0 == "\"" })
    else {
      return
        "A name has 1 to \(longestText) characters, no quotation marks, no control characters, "
        + "and no $ at its start."
    }
    guard !reserved.contains(name) else { return "Braze has a field of its own with this name." }
    switch value {
    case .bool, .integer, .null: return nil
    case .number(let number): return number.isFinite ? nil : "It is no number."
    case .string(let text): return textFault(text)
    case .array(let values): return listFault(values)
    // Such as {"inc": 1}.
    case .object: return MovingValue.objectFault
    }
  }

  private static func listFault(_ values: [JSON]) -> String? {
    guard values.count <= longestList else { return "A list has at most \(longestList) texts." }
    let texts = values.compactMap(\.string)
    guard texts.count == values.count else { return "A list has texts alone." }
    return texts.compactMap(textFault).first
  }
}
