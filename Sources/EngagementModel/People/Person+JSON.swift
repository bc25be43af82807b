extension Person {
  /// The neutral JSON of the person; what is absent or empty is left out.
  public var json: JSON {
    ObjectEncoder([
      "provider": provider, "vendor": vendor, "key": key, "externalID": externalID,
      "phone": phone, "email": email, "name": name, "custom": custom,
    ]).json
  }

  /// Reads the neutral JSON of a person.
  ///
  /// Unknown fields are ignored. Throws `invalidArgument` naming the field where one that must
  /// be there is missing or one is of a wrong type.
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
