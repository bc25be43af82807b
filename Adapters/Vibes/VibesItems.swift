import EngagementFormats
import EngagementJSON
import EngagementModel

/// A message of the inbox out of its bytes. The README's table says what becomes of each field
/// that is not as it should be; a test holds it.
enum VibesItems {
  static let uid: JSONKey = "message_uid"

  static func message(
    in item: RawItem, of provider: ProviderID
  ) throws(EngagementError) -> InboxMessage {
    let fields = try fields(of: item)
    guard let id = fields.string(uid), isUsable(id) else { throw lacks("message_uid") }
    guard let content = fields.string("content") else { throw lacks("content") }
    var message = InboxMessage(ItemID(provider, id), vendor: "vibes")
    message.text = content
    message.subject = fields.text("subject")
    // An empty key would have all who share it replace one another.
    message.collapseKey = fields.text("collapse_key")
    message.detailURL = VendorURL.checked(fields.string("detail"))
    let images = fields.fields("images")
    message.iconURL = VendorURL.checked(images?.string("icon"))
    message.imageURL = VendorURL.checked(images?.string("main"))
    message.read = fields.flag("read") ?? false
    message.createdAt = fields.string("created_at").flatMap(ISO8601.date(from:))
    message.expiresAt = fields.string("expires_at").flatMap(ISO8601.date(from:))
    message.custom = fields.json("inbox_custom_data").flatMap(VibesLooseObject.read) ?? [:]
    message.handle = handle(fields)
    return message
  }

  /// Whether the vendor's id can stand in a path and mean itself.
  static func isUsable(_ id: String) -> Bool { !["", ".", ".."].contains(id) }

  private static func fields(of item: RawItem) throws(EngagementError) -> JSONFields {
    do throws(JSONFault) { return try JSONFields(item) } catch { throw EngagementError(error) }
  }

  // These two names are in camel case, in an interface that has none elsewhere.
  private static func handle(_ fields: JSONFields) -> JSONObject {
    let reference = fields.fields("apprefdata")
    return VibesHandle.make(
      type: reference?.string("activityType"), uid: reference?.string("activityUid"))
  }

  private static func lacks(_ field: String) -> EngagementError {
    EngagementError(.malformedResponse, "A message has no \(field).")
  }
}

extension JSONFields {
  /// The member, a string with something in it.
  func text(_ key: JSONKey) -> String? { string(key).flatMap { $0.isEmpty ? nil : $0 } }
}
