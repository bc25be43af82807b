import EngagementFormats
import EngagementModel
import EngagementPlatform
import EngagementVendors

/// The beginning: the inbox of a coffee listeners, which follows from the seed.
enum VibesSeed {
  private static let site = "https://harbour.example.com"
  private static let images = "https://images.example.com"

  /// Messages, oldest first, with the odd shapes that the vendor has.
  static func messages(_ numbers: inout SeededNumbers, at now: Date) -> [VibesMessage] {
    let drafts = drafts(numbers.next() % 2 == 0 ? "Old Harbour" : "Mill Lane")
    return drafts.enumerated().map { index, draft in
      let created = now.addingTimeInterval(Double(index - drafts.count) * 7_200)
      return VibesMessage(
        members: members(draft, &numbers, created, now), createdAt: created)
    }
  }

  /// One more message, without its id; a higher number is an older message.
  static func message(_ number: Int, at now: Date) -> JSONObject {
    [
      "subject": .string("Tasting note \(number + 1)"),
      "content": .string("Page \(number + 1) of our tasting book is open at the counter."),
      "created_at": time(now.addingTimeInterval(Double(number + 1) * -7_200)), "read": false,
    ]
  }

  private static func members(
    _ draft: JSONObject, _ numbers: inout SeededNumbers, _ created: Date, _ now: Date
  ) -> JSONObject {
    let (uid, activity) = (numbers.uuid(), numbers.uuid())
    var message: JSONObject = [
      "message_uid": .string(uid), "push_message_uid": .string(uid),
      "collapse_key": .string("vibes-\(activity)"), "read": false,
      "created_at": time(created), "client_app_data": ["inbox_message_uid": .string(uid)],
      "apprefdata": [
        "activityType": "Broadcast", "activityUid": .string(activity),
        "personUid": .string(numbers.uuid()), "flightUid": .string(numbers.uuid()),
      ],
    ]
    for member in draft.members where member.key != "days" { message[member.key] = member.value }
    if let days = draft["days"]?.integer {
      message["expires_at"] = time(now.addingTimeInterval(Double(days) * 86_400))
    }
    return message
  }

  /// UTC as an offset, as the vendor writes it.
  private static func time(_ date: Date) -> JSON {
    .string("\((ISO8601.text(of: date) ?? "").dropLast())+00:00")
  }

  private static func drafts(_ place: String) -> [JSONObject] {
    [
      ["subject": "Welcome", "content": .string("Good to have you at \(place)."), "read": true],
      [
        "subject": "Your first stamp", "content": "Nine more and the tenth coffee is on us.",
        "detail": .string("\(site)/stamps"),
        "images": ["icon": .string("\(images)/stamp.png"), "main": .string("\(images)/card.jpg")],
      ],
      [
        "subject": "A table on Sunday", "days": 3,
        "content": .string("There is still room for brunch at \(place)."),
        "inbox_custom_data": ["kind": "brunch", "room": "upper floor"],
      ],
      [
        "subject": "Grüße ☕️", "content": "A guest shift from Cologne, this Saturday.",
        "images": ["icon": .string("\(images)/guest.png")],
      ],
      [
        "subject": "Until tonight", "content": "The last loaf is half the price.", "days": 1,
        "detail": "harbour://bread",
      ],
      ["content": "A message without a subject."],
    ]
  }
}
