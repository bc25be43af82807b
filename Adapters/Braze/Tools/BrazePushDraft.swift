import EngagementJSON
import EngagementModel

/// A push that is composed.
struct BrazePushDraft {
  let campaign: String
  let title: String
  let body: String
  let isSilent: Bool
  let url: String?
  let usesWebView: Bool?
  /// The card that travels with it.
  let card: JSON?
  /// The user whom the card is for.
  let user: String?

  var apns: JSONObject {
    let shown: JSON = ["alert": ["title": .string(title), "body": .string(body)]]
    var own: JSONObject = ["c": .string(campaign)]
    own["ab_cd"] = card
    own["ab_cd_uid"] = user.map(JSON.string)
    var payload: JSONObject = [
      "aps": isSilent ? ["content-available": 1] : shown, "ab": .object(own),
    ]
    payload["ab_uri"] = url.map(JSON.string)
    payload["ab_use_webview"] = usesWebView.map(JSON.bool)
    return payload
  }

  /// Over FCM every value is a text.
  func fcm(with extras: JSONObject) -> JSONObject {
    var payload: JSONObject = ["_ab": "true", "cid": .string(campaign)]
    if !isSilent {
      payload["t"] = .string(title)
      payload["a"] = .string(body)
    }
    payload["uri"] = url.map(JSON.string)
    payload["ab_use_webview"] = usesWebView.map { .string("\($0)") }
    payload["ab_cd"] = card.map { .string(String(decoding: $0.encoded(), as: UTF8.self)) }
    payload["ab_cd_uid"] = user.map(JSON.string)
    if !extras.members.isEmpty {
      payload["extra"] = .string(String(decoding: JSON.object(extras).encoded(), as: UTF8.self))
    }
    return payload
  }
}
