import EngagementFormats
import EngagementJSON
import EngagementModel

/// Button nodes as buttons.
enum AtomicButtons {
  /// Nil for what is no button, and for a link that leads nowhere or where code would run.
  static func button(_ type: JSONKey, _ fields: JSONFields) -> CardButton? {
    guard let action = action(type, fields) else { return nil }
    var attributes = JSONObject()
    attributes["icon"] = fields.string("icon").map(JSON.string)
    attributes["style"] = fields.string("buttonType").map(JSON.string)
    attributes["target"] = fields.string("target").map(JSON.string)
    if case .submit = action { addRedirect(fields, to: &attributes) }
    return CardButton(fields.string("text") ?? "", action, attributes: attributes)
  }

  private static func action(_ type: JSONKey, _ fields: JSONFields) -> CardButton.Action? {
    switch type {
    case "submitButton":
      .submit(name: fields.string("name"), values: fields.json("values")?.object ?? [:])
    case "dismissButton": .dismiss
    case "snoozeButton": .snooze(seconds: seconds(fields))
    case "voteUpButton": .vote(useful: true)
    case "voteDownButton": .vote(useful: false)
    case "linkButton": link(fields).map(CardButton.Action.link)
    default: nil
    }
  }

  /// Nil, which asks the user, for a period that is absent, in the past or no duration.
  private static func seconds(_ fields: JSONFields) -> Int? {
    guard let period = fields.string("snoozePeriod").flatMap(ISO8601.duration(from:)),
      period >= .zero
    else { return nil }
    return Int(exactly: period.components.seconds)
  }

  /// A payload goes before a subview and a subview before an address.
  private static func link(_ fields: JSONFields) -> CardButton.Link? {
    if let payload = fields.json("action")?.object { return .payload(payload) }
    if let id = fields.string("layoutId") { return .subview(id) }
    return AtomicText.address(fields, "url").map(CardButton.Link.url)
  }

  /// Where a submit button leads once the card is submitted.
  private static func addRedirect(_ fields: JSONFields, to attributes: inout JSONObject) {
    if let payload = fields.json("action")?.object {
      attributes["payload"] = .object(payload)
    } else {
      attributes["url"] = AtomicText.address(fields, "url").map(JSON.string)
    }
  }
}
