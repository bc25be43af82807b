import EngagementJSON
import EngagementModel

/// A push that is composed. A push is CleverTap's if a key begins with `wzrk_`.
struct CleverTapPushDraft {
  let target: Int64
  let pushID: String
  let time: Int64
  let account: String?
  let title: String
  let body: String
  let isSilent: Bool
  /// Whether the device reports that it got the push.
  let raisesViewed: Bool
  let url: String?
  let image: String?
  let preview: (key: String, text: String)?
  let extras: JSONObject

  /// The vendor's own members; those that a service needs come on top.
  private var own: JSONObject {
    var own: JSONObject = [
      "wzrk_id": .string("\(target)_\(CleverTapSeed.day(of: time))"),
      "wzrk_pid": .string(pushID), "wzrk_pivot": "wzrk_default", "wzrk_pn": true,
      "wzrk_ttl": .integer(time + 28 * 86_400),
    ]
    own["wzrk_acct_id"] = account.map(JSON.string)
    own["wzrk_dl"] = url.map(JSON.string)
    if raisesViewed { own["wzrk_rnv"] = true }
    if isSilent { own["wzrk_pn_s"] = true }
    if let preview { own[preview.key] = .string(preview.text) }
    for extra in extras.members where own[extra.key] == nil { own[extra.key] = extra.value }
    return own
  }

  var apns: JSONObject {
    let shown: JSON = [
      "alert": ["title": .string(title), "body": .string(body)], "mutable-content": 1,
    ]
    var payload: JSONObject = ["aps": isSilent ? ["content-available": 1] : shown]
    for member in own.members where payload[member.key] == nil {
      payload[member.key] = member.value
    }
    if let image {
      payload["ct_mediaUrl"] = .string(image)
      payload["ct_mediaType"] = "image"
    }
    return payload
  }

  /// Over FCM every value is a text.
  var fcm: JSONObject {
    var payload = JSONObject()
    for member in own.members {
      payload[member.key] = .string(
        member.value.string ?? String(decoding: member.value.encoded(), as: UTF8.self))
    }
    payload["wzrk_cid"] = "harbour_news"
    if !isSilent {
      payload["nt"] = .string(title)
      payload["nm"] = .string(body)
    }
    payload["wzrk_bp"] = image.map(JSON.string)
    return payload
  }
}
