extension PersonUpdate {
  /// The neutral JSON of the changes. A day without frames is an empty array and allows no
  /// notifications on that day.
  public var json: JSON {
    ObjectEncoder([
      "externalID": externalID, "name": name, "email": email, "phone": phone, "city": city,
      "country": country, "region": region, "custom": custom, "notifications": notifications,
      "timeFrames": timeFrames.map(TimeFrames.init(byDay:)),
    ]).json
  }

  /// Reads the neutral JSON of changes. An absent field stays nil, so it changes nothing.
  ///
  /// Ignores unknown fields. Throws `invalidArgument`, which names the field, if a field has the
  /// wrong type, or a day or a time of day does not exist.
  public init(json: JSON) throws(EngagementError) {
    let fields = try ObjectDecoder(JSONField(value: json, place: "personUpdate"))
    self.init()
    externalID = try fields.read("externalID")
    name = try fields.read("name")
    email = try fields.read("email")
    phone = try fields.read("phone")
    city = try fields.read("city")
    country = try fields.read("country")
    region = try fields.read("region")
    custom = try fields.read("custom") ?? [:]
    notifications = try fields.read("notifications")
    timeFrames = (try fields.read("timeFrames") as TimeFrames?)?.byDay
  }
}

/// The days that have an entry, in the order of the week.
private struct TimeFrames: FieldValue {
  var byDay: [PersonUpdate.Day: [PersonUpdate.TimeFrame]]

  init(byDay: [PersonUpdate.Day: [PersonUpdate.TimeFrame]]) { self.byDay = byDay }

  var member: JSON? { byDay.isEmpty ? Optional.none : json }

  var json: JSON {
    .object(
      JSONObject(
        uniqueMembers: PersonUpdate.Day.allCases.compactMap { day in
          byDay[day].map { JSONObject.Member(day.rawValue, $0.json) }
        }))
  }

  init(_ field: JSONField) throws(EngagementError) {
    byDay = [:]
    for member in try JSONObject(field).members {
      guard let day = PersonUpdate.Day(rawValue: member.key) else {
        let days = PersonUpdate.Day.allCases.map(\.rawValue).joined(separator: ", ")
        throw field.fault("an object by day: \(days)")
      }
      byDay[day] = try [PersonUpdate.TimeFrame](
        JSONField(value: member.value, place: "\(field.place).\(day.rawValue)"))
    }
  }
}

extension PersonUpdate.TimeFrame: FieldValue {
  package var json: JSON {
    [
      "from": .string(TimeOfDay(minutes: from).text), "to": .string(TimeOfDay(minutes: to).text),
    ]
  }

  package init(_ field: JSONField) throws(EngagementError) {
    let fields = try ObjectDecoder(field)
    let from: TimeOfDay = try fields.require("from")
    let to: TimeOfDay = try fields.require("to")
    guard from.minutes <= to.minutes else { throw field.fault("a frame that ends after its start") }
    try self.init(
      fromHour: from.minutes / 60, minute: from.minutes % 60,
      toHour: to.minutes / 60, minute: to.minutes % 60)
  }
}

/// Minutes after midnight, written as `08:00`.
private struct TimeOfDay: FieldValue {
  var minutes: Int

  init(minutes: Int) { self.minutes = minutes }

  var text: String {
    let digits = [minutes / 600, minutes / 60 % 10, minutes % 60 / 10, minutes % 10]
    return "\(digits[0])\(digits[1]):\(digits[2])\(digits[3])"
  }

  var json: JSON { .string(text) }

  init(_ field: JSONField) throws(EngagementError) {
    let bytes = try Array(String(field).utf8)
    guard bytes.count == 5, bytes[2] == UInt8(ascii: ":"),
      let hour = Self.number(bytes[0], bytes[1]), hour < 24,
      let minute = Self.number(bytes[3], bytes[4]), minute < 60
    else { throw field.fault("a time of day from 00:00 to 23:59") }
    minutes = hour * 60 + minute
  }

  private static func number(_ tens: UInt8, _ ones: UInt8) -> Int? {
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    guard digits.contains(tens), digits.contains(ones) else { return nil }
    return Int(tens - digits.lowerBound) * 10 + Int(ones - digits.lowerBound)
  }
}
