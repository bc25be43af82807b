import EngagementFormats
import EngagementModel
import EngagementVendors

/// The beginning: the feed of a coffee listeners, which follows from the seed.
enum BrazeSeed {
  /// Cards of every kind, oldest first, with Braze's odd types among them.
  static func cards(_ numbers: inout SeededNumbers, at now: Int64) -> [BrazeCard] {
    let drink = pick(["flat white", "cortado", "cold brew", "cappuccino"], &numbers)
    let place = pick(["Old Harbour", "Mill Lane", "Station Square", "Castle Hill"], &numbers)
    let hour = pick(["seven", "half past seven", "eight"], &numbers)
    let texts = Texts(drink: drink, place: place, hour: hour)
    let drafts = texts.news + texts.offers + texts.oddities
    return drafts.enumerated().map { index, draft in
      let created = now - Int64(drafts.count - index) * 3_600
      return BrazeCard(
        members: members(draft, compositeID(&numbers), created, now), stamp: 0)
    }
  }

  /// One more card, without its id; a higher number is an older card.
  static func card(_ number: Int, at now: Int64) -> JSONObject {
    var card = members(Texts.more(number), "", now - Int64(number + 1) * 3_600, now)
    card["id"] = nil
    return card
  }

  /// The id of a card, in the only form that all of Braze's clients take.
  static func compositeID(_ numbers: inout SeededNumbers) -> String {
    let campaign = numbers.hex(24)
    let card = numbers.uuid()
    return Base64.text(
      of: Array("\(campaign)_$_cc=\(card)&mv=\(numbers.hex(24))&pi=cmp".utf8))
  }

  private static func pick(_ choices: [String], _ numbers: inout SeededNumbers) -> String {
    choices[Int(numbers.next() % UInt64(choices.count))]
  }

  private static func members(
    _ draft: JSONObject, _ id: String, _ created: Int64, _ now: Int64
  ) -> JSONObject {
    var card: JSONObject = [
      "id": .string(id), "tp": "short_news", "ca": .integer(created), "ea": -1, "tt": "", "ds": "",
      "u": "", "uw": false, "p": false, "r": false, "db": true, "t": false,
      "e": ["slot": "home"],
    ]
    if draft["tp"] == "control" {
      card = [
        "id": .string(id), "tp": "control", "ca": .integer(created), "ea": -1, "p": false,
        "r": false, "db": false, "t": false, "e": ["slot": "home"],
      ]
    }
    for member in draft.members where member.key != "days" { card[member.key] = member.value }
    if let days = draft["days"]?.integer { card["ea"] = .integer(now + days * 86_400) }
    return card
  }

  /// In-app messages of the data endpoint.
  static var triggers: [JSON] {
    var numbers = SeededNumbers(seed: 0x7819)
    return [
      [
        "id": .string(compositeID(&numbers)), "type": "inapp",
        "trigger_condition": [["type": "open"]], "start_time": .null, "end_time": .null,
        "priority": 0, "delay": 0, "re_eligibility": -1, "timeout": 600_000,
        "min_seconds_since_last_trigger": 0,
        "data": [
          "type": "SLIDEUP", "message": "Good to see you again.", "click_action": "NONE",
          "use_webview": false, "message_close": "SWIPE", "orientation": "ANY",
        ],
      ]
    ]
  }
}
