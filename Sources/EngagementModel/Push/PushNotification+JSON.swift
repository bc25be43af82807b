extension PushNotification {
  /// The neutral JSON of the push. What is absent or empty is left out; `silent` is always
  /// there. The handle is not part of it.
  public var json: JSON {
    ObjectEncoder([
      "vendor": vendor, "messageID": messageID, "title": title, "subtitle": subtitle,
      "body": body, "deepLink": deepLink, "mediaURL": mediaURL, "sound": sound,
      "badge": badge, "category": category, "silent": silent, "custom": custom,
      "itemID": itemID, "containerID": containerID, "inboxMessageID": inboxMessageID,
      "detail": detail,
    ]).json
  }

  /// Reads the neutral JSON of a push; the handle comes back empty.
  ///
  /// Unknown fields are ignored. Throws `invalidArgument` naming the field where one that must
  /// be there is missing or one is of a wrong type.
  public init(json: JSON) throws(EngagementError) {
    let fields = try ObjectDecoder(JSONField(value: json, place: "push"))
    self.init(vendor: try fields.require("vendor"))
    messageID = try fields.read("messageID")
    title = try fields.read("title")
    subtitle = try fields.read("subtitle")
    body = try fields.read("body")
    deepLink = try fields.read("deepLink")
    mediaURL = try fields.read("mediaURL")
    sound = try fields.read("sound")
    badge = try fields.read("badge")
    category = try fields.read("category")
    silent = try fields.read("silent") ?? false
    custom = try fields.read("custom") ?? [:]
    itemID = try fields.read("itemID")
    containerID = try fields.read("containerID")
    inboxMessageID = try fields.read("inboxMessageID")
    detail = try fields.read("detail") ?? [:]
  }
}
