extension InboxMessage.Content: FieldValue {
  package var json: JSON {
    ObjectEncoder([
      "subject": subject, "text": text, "detailURL": detailURLText, "iconURL": iconURLText,
      "imageURL": imageURLText, "imageAlt": imageAlt, "buttons": buttons,
    ]).json
  }

  package init(_ field: JSONField) throws(EngagementError) {
    let fields = try ObjectDecoder(field)
    subject = try fields.read("subject")
    text = try fields.read("text")
    detailURLText = try fields.read("detailURL")
    iconURLText = try fields.read("iconURL")
    imageURLText = try fields.read("imageURL")
    imageAlt = try fields.read("imageAlt")
    buttons = try fields.read("buttons") ?? []
  }
}

/// The JSON has `text`, `action` and the member of that action.
extension InboxMessage.Button: FieldValue {
  package var json: JSON {
    switch action {
    case .openURL(let url): ["text": .string(text), "action": "openURL", "url": .string(url)]
    case .copy(let value): ["text": .string(text), "action": "copy", "value": .string(value)]
    case .keyValues(let values):
      ["text": .string(text), "action": "keyValues", "values": .object(values)]
    case .askForPushes: ["text": .string(text), "action": "askForPushes"]
    }
  }

  package init(_ field: JSONField) throws(EngagementError) {
    let fields = try ObjectDecoder(field)
    let name: ActionName = try fields.require("action")
    let action: Action =
      switch name {
      case .openURL: .openURL(try fields.require("url"))
      case .copy: .copy(try fields.require("value"))
      case .keyValues: .keyValues(try fields.require("values"))
      case .askForPushes: .askForPushes
      }
    self.init(try fields.require("text"), action)
  }

  private enum ActionName: String, CaseIterable, FieldValue {
    case openURL, copy, keyValues, askForPushes
  }
}
