public import EngagementAdapterAPI
import EngagementFormats
import EngagementJSON
public import EngagementModel

extension BrazeAdapter {
  /// Recognises an APNs payload by a non-empty `ab` object and an FCM payload by a true `_ab`. A
  /// card in the payload is cached like one from a sync.
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
    // While the feed is switched off, this card would be the only one in it.
    guard BrazeMemory(context.values).cardsEnabled != false else { return Received(notification) }
    return Received(notification, changes: BrazeSync([card], isFull: false).changes)
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
    notification.deepLinkText = VendorURL.checked(push["ab_uri"]?.string)
    notification.mediaURLText = VendorURL.checked(own["att"]?["url"]?.string)
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

  init(_ data: JSONObject) { self.data = data }

  static func isOwn(_ data: JSONObject) -> Bool { BrazePushDetail.flag(data["_ab"]) }

  func notification(of vendor: Vendor) -> PushNotification {
    var notification = PushNotification(vendor: vendor)
    notification.title = text("t")
    notification.subtitle = text("s")
    notification.body = text("a")
    notification.sound = text("sd")
    notification.deepLinkText = VendorURL.checked(text("uri"))
    notification.mediaURLText = VendorURL.checked(text("appboy_image_url"))
    notification.category = text("ab_ct")
    notification.isSilent = notification.title == nil && notification.body == nil
    notification.custom = extras
    notification.detail = BrazePushDetail.members(webView: data["ab_use_webview"])
    return notification
  }

  private func text(_ key: String) -> String? {
    data[key]?.string.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Key-value pairs that the campaign's author added to the message, from an object or its text.
  private var extras: JSONObject {
    switch data["extra"] {
    case .object(let object)?: object
    case .string(let text)?: (try? JSON(parsing: Array(text.utf8)))?.object ?? [:]
    case .null?, .bool?, .integer?, .number?, .array?, nil: [:]
    }
  }
}

/// The part that both services' payloads share.
private enum BrazePushDetail {
  /// Whether the link opens inside the application, if the sender says so.
  static func members(webView: JSON?) -> JSONObject {
    flag(webView) ? ["opensInWebView": true] : [:]
  }

  /// Reads a Boolean, a number or the text of either, because FCM has only texts.
  static func flag(_ value: JSON?) -> Bool {
    value?.bool ?? (value?.integer == 1 || value?.string == "true" || value?.string == "1")
  }
}
