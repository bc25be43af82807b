import EngagementFormats
import EngagementJSON
import EngagementModel

/// Maps button nodes to buttons.
enum AtomicButtons {
  /// Nil if the node is not a button, or a link without a target or with one that could run code.
  static func button(_ type: JSONKey, _ fields: JSONFields) -> CardButton? {
    guard let action = action(type, fields) else { return nil }
    var attributes = JSONObject()
    attributes["icon"] = fields.string("icon").map(JSON.string)
    attributes["iconURL"] = AtomicText.address(fields, "iconUrl").map(JSON.string)
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
    case "snoozeButton": .snooze(period(fields))
    case "voteUpButton": .vote(useful: true)
    case "voteDownButton": .vote(useful: false)
    case "linkButton": link(fields).map(CardButton.Action.link)
    default: nil
    }
  }

  /// Nil for a period that is absent, negative or invalid; the card then asks the user.
  private static func period(_ fields: JSONFields) -> CardButton.SnoozePeriod? {
    guard let period = fields.string("snoozePeriod").flatMap(ISO8601.calendarDuration(from:)),
      period.months ?? 0 >= 0, period.rest >= .zero,
      let seconds = Int(exactly: period.rest.components.seconds)
    else { return nil }
    return CardButton.SnoozePeriod(months: period.months ?? 0, seconds: seconds)
  }

  /// A payload takes precedence over a subview, and a subview over a URL.
  private static func link(_ fields: JSONFields) -> CardButton.Link? {
    if let payload = fields.json("action")?.object { return .payload(payload) }
    if let id = fields.string("layoutId") ?? fields.string("layoutName") { return .subview(id) }
    return AtomicText.address(fields, "url").map(CardButton.Link.url)
  }

  /// Adds the target that a submit button opens after the submission.
  private static func addRedirect(_ fields: JSONFields, to attributes: inout JSONObject) {
    if let payload = fields.json("action")?.object {
      attributes["payload"] = .object(payload)
    } else {
      attributes["url"] = AtomicText.address(fields, "url").map(JSON.string)
    }
  }
}
