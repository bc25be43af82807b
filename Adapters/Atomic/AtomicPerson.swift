import EngagementModel

/// Writes changes to a user with Atomic's names.
enum AtomicPerson {
  /// Atomic's names of a person's fields. How its clients send them is not published; `profile` is
  /// the place of these fields in the server's own API.
  private static func fields(of update: PersonUpdate) -> KeyValuePairs<String, String?> {
    [
      "externalID": update.externalID, "name": update.name, "email": update.email,
      "phone": update.phone, "city": update.city, "country": update.country,
      "region": update.region,
    ]
  }

  /// Throws `invalidArgument` if the update is empty.
  static func body(of update: PersonUpdate) throws(EngagementError) -> JSONObject {
    guard !update.isEmpty else {
      throw EngagementError(.invalidArgument, "An update changes at least one field.")
    }
    var body = JSONObject()
    let preferences = preferences(of: update)
    if !preferences.isEmpty { body["preferences"] = .object(preferences) }
    var profile = update.custom
    for (name, value) in fields(of: update) {
      if let value { profile[name] = .string(value) }
    }
    if !profile.isEmpty { body["profile"] = .object(profile) }
    return body
  }

  private static func preferences(of update: PersonUpdate) -> JSONObject {
    var preferences = JSONObject()
    preferences["notificationsEnabled"] = update.notifications.map(JSON.bool)
    if let frames = update.timeFrames, !frames.isEmpty {
      var days = JSONObject()
      // In the order of the week, because a dictionary has no order and the same update must give
      // the same bytes.
      for day in PersonUpdate.Day.allCases {
        days[day.rawValue] = frames[day].map { .array($0.map(json)) }
      }
      preferences["notifications"] = .object(days)
    }
    return preferences
  }

  private static func json(_ frame: PersonUpdate.TimeFrame) -> JSON {
    ["from": .string(time(frame.from)), "to": .string(time(frame.to))]
  }

  private static func time(_ minutes: Int) -> String {
    "\(twoDigits(minutes / 60)):\(twoDigits(minutes % 60))"
  }

  private static func twoDigits(_ number: Int) -> String {
    number < 10 ? "0\(number)" : "\(number)"
  }
}
