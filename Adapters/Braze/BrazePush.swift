public import EngagementAdapterAPI
import EngagementFormats
import EngagementJSON
public import EngagementModel

extension BrazeAdapter {
  /// Recognises an APNs payload by a non-empty `ab` object and an FCM payload by a true `_ab`. A
  /// card in the payload is cached like one from a sync, if it is for the context's user.
  public func received(_ push: JSON, in context: AdapterContext) -> Received? {
    if let own = push["ab"]?.object, !own.isEmpty {
      let owners = [own[Self.cardOwner], push[Self.cardOwner]]
      return received(BrazeAPNs(push, own).notification(of: vendor), own, owners, in: context)
    }
    guard let data = push.object, BrazeFCM.isOwn(data) else { return nil }
    let notification = BrazeFCM(data).notification(of: vendor)
    return received(notification, data, [data[Self.cardOwner]], in: context)
  }

  /// The member with the id of the user whom the card is for. For APNs its place is not published.
  private static let cardOwner = "ab_cd_uid"

  private func received(
    _ notification: PushNotification, _ own: JSONObject, _ owners: [JSON?],
    in context: AdapterContext
  ) -> Received {
    // The push may come after its user has signed out on this device.
    guard owners.allSatisfy({ Self.names(context.user, $0) }), let card = card(in: own) else {
      return Received(notification)
    }
    var notification = notification
    notification.itemID = card.id
    // While the feed is switched off, this card would be the only one in it.
    guard BrazeMemory(context.values).cardsEnabled != false else { return Received(notification) }
    return Received(notification, changes: BrazeSync([card], isFull: false).changes)
  }

  /// Whether the member names the user. One that is absent names everybody.
  private static func names(_ user: User, _ owner: JSON?) -> Bool {
    switch owner {
    case .null?, nil, .string("")?: true
    case .string(let id)?: user.id?.rawValue.hasSameBytes(as: id) ?? false
    case .integer(let id)?: user.id?.rawValue.hasSameBytes(as: String(id)) ?? false
    case .bool?, .number?, .array?, .object?: false
    }
  }

  /// The card in a push, from an object or its text.
  private func card(in own: JSONObject) -> RawItem? {
    let bytes: [UInt8]
    switch own["ab_cd"] {
    case .string(let text)?: bytes = Array(text.utf8)
    case .object(let object)?: bytes = JSON.object(object).encoded()
    case .null?, .bool?, .integer?, .number?, .array?, nil: return nil
    }
    var item = RawItem(index: 0, bytes: bytes[...])
    guard let id = try? JSONFields(item).string("id"), !id.isEmpty else { return nil }
    item.id = id
    return item
  }
}

/// A payload from APNs.
private struct BrazeAPNs {
  private let push: JSON
  private let own: JSONObject

  /// The vendor's own top-level keys. All other keys belong to the campaign's author.
  private static let ownKeys = [
    "aps", "ab", "ab_uri", "ab_use_webview", "ab_push_fetch_test_triggers_key", "ab_cd_uid",
    BrazePushDetail.uninstallTracking,
  ]

  init(_ push: JSON, _ own: JSONObject) {
    self.push = push
    self.own = own
  }

  func notification(of vendor: Vendor) -> PushNotification {
    var notification = PushNotification(vendor: vendor)
    setTexts(of: &notification, from: push["aps"])
    notification.deepLinkText = BrazeLink.checked(push["ab_uri"]?.string)
    notification.mediaURLText = VendorURL.checked(own["att"]?["url"]?.string)
    notification.category = push["aps"]?["category"]?.string ?? own["ab_cat"]?.string
    notification.custom = custom
    notification.detail = BrazePushDetail.members(webView: push["ab_use_webview"])
    notification.isInternal = BrazePushDetail.tracksUninstalls(push.object, own)
    return notification
  }

  private func setTexts(of notification: inout PushNotification, from aps: JSON?) {
    let alert = aps?["alert"]
    notification.title = alert?["title"]?.string
    notification.subtitle = alert?["subtitle"]?.string
    notification.body = alert?["body"]?.string ?? alert?.string
    notification.sound = aps?["sound"]?.string ?? aps?["sound"]?["name"]?.string
    notification.badge = aps?["badge"]?.integer.flatMap { Int(exactly: $0) }
    notification.isSilent = BrazePushDetail.flag(aps?["content-available"]) && alert == nil
  }

  private var custom: JSONObject {
    JSONObject(
      uniqueMembers: push.object?.members.filter { !Self.ownKeys.contains($0.key) } ?? [])
  }
}

/// A payload from FCM, in which every value is a text.
private struct BrazeFCM {
  private let data: JSONObject
  /// Key-value pairs that the campaign's author added to the message, with some of the vendor's.
  private let extra: JSONObject

  init(_ data: JSONObject) {
    self.data = data
    extra = Self.extra(in: data)
  }

  static func isOwn(_ data: JSONObject) -> Bool { BrazePushDetail.flag(data["_ab"]) }

  func notification(of vendor: Vendor) -> PushNotification {
    var notification = PushNotification(vendor: vendor)
    notification.title = text("t")
    notification.subtitle = text("s")
    notification.body = text("a")
    notification.sound = text("sd").map { $0 == "d" ? "default" : $0 }
    notification.badge = text("ab_bc").flatMap { Int($0) }
    notification.deepLinkText = BrazeLink.checked(text("uri"))
    notification.mediaURLText = VendorURL.checked(image)
    notification.category = text("ab_ct")
    notification.campaignID = text("cid")
    notification.isSilent = notification.title == nil && notification.body == nil
    notification.isInternal = BrazePushDetail.tracksUninstalls(data, extra)
    notification.custom = extra.without([Self.oldImage, BrazePushDetail.uninstallTracking])
    notification.detail = BrazePushDetail.members(
      webView: data["ab_use_webview"], channel: text("ab_nc"))
    return notification
  }

  /// Older clients read the image from `extra`, or beside it where the service has no `extra`.
  private static let oldImage = "appboy_image_url"

  private var image: String? {
    text("ab_iu") ?? extra[Self.oldImage]?.string ?? text(Self.oldImage)
  }

  private func text(_ key: String) -> String? {
    data[key]?.string.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Reads an object or its text.
  private static func extra(in data: JSONObject) -> JSONObject {
    switch data["extra"] {
    case .object(let object)?: object
    case .string(let text)?: (try? JSON(parsing: Array(text.utf8)))?.object ?? [:]
    case .null?, .bool?, .integer?, .number?, .array?, nil: [:]
    }
  }
}

/// The part that both services' payloads share.
private enum BrazePushDetail {
  static let uninstallTracking = "appboy_uninstall_tracking"

  /// Whether the link opens inside the application and which channel shows the push, if the sender
  /// says so.
  static func members(webView: JSON?, channel: String? = nil) -> JSONObject {
    var members = JSONObject()
    if flag(webView) { members["opensInWebView"] = true }
    members["channel"] = channel.map(JSON.string)
    return members
  }

  /// Whether one of the objects has the vendor's mark of a push that only finds uninstalled
  /// applications.
  static func tracksUninstalls(_ objects: JSONObject?...) -> Bool {
    objects.contains { object in
      switch object?[uninstallTracking] {
      case .null?, nil: false
      case .bool?, .integer?, .number?, .string?, .array?, .object?: true
      }
    }
  }

  /// Reads a Boolean, a number or the text of either, because FCM has only texts.
  static func flag(_ value: JSON?) -> Bool {
    value?.bool ?? (value?.integer == 1 || value?.string == "true" || value?.string == "1")
  }
}
