extension Card {
  /// The neutral JSON of the card. It leaves out absent and empty values, but always has the
  /// Booleans and the four members of `actions`. It does not contain the handle.
  public var json: JSON { shared.fields.json }

  /// Reads the neutral JSON of a card, with an empty handle.
  ///
  /// Ignores unknown fields. Throws `invalidArgument`, which names the field, if a required field
  /// is missing, a field has the wrong type, or components are nested more than
  /// `Component.maximumDepth` deep.
  public init(json: JSON) throws(EngagementError) { shared = Shared(try Fields(json: json)) }
}

extension Card.Fields {
  fileprivate var json: JSON {
    ObjectEncoder([
      "provider": id.provider, "vendor": vendor, "id": id.value, "container": container,
      "kind": kind, "title": title, "text": text, "imageURL": imageURLText, "imageAlt": imageAlt,
      "imageAspectRatio": imageAspectRatio, "language": language, "url": urlText,
      "linkText": linkText, "opensInWebView": opensInWebView, "createdAt": createdAt,
      "updatedAt": updatedAt, "activeAt": activeAt, "expiresAt": expiresAt,
      "priority": priority, "pinned": isPinned, "dismissible": isDismissible, "viewed": isViewed,
      "clicked": isClicked, "dismissed": isDismissed, "test": isTest, "status": status,
      "eventName": eventName, "lifecycleID": lifecycleID, "campaignID": campaignID,
      "templateID": templateID, "templateName": templateName, "variables": variables,
      "extras": extras, "metadata": metadata, "actions": actions, "components": components,
      "buttons": buttons, "subviews": Subviews(list: subviews),
      "runtimeVariables": runtimeVariables,
    ]).json
  }

  fileprivate init(json: JSON) throws(EngagementError) {
    let fields = try ObjectDecoder(JSONField(value: json, place: "card"))
    self.init(
      id: ItemID(try fields.require("provider"), try fields.require("id")),
      vendor: try fields.require("vendor"), kind: try fields.require("kind"))
    container = try fields.read("container")
    try readContent(from: fields)
    try readTimes(from: fields)
    try readState(from: fields)
    try readSource(from: fields)
    try readTree(from: fields)
  }

  private mutating func readContent(from fields: ObjectDecoder) throws(EngagementError) {
    title = try fields.read("title")
    text = try fields.read("text")
    imageURLText = try fields.read("imageURL")
    imageAlt = try fields.read("imageAlt")
    imageAspectRatio = try fields.read("imageAspectRatio")
    language = try fields.read("language")
    urlText = try fields.read("url")
    linkText = try fields.read("linkText")
    opensInWebView = try fields.read("opensInWebView") ?? false
  }

  private mutating func readTimes(from fields: ObjectDecoder) throws(EngagementError) {
    createdAt = try fields.read("createdAt")
    updatedAt = try fields.read("updatedAt")
    activeAt = try fields.read("activeAt")
    expiresAt = try fields.read("expiresAt")
  }

  private mutating func readState(from fields: ObjectDecoder) throws(EngagementError) {
    priority = try fields.read("priority")
    isPinned = try fields.read("pinned") ?? false
    isDismissible = try fields.read("dismissible") ?? false
    isViewed = try fields.read("viewed") ?? false
    isClicked = try fields.read("clicked") ?? false
    isDismissed = try fields.read("dismissed") ?? false
    isTest = try fields.read("test") ?? false
    status = try fields.read("status")
    actions = try fields.read("actions") ?? Card.Actions()
  }

  private mutating func readSource(from fields: ObjectDecoder) throws(EngagementError) {
    eventName = try fields.read("eventName")
    lifecycleID = try fields.read("lifecycleID")
    campaignID = try fields.read("campaignID")
    templateID = try fields.read("templateID")
    templateName = try fields.read("templateName")
    variables = try fields.read("variables") ?? [:]
    extras = try fields.read("extras") ?? [:]
    metadata = try fields.read("metadata") ?? [:]
  }

  private mutating func readTree(from fields: ObjectDecoder) throws(EngagementError) {
    components = try fields.read("components") ?? []
    buttons = try fields.read("buttons") ?? []
    subviews = (try fields.read("subviews") as Subviews?)?.list ?? []
    runtimeVariables = try fields.read("runtimeVariables") ?? []
  }
}
