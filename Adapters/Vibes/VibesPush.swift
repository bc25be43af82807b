import EngagementAdapterAPI
import EngagementModel

/// A push of this vendor, in one form for both services.
///
/// None of its keys contains the vendor's name, so the adapter declares no mark and the kit asks it
/// last.
struct VibesPush {
  private let payload: JSONObject
  private let app: JSONObject
  private let custom: JSONObject
  /// The part for APNs; nil for FCM, whose values are all texts.
  private let aps: JSONObject?

  /// Nil if the payload is not from this vendor.
  init?(_ push: JSON) {
    guard let payload = push.object else { return nil }
    self.payload = payload
    aps = payload["aps"]?.object
    app = payload["client_app_data"].flatMap(VibesLooseObject.read) ?? [:]
    custom = payload["client_custom_data"].flatMap(VibesLooseObject.read) ?? [:]
    guard messageID != nil || migrationToken != nil else { return nil }
  }

  func received(_ configuration: VibesConfiguration, _ context: AdapterContext) -> Received {
    var received = Received(notification)
    if let id = notification.inboxMessageID { received.operations.append(.message(id)) }
    guard let token = migrationToken else { return received }
    let environment = configuration.pushEnvironment
    // A token from the system is more reliable than one from a push.
    if context.push[environment] == nil {
      received.changes.append(.pushToken(registration(token, environment)))
    }
    received.operations += [.device(.register), .registerPush(environment)]
    if let item = migrationItem {
      received.operations.append(
        .vendor(VibesCall.callback, [VibesCall.migrationItem: .string(item)]))
    }
    return received
  }

  private func registration(
    _ token: String, _ environment: PushEnvironment
  ) -> PushRegistration {
    PushRegistration(
      token: Secret(aps == nil ? token : token.lowercased()), service: aps == nil ? .fcm : .apns,
      environment: environment)
  }

  // MARK: Migration

  private var migrationItem: String? {
    custom[VibesCall.migrationItem]?.looseText?.unlessBlank
  }

  /// A token that the vendor imported from another service. The vendor wants the device to register
  /// it.
  private var migrationToken: String? {
    guard let token = custom["vibes_auto_register_token"]?.string?.unlessBlank else { return nil }
    return (aps == nil ? isSilent : migrationItem != nil) ? token : nil
  }

  // MARK: The notification

  private var notification: PushNotification {
    var notification = PushNotification(vendor: "vibes")
    notification.messageID = messageID
    notification.title = text("title")
    notification.subtitle = alert?["subtitle"]?.string
    notification.body = text("body")
    notification.deepLinkText = link("deep_link")
    notification.mediaURLText = link("media_url")
    notification.sound = sound
    notification.badge = badge
    notification.category = aps.map { $0["category"]?.string } ?? channel
    notification.isSilent = isSilent
    notification.custom = custom.without(["vibes_auto_register_token", VibesCall.migrationItem])
    notification.inboxMessageID = app["inbox_message_uid"]?.string?.unlessBlank
    notification.detail = detail
    notification.handle = VibesHandle.make(
      type: activity(VibesHandle.activityType), uid: activity(VibesHandle.activityUID))
    return notification
  }

  /// The vendor's client for Android reads a number as its text, and that for iOS only texts.
  private func activity(_ name: String) -> String? {
    aps == nil ? app[name]?.looseText : app[name]?.string
  }

  private var messageID: String? { payload["message_uid"]?.string?.unlessBlank }

  private var alert: JSON? { aps?["alert"] }

  /// The alert of APNs is an object, or only the text of the body.
  private func text(_ name: String) -> String? {
    guard aps != nil else { return payload[name]?.string }
    return alert?[name]?.string ?? (name == "body" ? alert?.string : nil)
  }

  private func link(_ name: String) -> String? { VendorURL.checked(app[name]?.string) }

  private var sound: String? {
    guard let aps else { return payload["sound"]?.string }
    return aps["sound"]?.string ?? aps["sound"]?["name"]?.string
  }

  private var badge: Int? {
    let badge = (aps ?? payload)["badge"]
    return badge?.integer.flatMap(Int.init(exactly:))
      ?? (aps == nil ? badge?.string.flatMap { Int($0) } : nil)
  }

  private var channel: String? {
    payload["notification_channel"]?.string ?? payload["click_action"]?.string
  }

  private var isSilent: Bool {
    guard let aps else {
      let flag = payload["silent_push"]
      return flag?.bool ?? (flag?.string?.lowercased() == "true")
    }
    let isShown = alert.map { $0 != .null && $0 != "" && $0 != [:] } ?? false
    let isWaking = aps["content-available"].map { $0 == true || $0.integer == 1 } ?? false
    return isWaking && !isShown
  }

  /// Further data of the vendor, under its own names.
  private var detail: JSONObject {
    var detail = app.without(
      ["deep_link", "media_url", "inbox_message_uid"] + VibesHandle.names)
    // A later notification with the same id replaces this one.
    detail["vibes_collapse_id"] = payload["vibes_collapse_id"]
    return detail
  }
}

extension JSON {
  /// A text, or a number as one.
  fileprivate var looseText: String? { string ?? integer.map { String($0) } }
}

extension String {
  fileprivate var unlessBlank: String? { utf8.allSatisfy { $0 <= 0x20 } ? nil : self }
}
