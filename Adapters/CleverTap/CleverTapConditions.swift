import EngagementJSON
import EngagementModel

/// When a campaign is due and how often it may be presented.
///
/// A trigger with an unreadable part is left out, because the rest of its conditions would be met
/// too often. An unreadable limit stays as `unreadable`, so that the campaign is never due.
enum CleverTapConditions {
  /// The vendor's numbers for comparisons.
  private static let comparisons: [Int64: Campaign.Comparison] = [
    0: .greaterThan, 1: .equals, 2: .lessThan, 3: .contains, 4: .between, 15: .notEquals,
    26: .isSet, 27: .isNotSet, 28: .doesNotContain,
  ]

  /// The vendor's names of the limits in lists.
  private static let limitKinds: [String: Campaign.Limit.Kind] = [
    "session": .session, "seconds": .seconds, "minutes": .minutes, "hours": .hours,
    "days": .days, "weeks": .weeks, "ever": .ever, "onEvery": .onEvery, "onExactly": .onExactly,
  ]

  /// The limits that are members of the campaign itself.
  private static let caps: [(key: JSONKey, kind: Campaign.Limit.Kind)] = [
    ("mdc", .session), ("tdc", .day), ("tlc", .ever),
  ]

  // MARK: Triggers

  static func triggers(in fields: JSONFields) -> [Campaign.Trigger] {
    fields.objects("whenTriggers")?.compactMap(trigger) ?? []
  }

  private static func trigger(_ fields: JSONFields) -> Campaign.Trigger? {
    let attribute = fields.nonEmptyText("profileAttrName")
    guard let event = fields.nonEmptyText("eventName") ?? attribute,
      let properties = conditions(fields, "eventProperties"),
      let items = conditions(fields, "itemProperties"), let places = places(fields)
    else { return nil }
    return Campaign.Trigger(
      event, attribute: attribute, properties: properties, itemProperties: items, places: places,
      isFirstTimeOnly: fields.flag("firstTimeOnly") == true)
  }

  /// All conditions of a list; nil if one is unreadable.
  private static func conditions(_ fields: JSONFields, _ key: JSONKey) -> [Campaign.Condition]? {
    all(fields, key) { condition in
      guard let name = condition["propertyName"]?.string,
        let comparison = comparison(condition["operator"])
      else { return nil }
      return Campaign.Condition(name, comparison, condition["propertyValue"])
    }
  }

  /// Without an operator the vendor's clients compare for equality.
  private static func comparison(_ value: JSON?) -> Campaign.Comparison? {
    guard let value else { return .equals }
    return value.integer.flatMap { comparisons[$0] }
  }

  private static func places(_ fields: JSONFields) -> [Campaign.Place]? {
    all(fields, "geoRadius") { place in
      guard let latitude = place["lat"]?.number, let longitude = place["lng"]?.number,
        let radius = place["rad"]?.number
      else { return nil }
      return Campaign.Place(latitude: latitude, longitude: longitude, kilometres: radius)
    }
  }

  private static func all<Element>(
    _ fields: JSONFields, _ key: JSONKey, _ read: (JSONObject) -> Element?
  ) -> [Element]? {
    guard let value = fields.json(key), value != .null else { return [] }
    guard let elements = value.array else { return nil }
    let conditions = elements.compactMap { $0.object.flatMap(read) }
    return conditions.count == elements.count ? conditions : nil
  }

  // MARK: Limits

  /// The campaign's own caps do not apply if it is excluded from caps.
  static func limits(in fields: JSONFields, isExcludedFromCaps: Bool) -> [Campaign.Limit] {
    let listed = limits(fields, "frequencyLimits") + limits(fields, "occurrenceLimits")
    return isExcludedFromCaps ? listed : listed + caps.compactMap { cap($0.key, $0.kind, fields) }
  }

  private static func limits(_ fields: JSONFields, _ key: JSONKey) -> [Campaign.Limit] {
    guard let value = fields.json(key), value != .null else { return [] }
    guard let elements = value.array else { return [.unreadable] }
    return elements.compactMap { element in
      guard let limit = element.object else { return .unreadable }
      return limit.isEmpty ? nil : Self.limit(limit)
    }
  }

  private static func limit(_ object: JSONObject) -> Campaign.Limit {
    guard let kind = object["type"]?.string.flatMap({ limitKinds[$0] }),
      let maximum = count(object["limit"])
    else { return .unreadable }
    return Campaign.Limit(kind, maximum, frequency: count(object["frequency"]))
  }

  private static func count(_ value: JSON?) -> Int? {
    value?.integer.flatMap(Int.init(exactly:)).flatMap { $0 >= 0 ? $0 : nil }
  }

  /// A cap of the campaign; -1 is none.
  private static func cap(
    _ key: JSONKey, _ kind: Campaign.Limit.Kind, _ fields: JSONFields
  ) -> Campaign.Limit? {
    guard let value = fields.json(key), value != .null, value != -1 else { return nil }
    return count(value).map { Campaign.Limit(kind, $0) } ?? .unreadable
  }
}
