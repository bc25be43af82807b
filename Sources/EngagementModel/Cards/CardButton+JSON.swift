/// The JSON has `text`, `action`, the members of that action, and the attributes. An attribute with
/// the name of one of those members is left out.
extension CardButton: FieldValue {
  package var json: JSON {
    var object = ObjectEncoder(["text": text, "action": action.name])
    object.append(action.fields)
    object.append(attributes, except: action.name.takenFields)
    return object.json
  }

  package init(_ field: JSONField) throws(EngagementError) {
    let fields = try ObjectDecoder(field)
    let name: ActionName = try fields.require("action")
    self.init(
      try fields.require("text"), try Action(name, fields, in: field),
      attributes: fields.attributes(except: name.takenFields))
  }
}

private enum ActionName: String, CaseIterable, FieldValue {
  case submit, dismiss, snooze, link, vote

  /// The names that attributes may not use.
  var takenFields: [String] {
    switch self {
    case .submit: ["text", "action", "name", "values"]
    case .dismiss: ["text", "action"]
    case .snooze: ["text", "action", "seconds", "months"]
    case .link: ["text", "action", "url", "subview", "payload"]
    case .vote: ["text", "action", "useful"]
    }
  }
}

extension CardButton.Action {
  fileprivate var name: ActionName {
    switch self {
    case .submit: .submit
    case .dismiss: .dismiss
    case .snooze: .snooze
    case .link: .link
    case .vote: .vote
    }
  }

  /// Values and payload are present even when empty, because the action consists of them.
  fileprivate var fields: KeyValuePairs<String, (any FieldValue)?> {
    switch self {
    case .submit(let name, let values): ["name": name, "values": values.json]
    case .dismiss: [:]
    case .snooze(let period):
      ["seconds": period?.seconds, "months": period.flatMap { $0.months == 0 ? nil : $0.months }]
    case .link(.url(let url)): ["url": url]
    case .link(.subview(let id)): ["subview": id]
    case .link(.payload(let payload)): ["payload": payload.json]
    case .vote(let useful): ["useful": useful]
    }
  }

  fileprivate init(
    _ name: ActionName, _ fields: ObjectDecoder, in field: JSONField
  ) throws(EngagementError) {
    switch name {
    case .submit:
      self = .submit(name: try fields.read("name"), values: try fields.read("values") ?? [:])
    case .dismiss: self = .dismiss
    case .snooze:
      let (seconds, months): (Int?, Int?) = (
        try fields.read("seconds"), try fields.read("months")
      )
      let isPreset = seconds != nil || months != nil
      self = .snooze(
        isPreset ? CardButton.SnoozePeriod(months: months ?? 0, seconds: seconds ?? 0) : nil)
    case .link: self = .link(try CardButton.Link(fields, in: field))
    case .vote: self = .vote(useful: try fields.require("useful"))
    }
  }
}

extension CardButton.Link {
  fileprivate init(_ fields: ObjectDecoder, in field: JSONField) throws(EngagementError) {
    if let url: String = try fields.read("url") {
      self = .url(url)
    } else if let id: String = try fields.read("subview") {
      self = .subview(id)
    } else if let payload: JSONObject = try fields.read("payload") {
      self = .payload(payload)
    } else {
      throw field.fault("a link with url, subview or payload")
    }
  }
}
