import EngagementAdapterAPI
import EngagementJSON
import EngagementModel

/// The feed of messages that arrive with other answers. They exist only on this device, in no list of
/// the vendor.
enum CleverTapFeed {
  static let messagesHere = Feed(.inbox, in: "device")
}

/// The body of an answer. Its lists have unmapped items. Members of a wrong type count as absent.
struct CleverTapReply {
  private(set) var isEmpty = true
  private(set) var lists: [String: [RawItem]] = [:]
  private(set) var arp: JSONObject?
  private(set) var guid: String?
  private(set) var i: Int64?
  private(set) var j: Int64?
  /// `CS` if the device has the campaigns that it evaluates, `SS` if it has only their conditions and
  /// the vendor sends what is due, `NO_MODE` if neither.
  private(set) var deliveryMode: String?
  /// How many campaigns a user may see in a session and in a day.
  private(set) var perSession: Int?
  private(set) var perDay: Int?
  /// The ids of removed campaigns.
  private(set) var staleCampaigns: [String] = []

  /// The members that contain lists of items.
  enum List {
    static let messagesHere = "inbox_notifs"
    static let messages = "inbox_notifs_v2"
    static let campaigns = "inapp_notifs_cs"
    static let due = "inapp_notifs"
    static let dueAtLaunch = "inapp_notifs_applaunched"
    static let announced = "inapp_notifs_ss"
    static let all: Set<String> = [
      messagesHere, messages, campaigns, due, dueAtLaunch, announced,
    ]
  }

  /// Throws if the body is not an object; an empty body has no members.
  ///
  /// The vendor's clients accept any 200 as a success, and the host for view events answers with an
  /// empty body.
  init(_ body: [UInt8]) throws(JSONFault) {
    guard !body.isEmpty else { return }
    var cursor = JSONCursor(body)
    guard try cursor.enterObject() else { throw JSONFault(.notAnObject, at: 0) }
    while let key = try cursor.nextKey() {
      isEmpty = false
      do throws(JSONFault) {
        try read(key.text, &cursor)
      } catch  where !error.isStructural {
        // A faulty value affects only its own member.
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
    case "imc": perSession = try cursor.integer().flatMap(Int.init(exactly:))
    case "imp": perDay = try cursor.integer().flatMap(Int.init(exactly:))
    case "inapp_delivery_mode": deliveryMode = try cursor.string()
    case "inapp_stale": staleCampaigns = try cursor.json().array?.compactMap(\.campaignID) ?? []
    default: try cursor.skip()
    }
  }
}

extension JSON {
  /// The vendor writes ids of campaigns as numbers or as texts.
  var campaignID: String? {
    switch self {
    case .string(let text): text.isEmpty ? nil : text
    case .integer(let number): String(number)
    case .null, .bool, .number, .array, .object: nil
    }
  }
}
