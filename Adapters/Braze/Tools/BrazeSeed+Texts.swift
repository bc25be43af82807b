import EngagementModel

extension BrazeSeed {
  /// What the cards say. A draft has what differs from a plain dismissible card; `days` until it
  /// expires.
  struct Texts {
    let drink: String
    let place: String
    let hour: String

    private static let site = "https://harbour.example.com"
    private static let images = "https://images.example.com"

    var news: [JSONObject] {
      [
        [
          "tp": "text_announcement", "tt": "A quieter corner",
          "ds": .string("The upper floor at \(place) is now a room without music."),
        ],
        [
          "tp": "short_news", "tt": .string("We open at \(hour)"),
          "ds": .string("From Monday on, \(place) opens at \(hour) on working days."),
          "i": .string("\(Self.images)/door.png"), "u": .string("\(Self.site)/hours"),
          "dm": "See all hours",
        ],
        [
          "tp": "captioned_image", "tt": "New beans from Huila",
          "ds": "Red berries, cocoa, a long finish. Roasted on Tuesday, on the shelf on Friday.",
          "i": .string("\(Self.images)/huila.jpg"), "ar": 1.5,
          "u": .string("\(Self.site)/beans/huila"),
          "dm": "Read about the farm", "uw": true, "image_alt": "A sack of coffee beans",
          "language": "en",
        ],
        [
          "tp": "banner_image", "i": .string("\(Self.images)/autumn-banner.png"), "ar": 4,
          "u": "harbour://menu/autumn", "image_alt": "The autumn menu",
        ],
        [
          "tp": "text_announcement", "tt": "Your cup counts", "p": true, "db": false,
          "ds": "Bring your own cup and the tenth coffee is on us.",
          "u": .string("\(Self.site)/cup"),
        ],
      ]
    }

    var offers: [JSONObject] {
      [
        [
          "tp": "short_news", "tt": .string("Two for one: \(drink)"),
          "ds": .string("This week, every second \(drink) at \(place) is free."),
          "u": .string("\(Self.site)/offers/two"), "days": 7, "p": 0, "db": 1, "uw": 0, "r": 0,
          "t": 0,
          "e": ["slot": "home", "offer": "two-for-one"],
        ],
        [
          "tp": "captioned_image", "tt": "Breakfast until noon", "ds": "Eggs, bread, and time.",
          "i": .string("\(Self.images)/breakfast.jpg"), "ar": "1.0",
          "u": .string("\(Self.site)/breakfast"),
          "e": ["slot": "offers"],
        ],
        [
          "tp": "banner_image", "i": .string("\(Self.images)/gift-card.png"), "ar": 2.5,
          "u": .string("\(Self.site)/gifts"), "uw": true, "e": ["slot": "offers"], "days": 30,
        ],
        [
          "tp": "short_news", "tt": .string("Ends tonight: \(drink) for less"),
          "ds": .string("Today only. Ask at the counter at \(place)."), "days": 1, "p": 1,
          "e": ["slot": "offers", "offer": "tonight"],
        ],
      ]
    }

    /// What one of many cards says.
    static func more(_ number: Int) -> JSONObject {
      let kinds: [JSON] = ["short_news", "captioned_image", "text_announcement", "banner_image"]
      var draft: JSONObject = ["tp": kinds[number % kinds.count]]
      if number % kinds.count != 3 {
        draft["tt"] = .string("Coffee of the day, number \(number + 1)")
        draft["ds"] = .string("Page \(number + 1) of our tasting book is open at the counter.")
        draft["u"] = .string("\(site)/coffees/\(number + 1)")
      }
      if number % 2 == 1 {
        draft["i"] = .string("\(images)/coffee-\(number + 1).jpg")
        draft["ar"] = number % kinds.count == 3 ? 4 : 1.5
      }
      return draft
    }

    var oddities: [JSONObject] {
      [
        ["tp": "control"],
        [
          "tp": "captioned_image", "tt": "Grüße aus Köln ☕️ – مرحبا",
          "ds": "A guest shift from our friends on the Rhine, this Saturday.",
          "i": .string("\(Self.images)/guest.jpg"), "ar": 1.778,
          "u": .string("\(Self.site)/guest?from=köln"),
        ],
        ["tp": "hologram", "tt": "A kind of card that no client knows yet"],
        [
          "tp": "short_news", "tt": "Sent to your device only",
          "ds": "A test of next week's announcement.", "t": true,
        ],
      ]
    }
  }
}
