import EngagementModel

/// Writes changes to a person with the vendor's names.
///
/// | neutral | vendor |
/// |---|---|
/// | `externalID` `name` `email` `phone` | `Identity` `Name` `Email` `Phone` |
/// | `city` `region` `country` | properties of these names |
/// | `notifications` | `MSG-push` |
/// | `custom`: a null | `{"$delete": true}` |
/// | `custom`: an object with one of the vendor's commands | unchanged |
/// | `custom`: a list | `{"$set": […]}` |
/// | `timeFrames` | unsupported |
enum CleverTapProfile {
  private static let commands: Set<String> = [
    "$set", "$add", "$remove", "$incr", "$decr", "$delete",
  ]

  /// The person's identity. It is never shortened or cleaned, because that could give two persons
  /// the same identity.
  static func identity(_ id: UserID) throws(EngagementError) -> JSONObject {
    guard !id.rawValue.isEmpty,
      CleverTapLimits.text.cleaned(id.rawValue).hasSameBytes(as: id.rawValue)
    else {
      throw EngagementError(
        .invalidArgument,
        "CleverTap takes a person's id of 1 to 1024 characters without quotes and backslashes.")
    }
    return ["Identity": .string(id.rawValue)]
  }

  /// Throws `unsupported` if the vendor has no such field and `invalidArgument` if it would refuse
  /// the update.
  static func members(of update: PersonUpdate) throws(EngagementError) -> JSONObject {
    guard update.timeFrames?.isEmpty ?? true else {
      throw EngagementError(.unsupported, "CleverTap has no times of day for notifications.")
    }
    var members = JSONObject()
    if let id = update.externalID { members = try identity(UserID(id)) }
    let texts = [
      ("Name", update.name), ("Email", update.email), ("Phone", update.phone),
      ("City", update.city), ("Region", update.region), ("Country", update.country),
    ]
    for (name, text) in texts {
      members[name] = text.flatMap { CleverTapLimits.cleaned(.string($0)) }
    }
    members["MSG-push"] = update.notifications.map(JSON.bool)
    for member in update.custom.members {
      let key = CleverTapLimits.key.cleaned(member.key)
      guard !key.isEmpty else {
        throw EngagementError(.invalidArgument, "A custom field has no name that can be sent.")
      }
      members[key] = try value(member.value, of: key)
    }
    guard !members.isEmpty else {
      throw EngagementError(.invalidArgument, "There is nothing to update.")
    }
    return members
  }

  private static func value(_ value: JSON, of key: String) throws(EngagementError) -> JSON? {
    switch value {
    case .null: return ["$delete": true]
    case .array where CleverTapLimits.holdsOneValue(key):
      throw EngagementError(.invalidArgument, "CleverTap keeps one value, and no list, in \(key).")
    case .array: return CleverTapLimits.cleaned(value).map { ["$set": $0] }
    case .object(let object):
      guard let command = command(in: object) else { return CleverTapLimits.cleaned(value) }
      let isOfList = ["$set", "$add", "$remove"].contains(command.name)
      guard !CleverTapLimits.holdsOneValue(key) || !isOfList else {
        throw EngagementError(
          .invalidArgument, "CleverTap keeps one value, and no list, in \(key).")
      }
      return CleverTapLimits.cleaned(command.operand).map { .object([command.name: $0]) }
    case .bool, .integer, .number, .string: return CleverTapLimits.cleaned(value)
    }
  }

  /// The vendor's command that an object is; nil for any other object.
  static func command(in object: JSONObject) -> (name: String, operand: JSON)? {
    guard object.count == 1, let member = object.members.first, commands.contains(member.key) else {
      return nil
    }
    return (member.key, member.value)
  }

  /// Opts a person out of all collection and messages, or back in.
  static func optOut(_ value: Bool) -> JSONObject {
    ["ct_optout": .bool(value), "ct_allow_sys_events_and_communication": .bool(!value)]
  }
}
