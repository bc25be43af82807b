extension InboxMessage {
  /// The neutral JSON of the message. What is absent or empty is left out; `read` is always
  /// there. The handle is not part of it.
  public var json: JSON {
    ObjectEncoder([
      "provider": id.provider, "vendor": vendor, "id": id.value, "subject": subject,
      "text": text, "detailURL": detailURL, "iconURL": iconURL, "imageURL": imageURL,
      "read": read, "createdAt": createdAt, "expiresAt": expiresAt,
      "collapseKey": collapseKey, "custom": custom, "tags": tags,
    ]).json
  }

  /// Reads the neutral JSON of a message; the handle comes back empty.
  ///
  /// Unknown fields are ignored. Throws `invalidArgument` naming the field where one that must
  /// be there is missing or one is of a wrong type.
  public init(json: JSON) throws(EngagementError) {
    let fields = try ObjectDecoder(JSONField(value: json, place: "message"))
    self.init(
      ItemID(try fields.require("provider"), try fields.require("id")),
      vendor: try fields.require("vendor"))
    subject = try fields.read("subject")
    text = try fields.read("text")
    detailURL = try fields.read("detailURL")
    iconURL = try fields.read("iconURL")
    imageURL = try fields.read("imageURL")
    read = try fields.read("read") ?? false
    createdAt = try fields.read("createdAt")
    expiresAt = try fields.read("expiresAt")
    collapseKey = try fields.read("collapseKey")
    custom = try fields.read("custom") ?? [:]
    tags = try fields.read("tags") ?? []
  }
}
