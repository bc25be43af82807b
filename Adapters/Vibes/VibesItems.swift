import EngagementFormats
import EngagementJSON
import EngagementModel

/// Maps a message's bytes. The README's table lists the effect of each absent or invalid field, and
/// a test checks the table.
enum VibesItems {
  static let uid: JSONKey = "message_uid"

  static func message(in item: RawItem) throws(EngagementError) -> InboxMessage {
    let fields = try fields(of: item)
    guard let id = fields.string(uid), isUsable(id) else { throw lacks("message_uid") }
    guard let content = fields.string("content") else { throw lacks("content") }
    // The store replaces the provider with the application's id for it.
    var message = InboxMessage(ItemID("vibes", id), vendor: "vibes")
    message.text = content
    message.subject = fields.text("subject")
    // With an empty key, all messages without a real key would replace each other.
    message.collapseKey = fields.text("collapse_key")
    message.detailURLText = VendorURL.checked(fields.string("detail"))
    let images = fields.fields("images")
    message.iconURLText = VendorURL.checked(images?.string("icon"))
    message.imageURLText = VendorURL.checked(images?.string("main"))
    message.isRead = fields.flag("read") ?? false
    message.createdAt = fields.string("created_at").flatMap(ISO8601.date(from:))
    message.expiresAt = fields.string("expires_at").flatMap(ISO8601.date(from:))
    message.custom = fields.json("inbox_custom_data").flatMap(VibesLooseObject.read) ?? [:]
    message.handle = handle(fields)
    return message
  }

  /// Whether the id works as a path segment, which `.` and `..` do not.
  static func isUsable(_ id: String) -> Bool { !["", ".", ".."].contains(id) }

  /// The id in a path. The vendor's clients put it there as it is, also with slashes; a part that a
  /// server would resolve is encoded with the rest.
  static func segments(of id: String) -> [String] {
    let parts = id.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    return parts.allSatisfy(isUsable) ? parts : [id]
  }

  private static func fields(of item: RawItem) throws(EngagementError) -> JSONFields {
    do throws(JSONFault) { return try JSONFields(item) } catch { throw EngagementError(error) }
  }

  // These two names are in camel case, unlike all other names of the interface.
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
  /// The member as a string; nil if it is empty.
  func text(_ key: JSONKey) -> String? { string(key).flatMap { $0.isEmpty ? nil : $0 } }
}
