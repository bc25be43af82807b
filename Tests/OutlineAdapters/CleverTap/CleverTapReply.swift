import EngagementAdapterAPI
import EngagementJSON
import EngagementModel

/// The lists that the vendor's items go to.
///
/// Messages that come with answers live on this device alone and are in no list of the vendor's;
/// campaigns that are due now come one by one, beside the list that is evaluated here.
enum CleverTapFeed {
  static let messagesHere = Feed(.inbox, in: "device")
  static let due = Feed(.campaigns, in: "due")
}

/// The body of an answer, its lists split and not mapped. Members of another type count as absent.
struct CleverTapReply {
  private(set) var lists: [String: [RawItem]] = [:]
  private(set) var arp: JSONObject?
  private(set) var guid: String?
  private(set) var i: Int64?
  private(set) var j: Int64?
  /// `CS` for campaigns that are evaluated here, `SS` for those that the vendor sends when due.
  private(set) var deliveryMode: String?
  /// Campaigns that are no more.
  private(set) var staleCampaigns: [String] = []

  /// The members that hold lists of items.
  enum List {
    static let messagesHere = "inbox_notifs"
    static let messages = "inbox_notifs_v2"
    static let campaigns = "inapp_notifs_cs"
    static let due = "inapp_notifs"
    static let dueAtLaunch = "inapp_notifs_applaunched"
    static let all: Set<String> = [messagesHere, messages, campaigns, due, dueAtLaunch]
  }

  /// Throws for a body that is no object; an empty one is one without members.
  ///
  /// The vendor's clients take any 200 for a success, and the host for what was viewed has nothing
  /// to say.
  init(_ body: [UInt8]) throws(JSONFault) {
    guard !body.isEmpty else { return }
    var cursor = JSONCursor(body)
    guard try cursor.enterObject() else { throw JSONFault(.notAnObject, at: 0) }
    while let key = try cursor.nextKey() {
      do throws(JSONFault) {
        try read(key.text, &cursor)
      } catch  where !error.isStructural {
        // A value that cannot be read costs only itself.
      }
    }
    try cursor.finish()
  }

  private mutating func read(_ key: String, _ cursor: inout JSONCursor) throws(JSONFault) {
    switch key {
    case _ where List.all.contains(key): lists[key] = try cursor.items()
    case "arp": arp = try cursor.json().object
    case "g": guid = try cursor.string().flatMap { $0.isEmpty ? nil : $0 }
    case "_i": i = try cursor.integer()
    case "_j": j = try cursor.integer()
    case "inapp_delivery_mode": deliveryMode = try cursor.string()
    case "inapp_stale": staleCampaigns = try cursor.json().array?.compactMap(\.campaignID) ?? []
    default: break
    }
  }
}

extension JSON {
  /// The vendor writes its ids of campaigns as numbers and as texts.
  var campaignID: String? {
    switch self {
    case .string(let text): text.isEmpty ? nil : text
    case .integer(let number): String(number)
    default: nil
    }
  }
}
