extension PushNotification {
  /// The neutral JSON of the push. It leaves out absent and empty values, but always has `silent`.
  /// It does not contain the handle.
  public var json: JSON {
    ObjectEncoder([
      "vendor": vendor, "messageID": messageID, "campaignID": campaignID, "title": title,
      "subtitle": subtitle, "body": body, "deepLink": deepLinkText, "mediaURL": mediaURLText,
      "sound": sound,
      "badge": badge, "category": category, "silent": isSilent,
      "internal": isInternal ? true : nil, "custom": custom,
      "itemID": itemID, "containerID": containerID, "inboxMessageID": inboxMessageID,
      "detail": detail,
    ]).json
  }

  /// Reads the neutral JSON of a push, with an empty handle.
  ///
  /// Ignores unknown fields. Throws `invalidArgument`, which names the field, if a required field
  /// is missing or a field has the wrong type.
  public init(json: JSON) throws(EngagementError) {
    let fields = try ObjectDecoder(JSONField(value: json, place: "push"))
    self.init(vendor: try fields.require("vendor"))
    messageID = try fields.read("messageID")
    campaignID = try fields.read("campaignID")
    title = try fields.read("title")
    subtitle = try fields.read("subtitle")
    body = try fields.read("body")
    deepLinkText = try fields.read("deepLink")
    mediaURLText = try fields.read("mediaURL")
    sound = try fields.read("sound")
    badge = try fields.read("badge")
    category = try fields.read("category")
    isSilent = try fields.read("silent") ?? false
    isInternal = try fields.read("internal") ?? false
    custom = try fields.read("custom") ?? [:]
    itemID = try fields.read("itemID")
    containerID = try fields.read("containerID")
    inboxMessageID = try fields.read("inboxMessageID")
    detail = try fields.read("detail") ?? [:]
  }
}
