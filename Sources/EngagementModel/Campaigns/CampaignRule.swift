/// The normalized names of all properties that conditions name, each with a number.
struct PropertyNames: Sendable {
  /// The names as a condition writes them.
  private(set) var written: [String] = []
  private var numbers: [String: Int] = [:]

  mutating func number(of name: String) -> Int {
    let normalized = name.normalizedName
    if let number = numbers[normalized] { return number }
    numbers[normalized] = written.count
    written.append(name)
    return written.count - 1
  }
}

/// A trigger whose names and values are prepared.
struct Rule: Sendable {
  /// The index of its campaign.
  let campaign: Int
  private let properties: [PreparedCondition]
  private let itemProperties: [PreparedCondition]
  private let places: [Campaign.Place]
  private let isFirstTimeOnly: Bool

  init(_ trigger: Campaign.Trigger, of campaign: Int, _ names: inout PropertyNames) {
    self.campaign = campaign
    properties = trigger.properties.map { PreparedCondition($0, &names) }
    itemProperties = trigger.itemProperties.map { PreparedCondition($0, &names) }
    places = trigger.places
    isFirstTimeOnly = trigger.isFirstTimeOnly
  }

  func fires(on facts: inout OccurrenceFacts) -> Bool {
    if isFirstTimeOnly && !facts.occurrence.isFirst { return false }
    for condition in properties where !condition.isMet(by: facts.property(condition.name)) {
      return false
    }
    for condition in itemProperties where !condition.isMet(by: facts.itemProperty(condition.name)) {
      return false
    }
    guard !places.isEmpty else { return true }
    guard let position = facts.occurrence.position else { return false }
    return places.contains { $0.contains(position) }
  }

  private struct PreparedCondition: Sendable {
    let name: Int
    private let comparison: Campaign.Comparison
    private let expected: TriggerValue?

    init(_ condition: Campaign.Condition, _ names: inout PropertyNames) {
      name = names.number(of: condition.name)
      comparison = condition.comparison
      expected = condition.value.flatMap(TriggerValue.init)
    }

    func isMet(by actual: TriggerValue?) -> Bool {
      actual.map { $0.meets(comparison, expected) } ?? (comparison == .isNotSet)
    }
  }
}

/// An occurrence whose values are prepared when a condition first asks for them.
struct OccurrenceFacts {
  let occurrence: Campaign.Occurrence
  private let names: PropertyNames
  private var properties: [TriggerValue??]
  private var itemProperties: [TriggerValue??] = []

  init(_ occurrence: Campaign.Occurrence, _ names: PropertyNames) {
    self.occurrence = occurrence
    self.names = names
    properties = Array(repeating: .none, count: names.written.count)
  }

  mutating func property(_ number: Int) -> TriggerValue? {
    if let known = properties[number] { return known }
    let value = occurrence.properties.value(named: names.written[number]).flatMap(TriggerValue.init)
    properties[number] = .some(value)
    return value
  }

  mutating func itemProperty(_ number: Int) -> TriggerValue? {
    if itemProperties.isEmpty {
      itemProperties = Array(repeating: .none, count: names.written.count)
    }
    if let known = itemProperties[number] { return known }
    let values = occurrence.items.compactMap { $0.value(named: names.written[number]) }
    let value = TriggerValue(items: values)
    itemProperties[number] = .some(value)
    return value
  }
}

extension JSONObject {
  /// The member of exactly this name, else the first one whose normalized name is the same.
  fileprivate func value(named name: String) -> JSON? {
    if let value = self[name] { return value }
    let normalized = name.normalizedName
    return members.first { $0.key.normalizedName.hasSameBytes(as: normalized) }?.value
  }
}
