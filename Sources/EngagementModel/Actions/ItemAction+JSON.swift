extension ItemAction {
  /// The action's name and its values as JSON.
  public var json: JSON {
    var encoder = ObjectEncoder(["name": name])
    switch self {
    case .impression, .click, .open, .read, .dismiss, .delete: break
    case .submit(let button, let values):
      encoder.append(["button": button, "values": values])
    case .snooze(let seconds): encoder.append(["seconds": seconds])
    case .vote(let useful, let reason, let message, let source):
      encoder.append(["useful": useful, "reason": reason, "message": message, "from": source])
    case .expire(let date): encoder.append(["at": date])
    }
    return encoder.json
  }

  /// Reads an action. Throws `invalidArgument`, which names the field, if the JSON is not an
  /// action.
  public init(json: JSON) throws(EngagementError) {
    let fields = try ObjectDecoder(JSONField(value: json, place: "action"))
    let name: String = try fields.require("name")
    if let plain = Self.plain[name] {
      self = plain
      return
    }
    guard let action = try Self.read(name, fields) else {
      throw EngagementError(.invalidArgument, "The field action.name names no action.")
    }
    self = action
  }

  private static let plain: [String: ItemAction] = [
    "impression": .impression, "click": .click, "open": .open, "read": .read,
    "dismiss": .dismiss, "delete": .delete,
  ]

  private static func read(
    _ name: String, _ fields: ObjectDecoder
  ) throws(EngagementError) -> ItemAction? {
    switch name {
    case "submit":
      .submit(button: try fields.read("button"), values: try fields.read("values") ?? [:])
    case "snooze": .snooze(seconds: try fields.require("seconds"))
    case "vote":
      .vote(
        useful: try fields.require("useful"), reason: try fields.read("reason"),
        message: try fields.read("message"), from: try fields.read("from"))
    case "expire": .expire(at: try fields.read("at"))
    default: nil
    }
  }
}

extension ItemAction.VoteReason: FieldValue {}
extension ItemAction.VoteSource: FieldValue {}
