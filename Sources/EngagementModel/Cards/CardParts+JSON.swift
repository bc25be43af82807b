extension Card.Actions: FieldValue {
  package var json: JSON {
    [
      "dismiss": .bool(canDismiss), "snooze": .bool(canSnooze), "voteUp": .bool(canVoteUp),
      "voteDown": .bool(canVoteDown),
    ]
  }

  package init(_ field: JSONField) throws(EngagementError) {
    let fields = try ObjectDecoder(field)
    self.init(
      canDismiss: try fields.read("dismiss") ?? false,
      canSnooze: try fields.read("snooze") ?? false,
      canVoteUp: try fields.read("voteUp") ?? false,
      canVoteDown: try fields.read("voteDown") ?? false)
  }
}

extension Card.RuntimeVariable: FieldValue {
  package var json: JSON { ["name": .string(name), "default": .string(defaultValue)] }

  package init(_ field: JSONField) throws(EngagementError) {
    let fields = try ObjectDecoder(field)
    self.init(try fields.require("name"), defaultValue: try fields.require("default"))
  }
}
