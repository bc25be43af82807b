extension Template {
  /// The neutral JSON of the template: its kind is `type`, the arguments are in their order.
  public var json: JSON {
    ObjectEncoder([
      "name": name, "type": kind, "isVisual": isVisual, "arguments": arguments,
    ]).json
  }

  /// Reads the neutral JSON of a template; one that says nothing of it is visual.
  ///
  /// Unknown fields are ignored. Throws `invalidArgument` naming the field where one that must
  /// be there is missing or one is of a wrong type.
  public init(json: JSON) throws(EngagementError) {
    let fields = try ObjectDecoder(JSONField(value: json, place: "template"))
    self.init(
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
