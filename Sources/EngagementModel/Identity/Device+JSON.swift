extension Device {
  /// The neutral JSON of the device, without absent values.
  public var json: JSON {
    ObjectEncoder([
      "id": id, "appID": appID, "appVersion": appVersion, "appBuild": appBuild,
      "system": system, "systemVersion": systemVersion, "make": make, "model": model,
      "locale": locale, "timeZone": timeZone, "zoneOffset": zoneOffset,
      "advertisingID": advertisingID, "location": location,
    ]).json
  }

  /// Reads the neutral JSON of a device.
  ///
  /// Ignores unknown fields. Throws `invalidArgument`, which names the field, if a required field
  /// is missing or a field has the wrong type.
  public init(json: JSON) throws(EngagementError) {
    let fields = try ObjectDecoder(JSONField(value: json, place: "device"))
    self.init(
      id: try fields.require("id"), appID: try fields.require("appID"),
      appVersion: try fields.read("appVersion"), appBuild: try fields.read("appBuild"),
      system: try fields.require("system"), systemVersion: try fields.require("systemVersion"),
      make: try fields.read("make"), model: try fields.read("model"),
      locale: try fields.require("locale"), timeZone: try fields.require("timeZone"),
      zoneOffset: try fields.require("zoneOffset"),
      advertisingID: try fields.read("advertisingID"), location: try fields.read("location"))
  }
}

extension Device.Location: FieldValue {
  package var json: JSON { ObjectEncoder(["latitude": latitude, "longitude": longitude]).json }

  package init(_ field: JSONField) throws(EngagementError) {
    let fields = try ObjectDecoder(field)
    self.init(
      latitude: try fields.require("latitude"), longitude: try fields.require("longitude"))
  }
}
