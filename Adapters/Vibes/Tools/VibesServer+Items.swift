import EngagementAdapterAPI
import EngagementFormats
import EngagementJSON
import EngagementModel
import EngagementPlatform
import EngagementVendors

/// What a marketer does: messages and pushes.
extension VibesServer {
  /// The settings that `configure` knows; the documentation of the module says what they do.
  static let settingNames = [
    "inboxEnabled", "tokenLifetime", "tokenPrefix", "expireTokens", "base64DeviceIDs",
  ]

  /// The company that sends the pushes; clients give it back with shop tracking.
  private static let companyKey = "Hrb4821C"

  var items: [JSON] { messages.map { .object($0.members) } }

  static func madeUpItem(_ number: Int, at now: Date) -> JSON? {
    number < limit ? .object(VibesSeed.message(number, at: now)) : nil
  }

  mutating func put(_ item: JSON, at now: Date) throws(EngagementError) -> JSON {
    guard let given = item.object else {
      throw EngagementError(.invalidArgument, "A message is an object")
    }
    if let uid = given["message_uid"], uid.string?.isEmpty != false {
      throw EngagementError(.invalidArgument, "The field message_uid is no text, or empty")
    }
    let place = messages.firstIndex { $0.uid == given["message_uid"]?.string }
    var members =
      place.map { messages[$0].members } ?? [
        "message_uid": given["message_uid"] ?? .string(numbers.uuid()),
        "created_at": ISO8601.text(of: now).map(JSON.string) ?? .null, "read": false,
      ]
    for member in given.members { members[member.key] = member.value }
    let created = members["created_at"]?.string.flatMap { ISO8601.date(from: $0) }
    let message = VibesMessage(members: members, createdAt: created ?? now)
    if let place { messages[place] = message } else { messages.append(message) }
    // A message takes the place of those that were sent with the same key.
    if let key = members["collapse_key"]?.string {
      messages.removeAll { $0.uid != message.uid && $0.members["collapse_key"]?.string == key }
    }
    return .object(members)
  }

  mutating func put(_ items: [[UInt8]], in feed: Feed, for user: User, at now: Date) {
    for bytes in items {
      let members = (try? JSON(parsing: bytes))?.object ?? [:]
      let created = members["created_at"]?.string.flatMap { ISO8601.date(from: $0) }
      messages.append(
        VibesMessage(members: members, createdAt: created ?? now, owner: user, bytes: bytes))
    }
  }

  mutating func clear(_ feed: Feed, of user: User, at now: Date) {
    messages.removeAll { $0.owner == user }
  }

  mutating func remove(_ id: String, at now: Date) -> Bool {
    let count = messages.count
    messages.removeAll { $0.uid == id }
    return messages.count < count
  }

  mutating func configure(_ settings: JSON, at now: Date) throws(EngagementError) {
    let fields = try SettingFields(settings, allowed: Self.settingNames)
    var new = self.settings
    new.inboxEnabled = try fields.bool("inboxEnabled") ?? new.inboxEnabled
    if let lifetime = fields.object["tokenLifetime"] {
      new.tokenLifetime = lifetime == .null ? nil : try fields.count("tokenLifetime")
    }
    new.tokenPrefix = try fields.text("tokenPrefix") ?? new.tokenPrefix
    new.hasBase64DeviceIDs = try fields.bool("base64DeviceIDs") ?? new.hasBase64DeviceIDs
    if try fields.bool("expireTokens") == true { expireCredentials(at: now) }
    self.settings = new
  }

  mutating func push(_ message: JSON, at now: Date) throws(EngagementError) -> JSON {
    let fields = try SettingFields(
      message,
      allowed: [
        "title", "body", "url", "item", "silent", "platform", "extras", "migrationToken",
        "loose",
      ])
    let item = try fields.text("item")
    if let item, !messages.contains(where: { $0.uid == item }) {
      throw EngagementError(.notFound, "There is no message of that id")
    }
    var appData: JSONObject = [
      "client_message_id": .string(numbers.hex(20)), "activity_type": "Broadcast",
      "activity_uid": .string(numbers.uuid()), "company_key": .string(Self.companyKey),
    ]
    appData["deep_link"] = try fields.text("url").map(JSON.string)
    appData["inbox_message_uid"] = item.map(JSON.string)
    var customData = fields.object["extras"]?.object ?? [:]
    if let token = try fields.text("migrationToken") {
      customData["vibes_auto_register_token"] = .string(token)
      customData["migration_item_id"] = .string(numbers.uuid())
    }
    let draft = VibesPushDraft(
      uid: numbers.uuid(), title: try fields.text("title") ?? "Harbour Coffee",
      body: try fields.text("body") ?? "Your table by the window is free.",
      isSilent: try fields.bool("silent") ?? false, appData: appData, customData: customData)
    switch try fields.text("platform") ?? "apns" {
    case "apns": return draft.apns
    case "fcm": return draft.fcm(isLoose: try fields.bool("loose") ?? false)
    case let platform:
      throw EngagementError(
        .invalidArgument,
        "There is no push platform \"\(platform)\"\(NearestName.hint(for: platform, among: ["apns", "fcm"]))"
      )
    }
  }
}
