import EngagementModel

/// A push of this vendor, in one form for both services.
///
/// | field | absent | wrong type | unknown value |
/// |---|---|---|---|
/// | any `wzrk_…` or `W$…` | not this vendor's | | |
/// | `wzrk_acct_id` | this account's | as if absent | another account's |
/// | `wzrk_pid`, else `wzrk_id` | no message id | none; a number as its digits | |
/// | `wzrk_id` | no campaign id | none; a number as its digits | |
/// | `aps.alert`, `nt`, `nm` | no text | none | any text |
/// | `wzrk_dl`, `wzrk_bp`, `ct_mediaUrl` | none | none | dropped where it can run code |
/// | `wzrk_pn_s`, `aps.content-available` | shown | shown | only true, `"true"` and 1 are silent |
struct CleverTapPush {
  private let payload: JSONObject
  private let aps: JSONObject?

  private static let legacyPrefix = "W$"
  /// Members that are mapped and are not custom values of the campaign's author.
  private static let known: Set<String> = ["aps", "nt", "nm", "ct_mediaUrl", "ct_ContentType"]

  /// Nil if the payload is not from this vendor, or names another account.
  init?(_ push: JSON, accountID: String) {
    guard let object = push.object else { return nil }
    let members = object.members.map(Self.renamed)
    guard members.contains(where: Self.isOwn) else { return nil }
    payload = JSONObject(firstOfEach: members)
    if let account = payload["wzrk_acct_id"]?.string, !account.hasSameBytes(as: accountID) {
      return nil
    }
    aps = payload["aps"]?.object
  }

  var notification: PushNotification {
    var notification = PushNotification(vendor: "clevertap")
    notification.messageID =
      payload["wzrk_pid"]?.campaignID ?? payload["wzrk_id"]?.campaignID
    notification.campaignID = payload["wzrk_id"]?.campaignID
    notification.title = alert?["title"]?.string ?? payload["nt"]?.string
    notification.subtitle = alert?["subtitle"]?.string
    notification.body = alert?["body"]?.string ?? alert?.string ?? payload["nm"]?.string
    notification.deepLinkText = VendorURL.checked(payload["wzrk_dl"]?.string)
    notification.mediaURLText = VendorURL.checked(
      payload["ct_mediaUrl"]?.string ?? payload["wzrk_bp"]?.string)
    notification.sound = aps?["sound"]?.string ?? payload["wzrk_sound"]?.string
    notification.badge = aps?["badge"]?.integer.flatMap(Int.init(exactly:))
    notification.category = aps?["category"]?.string ?? payload["wzrk_cid"]?.string
    notification.isSilent = isSilent
    notification.custom = custom
    notification.handle = CleverTapHandle(members: payload.members).json
    return notification
  }

  private var alert: JSON? { aps?["alert"] }

  private var isSilent: Bool {
    if [true, "true", 1].contains(payload["wzrk_pn_s"]) { return true }
    let isShown = alert.map { $0 != .null && $0 != "" && $0 != [:] } ?? false
    return aps?["content-available"]?.integer == 1 && !isShown
  }

  private var custom: JSONObject {
    JSONObject(
      uniqueMembers: payload.members.filter { member in
        !Self.known.contains(member.key) && !Self.isOwn(member)
      })
  }

  private static func isOwn(_ member: JSONObject.Member) -> Bool {
    member.key.utf8.starts(with: CleverTapHandle.prefix.utf8)
  }

  /// The vendor uses two prefixes for its names.
  private static func renamed(_ member: JSONObject.Member) -> JSONObject.Member {
    guard member.key.utf8.starts(with: legacyPrefix.utf8) else { return member }
    let rest = String(member.key.dropFirst(legacyPrefix.count))
    return JSONObject.Member(CleverTapHandle.prefix + rest, member.value)
  }
}
