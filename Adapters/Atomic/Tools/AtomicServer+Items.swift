import EngagementAdapterAPI
import EngagementFormats
import EngagementJSON
import EngagementModel
import EngagementPlatform
import EngagementVendors

/// What a marketer does: cards and pushes.
extension AtomicServer {
  /// The settings that `configure` knows; the README says what they do.
  static let settingNames = [
    "apiKey", "containers", "maximumTokenAge", "strict", "errorsInOK", "socket", "answerPings",
    "expireTokens",
  ]

  var items: [JSON] { cards.map { .object($0.members) } }

  static func madeUpItem(_ number: Int, at now: Date) -> JSON? {
    .object(AtomicSeed.card(number, at: now))
  }

  mutating func put(_ item: JSON, at now: Date) throws(EngagementError) -> JSON {
    guard let given = item.object else {
      throw EngagementError(.invalidArgument, "A card is an object")
    }
    let id = given["instance"]?["id"]
    if let id, id.string?.isEmpty != false {
      throw EngagementError(
        .invalidArgument, "The field instance.id of a card is no text, or empty")
    }
    let time = JSON.string(ISO8601.text(of: now) ?? "")
    let place = id?.string.flatMap { id in cards.firstIndex { $0.id.hasSameBytes(as: id) } }
    var members =
      place.map { cards[$0].members } ?? [
        "instance": ["eventName": "card", "lifecycleId": "card-1", "status": "active"],
        "actions": AtomicSeed.noActions,
        "metadata": [
          "title": "", "priority": 5, "receivedAt": time, "lastCardActiveTime": time,
        ],
        "runtimeVariables": [], "defaultView": ["nodes": []], "subviews": [:], "created": time,
      ]
    for member in given.members {
      // The parts of these are changed one by one, so that a title does not take the times away.
      if ["instance", "metadata"].contains(member.key), let parts = member.value.object {
        var whole = members[member.key]?.object ?? [:]
        for part in parts.members { whole[part.key] = part.value }
        members[member.key] = .object(whole)
      } else {
        members[member.key] = member.value
      }
    }
    var instance = members["instance"]?.object ?? [:]
    if instance["id"] == nil { instance["id"] = .string(numbers.uuid()) }
    members["instance"] = .object(instance)
    try Self.check(members)
    revision += 1
    let card = AtomicServerCard(
      members: members, revision: revision, owner: place.flatMap { cards[$0].owner })
    if let place { cards[place] = card } else { cards.append(card) }
    return .object(members)
  }

  private static func check(_ members: JSONObject) throws(EngagementError) {
    guard let metadata = members["metadata"]?.object,
      (1...10).contains(metadata["priority"]?.integer ?? 5)
    else {
      throw EngagementError(.invalidArgument, "The field metadata.priority is not from 1 to 10")
    }
    let options = members["payload"]?["cardOptions"]
    for (name, value) in [
      ("metadata.receivedAt", metadata["receivedAt"]), ("created", members["created"]),
      ("metadata.lastCardActiveTime", metadata["lastCardActiveTime"]),
      ("payload.cardOptions.embargo", options?["embargo"]),
      ("payload.cardOptions.expires", options?["expires"]),
    ] where value != nil && AtomicServerCard.date(value) == nil {
      throw EngagementError(.invalidArgument, "The field \(name) is not a time of ISO 8601")
    }
    if let targets = options?["targetStreamIds"] {
      guard let ids = targets.array, ids.allSatisfy({ $0.string != nil }) else {
        throw EngagementError(
          .invalidArgument, "The field payload.cardOptions.targetStreamIds is no list of texts")
      }
    }
  }

  mutating func put(_ items: [[UInt8]], in feed: Feed, for user: User, at now: Date) {
    revision += 1
    for bytes in items {
      var members = (try? JSON(parsing: bytes))?.object ?? [:]
      if let container = feed.container?.rawValue {
        members["payload"] = ["cardOptions": ["targetStreamIds": [.string(container)]]]
      }
      cards.append(
        AtomicServerCard(members: members, revision: revision, owner: user, bytes: bytes))
    }
  }

  mutating func clear(_ feed: Feed, of user: User, at now: Date) {
    let container = feed.container?.rawValue
    cards.removeAll { $0.owner == user && container.map($0.isIn) ?? true }
    revision += 1
  }

  mutating func remove(_ id: String, at now: Date) -> Bool {
    let count = cards.count
    cards.removeAll { $0.id.hasSameBytes(as: id) }
    if cards.count < count { revision += 1 }
    return cards.count < count
  }

  mutating func configure(_ settings: JSON, at now: Date) throws(EngagementError) {
    let fields = try SettingFields(settings, allowed: Self.settingNames)
    var new = self.settings
    if let key = fields.object["apiKey"] {
      new.apiKey = key == .null ? nil : try fields.text("apiKey")
    }
    if let containers = fields.object["containers"] {
      new.containers = containers == .null ? nil : try fields.texts("containers")
    }
    new.maximumTokenAge = try fields.count("maximumTokenAge") ?? new.maximumTokenAge
    new.isStrict = try fields.bool("strict") ?? new.isStrict
    new.hasErrorsInOK = try fields.bool("errorsInOK") ?? new.hasErrorsInOK
    new.hasSocket = try fields.bool("socket") ?? new.hasSocket
    new.answersPings = try fields.bool("answerPings") ?? new.answersPings
    if try fields.bool("expireTokens") == true { expireCredentials(at: now) }
    self.settings = new
  }

  // MARK: Pushes

  mutating func push(_ message: JSON, at now: Date) throws(EngagementError) -> JSON {
    let fields = try SettingFields(
      message,
      allowed: ["title", "body", "url", "item", "silent", "platform", "container", "detail"])
    let item = try fields.text("item")
    let card = cards.first { item == nil || $0.id == item }
    if let item, card == nil {
      throw EngagementError(.notFound, "There is no card \"\(item)\"")
    }
    var detail = fields.object["detail"] ?? [:]
    if let url = try fields.text("url"), var object = detail.object {
      object["url"] = .string(url)
      detail = .object(object)
    }
    let envelope: JSON = [
      "source": "io.atomic", "cardInstanceId": .string(card?.id ?? numbers.uuid()),
      "streamContainerId": fields.object["container"]
        ?? .string(card?.containers.first ?? "BqWL1sT"),
      "detail": detail,
    ]
    let title = JSON.string(try fields.text("title") ?? "Harbour Coffee")
    let body = JSON.string(try fields.text("body") ?? "Your table by the window is free.")
    let isSilent = try fields.bool("silent") ?? false
    switch try fields.text("platform") ?? "apns" {
    case "apns":
      let shown: JSON = ["alert": ["title": title, "body": body], "sound": "default"]
      return ["aps": isSilent ? ["content-available": 1] : shown, "atomic": envelope]
    // FCM carries texts alone.
    case "fcm":
      let text = JSON.string(String(decoding: envelope.encoded(), as: UTF8.self))
      return isSilent ? ["atomic": text] : ["title": title, "body": body, "atomic": text]
    case let platform:
      throw EngagementError(
        .invalidArgument,
        "There is no push platform \"\(platform)\"\(NearestName.hint(for: platform, among: ["apns", "fcm"]))"
      )
    }
  }
}
