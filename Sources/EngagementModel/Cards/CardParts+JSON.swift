extension Card.Actions: FieldValue {
  package var json: JSON {
    [
      "dismiss": .bool(dismiss), "snooze": .bool(snooze), "voteUp": .bool(voteUp),
      "voteDown": .bool(voteDown),
    ]
  }

  package init(_ field: JSONField) throws(EngagementError) {
    let fields = try ObjectDecoder(field)
    self.init(
      dismiss: try fields.read("dismiss") ?? false, snooze: try fields.read("snooze") ?? false,
      voteUp: try fields.read("voteUp") ?? false, voteDown: try fields.read("voteDown") ?? false)
  }
}

extension Card.RuntimeVariable: FieldValue {
  package var json: JSON { ["name": .string(name), "default": .string(defaultValue)] }

  package init(_ field: JSONField) throws(EngagementError) {
    let fields = try ObjectDecoder(field)
    self.init(try fields.require("name"), defaultValue: try fields.require("default"))
  }
}
