import EngagementModel

/// What an item or a push asks to be told again when something is done to it.
struct CleverTapHandle {
  static let prefix = "wzrk_"

  /// The members whose names begin with `wzrk_`, as they came.
  var campaign: JSONObject
  /// Whether the vendor keeps the message, so that it is named by its id too.
  var isOnServer = false
  /// Whether the message had been read when it came.
  var wasRead = false

  init(members: [JSONObject.Member]) {
    let own = members.filter { $0.key.utf8.starts(with: Self.prefix.utf8) && $0.value.isPlain }
    campaign = JSONObject(uniqueMembers: own)
  }

  init(_ handle: JSONObject) {
    campaign = handle["campaign"]?.object ?? [:]
    isOnServer = handle["server"]?.bool ?? false
    wasRead = handle["read"]?.bool ?? false
  }

  /// Only what is true.
  var json: JSONObject {
    var object: JSONObject = ["campaign": .object(campaign)]
    if isOnServer { object["server"] = true }
    if wasRead { object["read"] = true }
    return object
  }

  /// Whether the push is to be reported when it arrives.
  var asksForReceipt: Bool {
    switch campaign["wzrk_rnv"] {
    case .bool(let value)?: value
    case .string(let text)?: text.lowercased() == "true"
    default: false
    }
  }
}

extension JSON {
  /// Whether it is neither a list nor an object nor nothing.
  fileprivate var isPlain: Bool {
    switch self {
    case .bool, .integer, .number, .string: true
    case .null, .array, .object: false
    }
  }
}
