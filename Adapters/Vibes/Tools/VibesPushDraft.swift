import EngagementJSON
import EngagementModel

/// A push that is composed.
struct VibesPushDraft {
  let uid: String
  let title: String
  let body: String
  let isSilent: Bool
  let appData: JSONObject
  let customData: JSONObject

  var apns: JSON {
    let shown: JSON = [
      "alert": ["title": .string(title), "body": .string(body)], "badge": 1,
      "sound": "default", "mutable-content": 1,
    ]
    return [
      "aps": isSilent ? ["content-available": 1] : shown, "client_app_data": .object(appData),
      "client_custom_data": .object(customData), "message_uid": .string(uid),
    ]
  }

  /// Over FCM every value is a text. Loose: the inner objects as Ruby prints them, which some
  /// senders really do.
  func fcm(isLoose: Bool) -> JSON {
    func text(_ object: JSONObject) -> JSON {
      .string(isLoose ? Self.ruby(object) : String(decoding: bytes(object), as: UTF8.self))
    }
    var payload: JSONObject = [
      "message_uid": .string(uid), "client_app_data": text(appData),
      "client_custom_data": text(customData), "priority": "high",
    ]
    if isSilent {
      payload["silent_push"] = "true"
    } else {
      payload["title"] = .string(title)
      payload["body"] = .string(body)
      payload["badge"] = "1"
    }
    return .object(payload)
  }

  private func bytes(_ object: JSONObject) -> [UInt8] { JSON.object(object).encoded() }

  private static func ruby(_ object: JSONObject) -> String {
    let members = object.members.map { member in
      let value = String(decoding: member.value.encoded(), as: UTF8.self)
      return "\"\(member.key)\"=>\(value)"
    }
    return "{\(members.joined(separator: ", "))}"
  }
}
