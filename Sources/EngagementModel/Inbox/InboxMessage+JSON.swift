extension InboxMessage {
  /// The neutral JSON of the message. It leaves out absent and empty values, but always has `read`.
  /// It does not contain the handle.
  public var json: JSON {
    ObjectEncoder([
      "provider": id.provider, "vendor": vendor, "id": id.value, "subject": subject,
      "text": text, "detailURL": detailURLText, "iconURL": iconURLText, "imageURL": imageURLText,
      "imageAlt": imageAlt,
      "read": isRead, "createdAt": createdAt, "expiresAt": expiresAt,
      "collapseKey": collapseKey, "campaignID": campaignID, "custom": custom, "tags": tags,
      "buttons": buttons, "furtherContents": furtherContents,
    ]).json
  }

  /// Reads the neutral JSON of a message, with an empty handle.
  ///
  /// Ignores unknown fields. Throws `invalidArgument`, which names the field, if a required field
  /// is missing or a field has the wrong type.
  public init(json: JSON) throws(EngagementError) {
    let fields = try ObjectDecoder(JSONField(value: json, place: "message"))
    self.init(
      ItemID(try fields.require("provider"), try fields.require("id")),
      vendor: try fields.require("vendor"))
    subject = try fields.read("subject")
    text = try fields.read("text")
    detailURLText = try fields.read("detailURL")
    iconURLText = try fields.read("iconURL")
    imageURLText = try fields.read("imageURL")
    imageAlt = try fields.read("imageAlt")
    isRead = try fields.read("read") ?? false
    createdAt = try fields.read("createdAt")
    expiresAt = try fields.read("expiresAt")
    collapseKey = try fields.read("collapseKey")
    campaignID = try fields.read("campaignID")
    custom = try fields.read("custom") ?? [:]
    tags = try fields.read("tags") ?? []
    buttons = try fields.read("buttons") ?? []
    furtherContents = try fields.read("furtherContents") ?? []
  }
}
