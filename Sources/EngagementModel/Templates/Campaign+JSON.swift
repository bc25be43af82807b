extension Campaign {
  /// The neutral JSON of the campaign. What is absent, empty or not so is left out. The handle
  /// is not part of it.
  public var json: JSON {
    ObjectEncoder([
      "provider": id.provider, "vendor": vendor, "id": id.value, "template": template,
      "arguments": arguments, "priority": priority, "expiresAt": expiresAt,
      "excludedFromCaps": excludedFromCaps ? true : nil, "triggers": triggers, "limits": limits,
    ]).json
  }

  /// Reads the neutral JSON of a campaign; the handle comes back empty.
  ///
  /// Unknown fields are ignored. Throws `invalidArgument` naming the field where one that must
  /// be there is missing or one is of a wrong type.
  public init(json: JSON) throws(EngagementError) {
    let fields = try ObjectDecoder(JSONField(value: json, place: "campaign"))
    self.init(
      ItemID(try fields.require("provider"), try fields.require("id")),
      vendor: try fields.require("vendor"), template: try fields.require("template"))
    arguments = try fields.read("arguments") ?? [:]
    priority = try fields.read("priority")
    expiresAt = try fields.read("expiresAt")
    excludedFromCaps = try fields.read("excludedFromCaps") ?? false
    triggers = try fields.read("triggers") ?? []
    limits = try fields.read("limits") ?? []
  }
}
