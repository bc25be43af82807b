extension Person {
  /// The neutral JSON of the person, without absent and empty values.
  public var json: JSON {
    ObjectEncoder([
      "provider": provider, "vendor": vendor, "key": key, "externalID": externalID,
      "phone": phone, "email": email, "name": name, "custom": custom,
    ]).json
  }

  /// Reads the neutral JSON of a person.
  ///
  /// Ignores unknown fields. Throws `invalidArgument`, which names the field, if a required field
  /// is missing or a field has the wrong type.
  public init(json: JSON) throws(EngagementError) {
    let fields = try ObjectDecoder(JSONField(value: json, place: "person"))
    self.init(
      try fields.require("key"), provider: try fields.require("provider"),
      vendor: try fields.require("vendor"))
    externalID = try fields.read("externalID")
    phone = try fields.read("phone")
    email = try fields.read("email")
    name = try fields.read("name")
    custom = try fields.read("custom") ?? [:]
  }
}
