import EngagementFormats
import EngagementModel
import EngagementPlatform
import EngagementVendors

/// What a coffee shop has sent when the server starts. The same seed gives the same items.
enum CleverTapSeed {
  static let site = "https://harbour.example.com"

  static func campaigns(
    _ numbers: inout SeededNumbers, at now: Int64
  ) -> [CleverTapCampaign] {
    drafts(pick(["flat white", "cortado", "cold brew"], &numbers)).map { delivery, draft in
      var members = frame(.integer(target(&numbers)), at: now)
      for member in draft.members { members[member.key] = member.value }
      return CleverTapCampaign(members: members, delivery: delivery, stamp: 0)
    }
  }

  static func messages(_ numbers: inout SeededNumbers, at now: Int64) -> [CleverTapMessage] {
    let drafts = letters(pick(["Old Harbour", "Mill Lane", "Station Square"], &numbers))
    return drafts.enumerated().map { index, draft in
      let time = now - Int64(drafts.count - index) * 7_200
      var members = envelope("\(target(&numbers))_\(time)", at: time)
      for member in draft.members where member.key != "days" { members[member.key] = member.value }
      if let days = draft["days"]?.integer { members["wzrk_ttl"] = .integer(now + days * 86_400) }
      return CleverTapMessage(members: members, stamp: 0)
    }
  }

  /// What every campaign has.
  static func frame(_ target: JSON, at now: Int64) -> JSONObject {
    let id = CleverTapCampaign.id(target) ?? ""
    return [
      "ti": target, "wzrk_id": .string("\(id)_\(day(of: now))"), "wzrk_pivot": "wzrk_default",
      "wzrk_ttl": .integer(now + 30 * 86_400), "priority": 1, "excludeGlobalFCaps": -1,
      "rfp": false, "whenTriggers": [], "frequencyLimits": [], "occurrenceLimits": [],
    ]
  }

  /// What every message has.
  static func envelope(_ id: String, at time: Int64) -> JSONObject {
    let target = id.split(separator: "_").first.map { String($0) } ?? id
    return [
      "_id": .string(id), "wzrk_id": .string("\(target)_\(day(of: time))"),
      "wzrk_pivot": "wzrk_default", "date": .integer(time),
      "wzrk_ttl": .integer(time + 90 * 86_400),
    ]
  }

  /// The id of a campaign or of a message's campaign.
  static func target(_ numbers: inout SeededNumbers) -> Int64 {
    1_700_000_000 + Int64(numbers.next() % 90_000_000)
  }

  /// A day of UTC as `20261122`.
  static func day(of time: Int64) -> String {
    let text = ISO8601.text(of: Date(timeIntervalSince1970: Double(time))) ?? ""
    return text.prefix(10).filter { $0 != "-" }
  }

  private static func pick(_ choices: [String], _ numbers: inout SeededNumbers) -> String {
    choices[Int(numbers.next() % UInt64(choices.count))]
  }

  static var files: [CleverTapFile] {
    [
      file("stamp.png", "image/png", pixel),
      file(
        "steam.gif", "image/gif", "R0lGODlhAQABAIAAAP///wAAACH5BAEAAAAALAAAAAABAAEAAAICRAEAOw=="),
      CleverTapFile(
        name: "terms.txt", contentType: "text/plain; charset=utf-8",
        bytes: Array("One stamp for each cup. Ten stamps are a coffee.\n".utf8)),
    ]
  }

  private static func file(_ name: String, _ type: String, _ text: String) -> CleverTapFile {
    CleverTapFile(name: name, contentType: type, bytes: Base64.bytes(from: text) ?? [])
  }

  /// One transparent pixel.
  private static let pixel =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
}
