import EngagementFormats
import EngagementModel

/// An element of a batch after the meta object.
enum CleverTapItem {
  private static let common = [
    "type", "ep", "s", "pg", "lsl", "f", "n", "pai", "dsync", "wzrk_error", "us", "um", "uc",
  ]
  private static let own: [String: [String]] = [
    "event": ["evtName", "evtData"], "page": ["referrer", "install", "wm"], "profile": ["profile"],
    "data": ["data"],
    "ping": ["mc", "nt", "gf", "gfSDKVersion"],
  ]

  /// The names that the vendor's own clients give to events.
  static let systemEvents: Set<String> = [
    "App Launched", "Charged", "Notification Viewed", "Notification Clicked",
    "Notification Deleted",
    "UTM Visited", "Geocluster Entered", "Geocluster Exited", "SCCampaignOptOut", "wzrk_fetch",
  ]

  /// Events that carry the vendor's own members, which no client cleans.
  static let campaignEvents: Set<String> = [
    "Notification Viewed", "Notification Clicked", "Notification Deleted",
  ]

  private static let tokenTypes = ["apns", "fcm", "hps", "bps", "xps", "baidu", "adm"]

  static func check(_ item: JSONObject) throws(CleverTapRefusal) {
    guard let type = item["type"]?.string, let members = own[type] else {
      throw CleverTapRefusal(400, "An item is none of event, page, ping, profile and data")
    }
    for member in item.members where !common.contains(member.key) && !members.contains(member.key) {
      throw CleverTapRefusal(400, "No client sends \(member.key) in an item of the type \(type)")
    }
    guard let time = item["ep"]?.integer, (1_000_000_000...9_999_999_999).contains(time) else {
      throw CleverTapRefusal(400, "The ep of an item is no time in seconds")
    }
    guard item["s"]?.integer != nil else {
      throw CleverTapRefusal(400, "The s of an item is no session")
    }
    try checkPlace(of: item)
    switch type {
    case "event": try checkEvent(item)
    case "profile":
      guard item["profile"]?.object?.isEmpty == false else {
        throw CleverTapRefusal(400, "An item of the type profile has no members in profile")
      }
    case "data": try checkToken(item["data"]?.object ?? [:])
    default: break
    }
  }

  /// The page, the length of the last session and whether this is the first one. The Android client
  /// leaves them out of the views of its pushes.
  private static func checkPlace(of item: JSONObject) throws(CleverTapRefusal) {
    let isView = item["evtName"] == "Notification Viewed"
    guard !isView || ["pg", "lsl", "f"].contains(where: { item[$0] != nil }) else { return }
    guard item["pg"]?.integer != nil, item["lsl"]?.integer != nil, item["f"]?.bool != nil else {
      throw CleverTapRefusal(400, "An item lacks pg, lsl or f")
    }
    if let error = item["wzrk_error"], error["c"]?.integer == nil || error["d"]?.string == nil {
      throw CleverTapRefusal(400, "The wzrk_error of an item has no code or no description")
    }
  }

  private static func checkEvent(_ item: JSONObject) throws(CleverTapRefusal) {
    guard let name = item["evtName"]?.string, !name.isEmpty else {
      throw CleverTapRefusal(400, "An event has no name")
    }
    guard item["evtData"].map({ $0.object != nil }) ?? true else {
      throw CleverTapRefusal(400, "The evtData of an event is no object")
    }
    if campaignEvents.contains(name), item["evtData"]?["wzrk_id"]?.string?.isEmpty != false {
      throw CleverTapRefusal(400, "\(name) does not say of which campaign")
    }
    guard name != "wzrk_fetch" else { return try checkFetch(item["evtData"] ?? [:]) }
  }

  private static func checkFetch(_ data: JSON) throws(CleverTapRefusal) {
    switch data["t"]?.integer {
    case 0, 1, 4, 5: return
    case 6 where CleverTapCampaign.id(data["tgtId"]) != nil: return
    default: throw CleverTapRefusal(400, "No client fetches t \(data["t"] ?? .null) in a batch")
    }
  }

  private static func checkToken(_ data: JSONObject) throws(CleverTapRefusal) {
    guard ["register", "unregister"].contains(data["action"]?.string) else {
      throw CleverTapRefusal(400, "The action of a push token is neither register nor unregister")
    }
    guard data["id"]?.string?.isEmpty == false, let type = data["type"]?.string,
      tokenTypes.contains(type)
    else { throw CleverTapRefusal(400, "A push token lacks its id or a known type") }
  }
}
