extension Card.Actions: FieldValue {
  package var json: JSON {
    ObjectEncoder([
      "dismiss": canDismiss, "snooze": canSnooze, "voteUp": canVoteUp, "voteDown": canVoteDown,
      "swipe": swipe, "menu": menu, "menuStyle": menuStyle,
    ]).json
  }

  package init(_ field: JSONField) throws(EngagementError) {
    let fields = try ObjectDecoder(field)
    self.init(
      canDismiss: try fields.read("dismiss") ?? false,
      canSnooze: try fields.read("snooze") ?? false,
      canVoteUp: try fields.read("voteUp") ?? false,
      canVoteDown: try fields.read("voteDown") ?? false)
    swipe = try fields.read("swipe") ?? []
    menu = try fields.read("menu") ?? []
    menuStyle = try fields.read("menuStyle")
  }
}

extension Card.Actions.MenuStyle: FieldValue {}

/// The names of the actions, in the order of their members. Unknown names are ignored.
extension Card.Actions.Offer: FieldValue {
  private static let names: KeyValuePairs<String, Self> = [
    "dismiss": .dismiss, "snooze": .snooze, "voteUp": .voteUp, "voteDown": .voteDown,
  ]

  package var json: JSON {
    .array(Self.names.filter { contains($0.value) }.map { .string($0.key) })
  }

  package var member: JSON? { isEmpty ? Optional.none : json }

  package init(_ field: JSONField) throws(EngagementError) {
    let words = try [String](field)
    self.init(Self.names.filter { words.contains($0.key) }.map(\.value))
  }
}

extension Card.RuntimeVariable: FieldValue {
  package var json: JSON { ["name": .string(name), "default": .string(defaultValue)] }

  package init(_ field: JSONField) throws(EngagementError) {
    let fields = try ObjectDecoder(field)
    self.init(try fields.require("name"), defaultValue: try fields.require("default"))
  }
}
