import EngagementModel

/// The facts about an item or a push that its events need.
struct CleverTapHandle {
  static let prefix = "wzrk_"
  /// The variant of a campaign that names none.
  static let defaultPivot: JSON = "wzrk_default"

  /// The members whose names begin with `wzrk_`, unchanged.
  var campaign: JSONObject
  /// The number of a campaign.
  var number: String?
  /// Whether the vendor stores the message, so that events also contain its id.
  var isOnServer = false
  /// Whether the message was already read when it arrived.
  var wasRead = false

  init(members: [JSONObject.Member]) {
    let own = members.filter { $0.key.utf8.starts(with: Self.prefix.utf8) && $0.value.isPlain }
    campaign = JSONObject(uniqueMembers: own)
  }

  init(_ handle: JSONObject) {
    campaign = handle["campaign"]?.object ?? [:]
    number = handle["number"]?.string
    isOnServer = handle["server"]?.bool ?? false
    wasRead = handle["read"]?.bool ?? false
  }

  /// The handle without false members.
  var json: JSONObject {
    var object: JSONObject = ["campaign": .object(campaign)]
    object["number"] = number.map(JSON.string)
    if isOnServer { object["server"] = true }
    if wasRead { object["read"] = true }
    return object
  }

  /// Whether the push brings a campaign or a message to try on one device. It belongs to no campaign
  /// whose clicks count.
  var isPreview: Bool {
    Self.previews.contains { campaign[$0] != nil }
  }

  private static let previews = ["wzrk_inapp", "wzrk_inapp_type", "wzrk_inbox", "wzrk_adunit"]

  /// Whether the push asks for a report of its arrival.
  var asksForReceipt: Bool {
    switch campaign["wzrk_rnv"] {
    case .bool(let value)?: value
    case .string(let text)?: text.lowercased() == "true"
    case .null?, .integer?, .number?, .array?, .object?, nil: false
    }
  }
}

extension JSON {
  /// Whether the value is a Boolean, a number or a text.
  fileprivate var isPlain: Bool {
    switch self {
    case .bool, .integer, .number, .string: true
    case .null, .array, .object: false
    }
  }
}
