extension Campaign {
  /// The neutral JSON of the campaign. It leaves out absent, empty and false values. It does not
  /// contain the handle.
  public var json: JSON {
    ObjectEncoder([
      "provider": id.provider, "vendor": vendor, "id": id.value, "template": template,
      "arguments": arguments, "priority": priority, "expiresAt": expiresAt,
      "excludedFromCaps": isExcludedFromCaps ? true : nil, "triggers": triggers, "limits": limits,
      "delaySeconds": delaySeconds, "lifetimeSeconds": lifetimeSeconds,
      "suppressed": isSuppressed ? true : nil,
    ]).json
  }

  /// Reads the neutral JSON of a campaign, with an empty handle.
  ///
  /// Ignores unknown fields. Throws `invalidArgument`, which names the field, if a required field
  /// is missing or a field has the wrong type.
  public init(json: JSON) throws(EngagementError) {
    let fields = try ObjectDecoder(JSONField(value: json, place: "campaign"))
    self.init(
      ItemID(try fields.require("provider"), try fields.require("id")),
      vendor: try fields.require("vendor"), template: try fields.require("template"))
    arguments = try fields.read("arguments") ?? [:]
    priority = try fields.read("priority")
    expiresAt = try fields.read("expiresAt")
    isExcludedFromCaps = try fields.read("excludedFromCaps") ?? false
    triggers = try fields.read("triggers") ?? []
    limits = try fields.read("limits") ?? []
    delaySeconds = try fields.read("delaySeconds")
    lifetimeSeconds = try fields.read("lifetimeSeconds")
    isSuppressed = try fields.read("suppressed") ?? false
  }
}
