import EngagementModel

extension CleverTapSeed {
  /// The campaigns, each with the list in which it is delivered. A draft has what differs from a
  /// campaign without triggers.
  static func drafts(_ drink: String) -> [(CleverTapCampaign.Delivery, JSONObject)] {
    let custom: JSONObject = [
      "type": "custom-code", "templateId": "66d0a1c0ffee66d0a1c0ffee", "templateName": "offer",
      "templateDescription": "An offer with a picture",
    ]
    func offer(_ vars: JSON, _ more: JSONObject) -> JSONObject {
      var draft = custom
      draft["vars"] = vars
      for member in more.members { draft[member.key] = member.value }
      return draft
    }
    return [
      (
        .clientSide,
        offer(
          [
            "title": .string("Two for one: \(drink)"), "price.amount": 3.5, "isUrgent": false,
            "picture": "{files}/stamp.png",
            "open": [
              "actions": [
                "type": "url", "ios": .string("\(site)/offers"),
                "android": .string("\(site)/offers"),
              ]
            ],
            "later": ["actions": ["type": "close", "close": true]],
          ],
          [
            "priority": 10,
            "whenTriggers": [
              [
                "eventName": "Coffee ordered",
                "eventProperties": [
                  ["propertyName": "size", "operator": 1, "propertyValue": ["large"]]
                ],
              ]
            ],
            "frequencyLimits": [["type": "days", "limit": 2, "frequency": 1]],
          ])
      ),
      (
        .clientSide,
        [
          "type": "half-interstitial", "priority": 5, "bg": "#F4EDE4", "close": true,
          "title": ["text": "The terrace is open", "color": "#2B2118"],
          "message": ["text": "Nine tables in the sun, until the last guest.", "color": "#2B2118"],
          "media": [
            "url": "{files}/steam.gif", "content_type": "image/gif", "alt_text": "A steaming cup",
          ],
          "buttons": [
            [
              "text": "Reserve", "color": "#FFFFFF", "bg": "#2B2118", "border": "#2B2118",
              "radius": "4",
              "actions": ["type": "kv", "close": true, "kv": ["screen": "tables"]],
            ]
          ],
          "whenTriggers": [["eventName": "App Launched"]],
          "occurrenceLimits": [["type": "onEvery", "limit": 2]],
        ]
      ),
      (
        .clientSide,
        offer(
          ["title": "A tenth cup on us"],
          [
            "suppressed": true, "wzrk_cgId": 3, "wzrk_pivot": "wzrk_control",
            "whenTriggers": [["eventName": "Coffee ordered"]], "priority": 2,
          ])
      ),
      (
        .clientSide,
        offer(
          ["title": "Not shown on this device"],
          ["suppressed": true, "whenTriggers": [["eventName": "Table reserved"]]])
      ),
      (
        .serverSide,
        offer(
          ["title": "We kept your table", "note": "{files}/terms.txt"],
          [
            "whenTriggers": [["eventName": "Table reserved"]], "priority": 20,
            "frequencyLimits": [["type": "ever", "limit": 3]],
          ])
      ),
      (
        .appLaunched,
        offer(["title": "Good morning"], ["whenTriggers": [["eventName": "App Launched"]]])
      ),
    ]
  }

  /// The messages of the inbox, oldest first; `days` until one expires.
  static func letters(_ place: String) -> [JSONObject] {
    [
      letter(
        "simple", [content("Welcome", "Good to have you at \(place).")],
        ["tags": ["news"], "enableTags": true]),
      letter(
        "message-icon",
        [
          content(
            "Your first stamp", "Nine more and the tenth coffee is on us.",
            ["icon": ["url": "{files}/stamp.png", "alt_text": "A stamp"]],
            links: [link("url", "See the card", url: "\(site)/stamps")])
        ]),
      letter(
        "carousel",
        [
          content("Beans from Huila", "Red berries and cocoa.", picture),
          content("Beans from Sidamo", "Jasmine and lemon.", picture),
        ], ["tags": ["beans"], "enableTags": true]),
      letter("carousel-image", [content("", "", picture), content("", "", picture)]),
      with(
        days: 3,
        letter(
          "simple",
          [
            content(
              "A table on Sunday", "There is still room for brunch at \(place).",
              links: [
                link("copy", "Copy the code", text: "BRUNCH"),
                link("kv", "Reserve", values: ["screen": "tables"]),
              ])
          ], ["custom_kv": [["key": "room", "value": ["text": "upper floor"]]]])),
      with(
        days: 1,
        letter("simple", [content("Grüße ☕️", "The last loaf is half the price, until tonight.")])),
    ]
  }

  private static let picture: JSONObject = [
    "media": ["url": "{files}/steam.gif", "content_type": "image/gif", "alt_text": "Coffee"]
  ]

  private static func with(days: Int64, _ letter: JSONObject) -> JSONObject {
    var letter = letter
    letter["days"] = .integer(days)
    return letter
  }

  private static func letter(
    _ type: String, _ contents: [JSONObject], _ more: JSONObject = [:]
  ) -> JSONObject {
    var message: JSONObject = [
      "type": .string(type), "bg": "#F4EDE4", "orientation": "p", "tags": [], "enableTags": false,
      "content": .array(
        contents.enumerated().map { index, content in
          var content = content
          content["key"] = .integer(Int64(index + 1))
          return .object(content)
        }),
    ]
    for member in more.members { message[member.key] = member.value }
    return ["msg": .object(message)]
  }

  private static func content(
    _ title: String, _ text: String, _ more: JSONObject = [:], links: [JSON] = []
  ) -> JSONObject {
    var content: JSONObject = [
      "title": ["text": .string(title), "color": "#2B2118"],
      "message": ["text": .string(text), "color": "#2B2118"],
      "action": [
        "hasUrl": false, "hasLinks": .bool(!links.isEmpty), "url": addresses(""),
        "links": .array(links),
      ],
    ]
    for member in more.members { content[member.key] = member.value }
    return content
  }

  private static func link(
    _ type: String, _ label: String, url: String = "", text: String = "",
    values: JSONObject = [:]
  ) -> JSON {
    [
      "type": .string(type), "text": .string(label), "color": "#FFFFFF", "bg": "#2B2118",
      "copyText": ["text": .string(text)], "url": addresses(url), "kv": .object(values),
    ]
  }

  private static func addresses(_ url: String) -> JSON {
    ["android": ["text": .string(url)], "ios": ["text": .string(url)]]
  }
}
