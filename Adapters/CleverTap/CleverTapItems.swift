import EngagementAdapterAPI
import EngagementFormats
import EngagementJSON
import EngagementModel
import EngagementPlatform

/// The messages in an answer to a batch.
struct CleverTapMessages {
  static let isRead = "isRead"

  let changes: [Change]
  /// The ids of the messages that the vendor stores.
  private(set) var onServer: [String] = []

  /// Uses messages of the vendor's own list only if the vendor stores the inbox.
  init(_ reply: CleverTapReply, isOnServer: Bool) {
    var changes: [Change] = []
    if let items = reply.lists[CleverTapReply.List.messagesHere] {
      changes.append(.items(CleverTapFeed.messagesHere, .put, Self.oldestFirst(items)))
    }
    if isOnServer, let items = reply.lists[CleverTapReply.List.messages] {
      let rules = PatchRules(onlyEverSet: [Self.isRead])
      let items = items.map { Self.identified(Self.marked($0)) }
      changes.append(.items(.inbox, .patch(rules), items))
      onServer = items.compactMap(\.id)
    }
    self.changes = changes
  }

  /// Of two messages with the same id, the newest must win, so it is last.
  private static func oldestFirst(_ items: [RawItem]) -> [RawItem] {
    items.enumerated().map { (offset: $0, date: date(of: $1), item: $1) }
      .sorted { ($0.date, $0.offset) < ($1.date, $1.offset) }.map(\.item)
  }

  private static func date(of item: RawItem) -> Double {
    (try? JSONFields(item))?.number("date") ?? .infinity
  }

  /// The message with `isRead`, which tells later that the vendor stores it.
  static func marked(_ item: RawItem) -> RawItem {
    guard item.fault == nil, let fields = try? JSONFields(item), fields.kind(of: "isRead") == nil,
      !fields.members.isEmpty
    else { return item }
    let bytes = Array(#"{"isRead":false,"#.utf8) + item.bytes.dropFirst()
    return RawItem(index: item.index, bytes: bytes[...])
  }

  private static func identified(_ item: RawItem) -> RawItem {
    var item = item
    item.id = (try? JSONFields(item))?.string("_id")
    return item
  }
}

/// Maps the bytes of an inbox message.
///
/// | field | absent | wrong type | unknown value |
/// |---|---|---|---|
/// | `_id` | set aside | set aside | empty: set aside |
/// | `msg` and everything in it | none | none | any text |
/// | `isRead` | false; the message is only on this device | false; 0 and 1 are accepted | |
/// | `date` | none: the oldest | none | none |
/// | `wzrk_ttl` | never ends | never ends | 0 or less: never ends |
/// | `wzrk_id` | `0_0`, as the vendor's client for Android has it | `0_0` | kept for events |
/// | other `wzrk_…` | left out | lists and objects are left out | kept for events |
///
/// A carousel has several contents. The message has the first one's members, and the others are its
/// further contents.
struct CleverTapItems {
  private let configuration: CleverTapConfiguration

  init(_ configuration: CleverTapConfiguration) { self.configuration = configuration }

  func message(in item: RawItem) throws(EngagementError) -> InboxMessage {
    let fields = try CleverTapItems.fields(of: item)
    guard let id = fields.nonEmptyText("_id") else {
      throw EngagementError(.malformedResponse, "A message has no id.")
    }
    var message = InboxMessage(ItemID("clevertap", id), vendor: "clevertap")
    message.isRead = fields.flag("isRead") ?? false
    message.createdAt = fields.number("date").flatMap(Epoch.date(seconds:))
    message.expiresAt = fields.positiveTime("wzrk_ttl")
    message.handle = handle(fields).json
    guard let body = fields.fields("msg") else { return message }
    message.tags = body.strings("tags") ?? []
    message.custom = custom(body)
    set(body.objects("content") ?? [], on: &message)
    return message
  }

  private func set(_ contents: [JSONFields], on message: inout InboxMessage) {
    let contents = contents.map { CleverTapContents.content($0, configuration.platform) }
    guard let first = contents.first else { return }
    message.subject = first.subject
    message.text = first.text
    message.detailURLText = first.detailURLText
    message.iconURLText = first.iconURLText
    message.imageURLText = first.imageURLText
    message.imageAlt = first.imageAlt
    message.buttons = first.buttons
    message.furtherContents = Array(contents.dropFirst())
  }

  /// The key-value pairs whose value has a text.
  private func custom(_ body: JSONFields) -> JSONObject {
    let pairs = (body.objects("custom_kv") ?? []).compactMap { pair -> JSONObject.Member? in
      guard let key = pair.nonEmptyText("key"), let text = pair.fields("value")?.string("text")
      else { return nil }
      return JSONObject.Member(key, .string(text))
    }
    return JSONObject(firstOfEach: pairs)
  }

  private func handle(_ fields: JSONFields) -> CleverTapHandle {
    var handle = CleverTapItems.handle(fields)
    handle.isOnServer = fields.kind(of: "isRead") != nil
    handle.wasRead = fields.flag("isRead") ?? false
    if handle.campaign["wzrk_id"] == nil { handle.campaign["wzrk_id"] = "0_0" }
    return handle
  }

  static func fields(of item: RawItem) throws(EngagementError) -> JSONFields {
    do throws(JSONFault) { return try JSONFields(item) } catch { throw EngagementError(error) }
  }

  /// The members that events send back to the vendor.
  static func handle(_ fields: JSONFields) -> CleverTapHandle {
    let own = fields.members.filter { $0.key.utf8.starts(with: CleverTapHandle.prefix.utf8) }
    return CleverTapHandle(
      members: own.compactMap { member in
        (try? JSON(parsing: member.value)).map { JSONObject.Member(member.key, $0) }
      })
  }
}

extension CleverTapConfiguration.Platform {
  /// The name of the member with this system's link.
  var linkKey: JSONKey {
    switch self {
    case .iOS: "ios"
    case .android: "android"
    }
  }
}

extension JSONFields {
  /// The member as a string; nil if it is empty.
  func nonEmptyText(_ key: JSONKey) -> String? { string(key).flatMap { $0.isEmpty ? nil : $0 } }

  /// The member as a time; nil unless it is after the epoch.
  func positiveTime(_ key: JSONKey) -> Date? {
    number(key).flatMap { $0 > 0 ? Epoch.date(seconds: $0) : nil }
  }
}
