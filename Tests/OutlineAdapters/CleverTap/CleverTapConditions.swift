import EngagementJSON
import EngagementModel

/// When a campaign is due and how often it may be shown, in neutral terms.
///
/// A trigger is `{"event", "properties": [{"name", "is", "value"}], "itemProperties": […],
/// "places": [{"latitude", "longitude", "kilometres"}], "attribute", "firstTimeOnly"}`. A trigger
/// with an unreadable part is left out, because the rest of its conditions would be met too often.
enum CleverTapConditions {
  /// The vendor's numbers for comparisons.
  static let comparisons: [Int64: String] = [
    0: "greaterThan", 1: "equals", 2: "lessThan", 3: "contains", 4: "between", 15: "notEquals",
    26: "isSet", 27: "isNotSet", 28: "doesNotContain",
  ]

  /// The types of limits whose neutral names are the vendor's, without those in `caps`.
  private static let periods: Set<String> = [
    "session", "seconds", "minutes", "hours", "days", "weeks", "ever", "onEvery", "onExactly",
  ]

  private static let caps: [(key: JSONKey, type: String)] = [
    ("mdc", "session"), ("tdc", "day"), ("tlc", "ever"),
  ]

  // MARK: Triggers

  static func triggers(in fields: JSONFields) -> [JSONObject] {
    fields.objects("whenTriggers")?.compactMap(trigger) ?? []
  }

  private static func trigger(_ fields: JSONFields) -> JSONObject? {
    let attribute = fields.nonEmptyText("profileAttrName")
    guard let event = fields.nonEmptyText("eventName") ?? attribute,
      let properties = conditions(fields, "eventProperties"),
      let items = conditions(fields, "itemProperties"), let places = places(fields)
    else { return nil }
    var trigger: JSONObject = ["event": .string(event)]
    if let attribute { trigger["attribute"] = .string(attribute) }
    if !properties.isEmpty { trigger["properties"] = .array(properties) }
    if !items.isEmpty { trigger["itemProperties"] = .array(items) }
    if !places.isEmpty { trigger["places"] = .array(places) }
    if fields.flag("firstTimeOnly") == true { trigger["firstTimeOnly"] = true }
    return trigger
  }

  /// All conditions of a list; nil if one is unreadable.
  private static func conditions(_ fields: JSONFields, _ key: JSONKey) -> [JSON]? {
    all(fields, key) { condition in
      guard let name = condition["propertyName"]?.string,
        let comparison = condition["operator"]?.integer.flatMap({ comparisons[$0] })
      else { return nil }
      var read: JSONObject = ["name": .string(name), "is": .string(comparison)]
      read["value"] = condition["propertyValue"]
      return .object(read)
    }
  }

  private static func places(_ fields: JSONFields) -> [JSON]? {
    all(fields, "geoRadius") { place in
      guard let latitude = place["lat"]?.number, let longitude = place["lng"]?.number,
        let radius = place["rad"]?.number
      else { return nil }
      return [
        "latitude": .number(latitude), "longitude": .number(longitude),
        "kilometres": .number(radius),
      ]
    }
  }

  private static func all(
    _ fields: JSONFields, _ key: JSONKey, _ read: (JSONObject) -> JSON?
  ) -> [JSON]? {
    guard let value = fields.json(key), value != .null else { return [] }
    guard let elements = value.array else { return nil }
    let conditions = elements.compactMap { $0.object.flatMap(read) }
    return conditions.count == elements.count ? conditions : nil
  }

  // MARK: Limits

  static func limits(in fields: JSONFields) -> [JSONObject] {
    let lists = [fields.objects("frequencyLimits"), fields.objects("occurrenceLimits")]
    let own = lists.flatMap { $0 ?? [] }.compactMap(limit)
    let capped = caps.compactMap { cap -> JSONObject? in
      guard let count = fields.integer(cap.key), count >= 0 else { return nil }
      return ["type": .string(cap.type), "limit": .integer(count)]
    }
    return own + capped
  }

  private static func limit(_ fields: JSONFields) -> JSONObject? {
    guard let type = fields.string("type"), periods.contains(type),
      let count = fields.integer("limit")
    else { return nil }
    var limit: JSONObject = ["type": .string(type), "limit": .integer(count)]
    limit["frequency"] = fields.integer("frequency").map(JSON.integer)
    return limit
  }
}
