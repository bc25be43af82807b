extension Template {
  /// The neutral JSON of the template. Its kind is `type`; the arguments keep their order.
  public var json: JSON {
    ObjectEncoder([
      "name": name, "type": kind, "isVisual": isVisual, "arguments": arguments,
    ]).json
  }

  /// Reads the neutral JSON of a template. `isVisual` is true by default.
  ///
  /// Ignores unknown fields. Throws `invalidArgument`, which names the field, if a required field
  /// is missing or a field has the wrong type.
  public init(json: JSON) throws(EngagementError) {
    let fields = try ObjectDecoder(JSONField(value: json, place: "template"))
    try self.init(
      try fields.require("name"), try fields.require("type"),
      isVisual: try fields.read("isVisual") ?? true,
      arguments: try fields.read("arguments") ?? [])
  }
}

extension Template.Argument: FieldValue {
  package var json: JSON {
    ObjectEncoder(["name": name, "type": type, "default": defaultValue]).json
  }

  package init(_ field: JSONField) throws(EngagementError) {
    let fields = try ObjectDecoder(field)
    self.init(
      try fields.require("name"), try fields.require("type"),
      defaultValue: try fields.read("default"))
  }
}
