import EngagementFormats
import EngagementModel
import EngagementPlatform
import EngagementVendors

/// The beginning: the cards of a coffee bar, which follow from the seed.
enum AtomicSeed {
  private static let site = "https://harbour.example.com"
  private static let images = "https://images.example.com"

  /// Cards, oldest first, with every kind of node that the vendor's web client knows.
  static func cards(_ numbers: inout SeededNumbers, at now: Date) -> [AtomicServerCard] {
    let place = numbers.next() % 2 == 0 ? "Old Harbour" : "Mill Lane"
    let drafts = drafts(place)
    return drafts.enumerated().map { index, draft in
      let received = now.addingTimeInterval(Double(index - drafts.count) * 3_600)
      return AtomicServerCard(
        members: members(draft, id: numbers.uuid(), receivedAt: received, at: now), revision: 0)
    }
  }

  /// One more card, without its id; a higher number is an older card.
  static func card(_ number: Int, at now: Date) -> JSONObject {
    members(
      [
        "event": "tasting-note", "title": .string("Tasting note \(number + 1)"),
        "nodes": [
          text("headline", "Tasting note \(number + 1)"),
          text("text", "Page \(number + 1) of our tasting book is open at the counter."),
        ],
      ], id: nil, receivedAt: now.addingTimeInterval(Double(number + 1) * -3_600), at: now)
  }

  /// A whole card of a draft: `event`, `title`, `nodes`, and what else differs from the usual.
  private static func members(
    _ draft: JSONObject, id: String?, receivedAt: Date, at now: Date
  ) -> JSONObject {
    let time = JSON.string(ISO8601.text(of: receivedAt) ?? "")
    let event = draft["event"]?.string ?? "note"
    var instance: JSONObject = [
      "eventName": .string(event), "lifecycleId": .string("\(event)-1"), "status": "active",
    ]
    instance["id"] = id.map(JSON.string)
    var options: JSONObject = [:]
    if let hours = draft["hours"]?.integer {
      options["expires"] = ISO8601.text(of: now.addingTimeInterval(Double(hours) * 3_600))
        .map(JSON.string)
    }
    options["targetStreamIds"] = draft["containers"]
    let flags: JSON = ["swipe": true, "overflow": true]
    return [
      "instance": .object(instance),
      "actions": draft["actions"] ?? [
        "dismiss": flags, "snooze": flags, "voteUp": ["overflow": true],
        "voteDown": ["overflow": true],
      ],
      "metadata": [
        "title": draft["title"] ?? "", "priority": draft["priority"] ?? 5, "receivedAt": time,
        "lastCardActiveTime": time, "menuOption": "overflow",
      ],
      "runtimeVariables": draft["runtimeVariables"] ?? [],
      "defaultView": ["nodes": draft["nodes"] ?? []],
      "subviews": draft["subviews"] ?? [:],
      "cardTemplateId": .string("template-\(event)"), "cardTemplateName": draft["title"] ?? "",
      "created": time,
      "payload": ["detail": draft["variables"] ?? [:], "cardOptions": .object(options)],
    ]
  }

  /// The vendor's clients take every flag for granted.
  static let noActions: JSON = [
    "dismiss": ["swipe": false, "overflow": false], "snooze": ["swipe": false, "overflow": false],
    "voteUp": ["overflow": false], "voteDown": ["overflow": false],
  ]

  private static func text(_ type: String, _ text: String) -> JSON {
    ["type": .string(type), "attributes": ["text": .string(text)]]
  }

  private static func drafts(_ place: String) -> [JSONObject] {
    [
      [
        "event": "welcome", "title": "Welcome", "priority": 7,
        "nodes": [
          text("cardDescription", "Membership"),
          text("headline", "Good to have you at \(place), !{guest}"),
          ["type": "dismissButton", "attributes": ["text": "Thank you"]],
        ],
        "runtimeVariables": [["name": "guest", "type": "string", "defaultValue": "friend"]],
        "variables": ["tier": "bronze", "isSpecial": false],
      ],
      [
        "event": "stamps", "title": "Your stamps", "containers": ["BqWL1sT"],
        "nodes": [
          text("headline", "Nine more and the tenth coffee is on us"),
          [
            "type": "list", "attributes": ["type": "bullet"],
            "children": [text("listItem", "Flat white"), text("listItem", "Cortado")],
          ],
          [
            "type": "image",
            "attributes": [
              "format": "banner", "src": .string("\(images)/stamp.png"), "label": "Stamps",
              "altText": ["src": "A card with one stamp"],
            ],
          ],
          [
            "type": "linkButton",
            "attributes": ["text": "See them", "url": .string("\(site)/stamps")],
          ],
        ],
        "variables": ["tier": "silver", "stamps": 1],
      ],
      [
        "event": "brunch", "title": "Brunch", "priority": 2, "hours": 48,
        "nodes": .array([text("headline", "A table on Sunday"), brunchForm]),
        "subviews": [
          "menu": [
            "title": "Menu", "nodes": [text("text", "Eggs, rye bread, and **too much** jam.")],
          ]
        ],
        "variables": ["tier": "gold", "isSpecial": true],
      ],
      [
        "event": "quiet", "title": "Grüße ☕️", "actions": noActions,
        "nodes": [
          text("text", "A guest shift from Cologne, this Saturday."), ["type": "hologram"],
        ],
      ],
    ]
  }

  private static var brunchForm: JSON {
    [
      "type": "form", "attributes": ["defaultValues": ["source": "card"]],
      "children": [
        [
          "type": "stepper",
          "attributes": [
            "name": "guests", "label": "Guests", "minimumValue": 1, "maximumValue": 8,
          ],
        ],
        [
          "type": "textInput",
          "attributes": ["name": "note", "placeholder": "A note", "maxLength": 140],
          "validations": ["maximumLength": ["attributes": ["maximumLength": 140]]],
        ],
        [
          "type": "submitButton",
          "attributes": ["text": "Book", "values": ["button": "book"]],
        ],
        ["type": "linkButton", "attributes": ["text": "Menu", "layoutId": "menu"]],
        ["type": "snoozeButton", "attributes": ["text": "Later", "snoozePeriod": "PT2H"]],
      ],
    ]
  }
}
