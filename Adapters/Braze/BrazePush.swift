public import EngagementAdapterAPI
import EngagementFormats
import EngagementJSON
public import EngagementModel

extension BrazeAdapter {
  /// A payload of APNs is this vendor's when its `ab` is an object with something in it, one of
  /// FCM when it has an `_ab`. A card inside it is kept like one of a sync.
  public func received(_ push: JSON, in context: AdapterContext) -> Received? {
    if let own = push["ab"]?.object, !own.isEmpty {
      return received(BrazeAPNs(push, own).notification(of: vendor), own, in: context)
    }
    guard let data = push.object, BrazeFCM.isOwn(data) else { return nil }
    return received(BrazeFCM(data).notification(of: vendor), data, in: context)
  }

  private func received(
    _ notification: PushNotification, _ own: JSONObject, in context: AdapterContext
  ) -> Received {
    guard let card = card(in: own) else { return Received(notification) }
    var notification = notification
    notification.itemID = card.id
    // A card that comes while the feed is switched off would be the only one in it.
    guard BrazeMemory(context.values).cardsEnabled != false else { return Received(notification) }
    return Received(notification, changes: BrazeSync([card], isFull: false).changes)
  }

  /// The card that travels with a push, as an object or as the text of one.
  private func card(in own: JSONObject) -> RawItem? {
    let bytes: [UInt8]
    switch own["ab_cd"] {
    case .string(let text)?: bytes = Array(text.utf8)
    case .object(let object)?: bytes = JSON.object(object).encoded()
    default: return nil
    }
    var item = RawItem(index: 0, bytes: bytes[...])
    guard let id = try? JSONFields(item).string("id"), !id.isEmpty else { return nil }
    item.id = id
    return item
  }
}

/// A payload as Apple's service brings it.
private struct BrazeAPNs {
  private let push: JSON
  private let own: JSONObject

  /// The vendor's own keys at the top of a payload; what is left is the campaign author's.
  private static let ownKeys = [
    "aps", "ab", "ab_uri", "ab_use_webview", "ab_push_fetch_test_triggers_key",
    "appboy_uninstall_tracking",
  ]

  init(_ push: JSON, _ own: JSONObject) {
    self.push = push
    self.own = own
  }

  func notification(of vendor: Vendor) -> PushNotification {
    var notification = PushNotification(vendor: vendor)
    setTexts(of: &notification, from: push["aps"])
    notification.deepLink = VendorURL.checked(push["ab_uri"]?.string)
    notification.mediaURL = VendorURL.checked(own["att"]?["url"]?.string)
    notification.category = push["aps"]?["category"]?.string ?? own["ab_cat"]?.string
    notification.custom = custom
    notification.detail = BrazePushDetail.members(webView: push["ab_use_webview"])
    return notification
  }

  private func setTexts(of notification: inout PushNotification, from aps: JSON?) {
    let alert = aps?["alert"]
    notification.title = alert?["title"]?.string
    notification.subtitle = alert?["subtitle"]?.string
    notification.body = alert?["body"]?.string ?? alert?.string
    notification.sound = aps?["sound"]?.string ?? aps?["sound"]?["name"]?.string
    notification.badge = aps?["badge"]?.integer.flatMap { Int(exactly: $0) }
    notification.silent = BrazePushDetail.flag(aps?["content-available"]) && alert == nil
  }

  private var custom: JSONObject {
    JSONObject(
      uniqueMembers: push.object?.members.filter { !Self.ownKeys.contains($0.key) } ?? [])
  }
}

/// A payload as Google's service brings it: every value is text.
private struct BrazeFCM {
  private let data: JSONObject

  init(_ data: JSONObject) { self.data = data }

  static func isOwn(_ data: JSONObject) -> Bool { BrazePushDetail.flag(data["_ab"]) }

  func notification(of vendor: Vendor) -> PushNotification {
    var notification = PushNotification(vendor: vendor)
    notification.title = text("t")
    notification.subtitle = text("s")
    notification.body = text("a")
    notification.sound = text("sd")
    notification.deepLink = VendorURL.checked(text("uri"))
    notification.mediaURL = VendorURL.checked(text("appboy_image_url"))
    notification.category = text("ab_ct")
    notification.silent = notification.title == nil && notification.body == nil
    notification.custom = extras
    notification.detail = BrazePushDetail.members(webView: data["ab_use_webview"])
    return notification
  }

  private func text(_ key: String) -> String? {
    data[key]?.string.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// What the campaign's author put beside the message, an object or the text of one.
  private var extras: JSONObject {
    switch data["extra"] {
    case .object(let object)?: object
    case .string(let text)?: (try? JSON(parsing: Array(text.utf8)))?.object ?? [:]
    default: [:]
    }
  }
}

/// What both services' payloads have.
private enum BrazePushDetail {
  /// Whether the link opens inside the application, where the sender says so.
  static func members(webView: JSON?) -> JSONObject {
    flag(webView) ? ["opensInWebView": true] : [:]
  }

  /// A truth value, a number or the text of either: FCM has only texts.
  static func flag(_ value: JSON?) -> Bool {
    value?.bool ?? (value?.integer == 1 || value?.string == "true" || value?.string == "1")
  }
}
