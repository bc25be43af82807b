import EngagementPlatform

/// The triggers of many campaigns, prepared for the events to come.
///
/// Most conditions compare a number or a text. They are kept as plain numbers in one list, texts by their
/// numbers, so that a campaign that does not fire costs a few comparisons.
struct Rules: Sendable {
  private var rules: [Rule] = []
  private var conditions: [Condition] = []
  private var comparisons: [(comparison: Campaign.Comparison, expected: TriggerValue?)] = []
  private var extras: [Extras] = []
  private var names = PropertyNames()
  private var texts = Texts()

  /// A trigger.
  private struct Rule: Sendable {
    let campaign: Int
    /// Its conditions on properties.
    let conditions: Range<Int>
    /// What else it asks for; nil for nothing.
    let extras: Int?
  }

  /// What few triggers have.
  private struct Extras: Sendable {
    let itemConditions: Range<Int>
    let places: [Campaign.Place]
    let isFirstTimeOnly: Bool
  }

  /// A condition on a property, which it names by number.
  private struct Condition: Sendable {
    let name: Int
    let test: Test
  }

  private enum Test: Sendable {
    case above(Double)
    case below(Double)
    case within(Double, Double)
    /// The text with this number, and no number.
    case text(Int)
    /// The comparison at this place.
    case other(Int)
  }

  /// Adds a trigger and returns its place.
  mutating func add(_ trigger: Campaign.Trigger, of campaign: Int) -> Int {
    let conditions = add(trigger.properties)
    var extras: Int?
    if !trigger.itemProperties.isEmpty || !trigger.places.isEmpty || trigger.isFirstTimeOnly {
      extras = self.extras.count
      self.extras.append(
        Extras(
          itemConditions: add(trigger.itemProperties), places: trigger.places,
          isFirstTimeOnly: trigger.isFirstTimeOnly))
    }
    rules.append(Rule(campaign: campaign, conditions: conditions, extras: extras))
    return rules.count - 1
  }

  private mutating func add(_ conditions: [Campaign.Condition]) -> Range<Int> {
    let first = self.conditions.count
    for condition in conditions {
      let expected = condition.value.flatMap(TriggerValue.init)
      let test = test(condition.comparison, expected)
      self.conditions.append(Condition(name: names.number(of: condition.name), test: test))
    }
    return first..<self.conditions.count
  }

  private mutating func test(_ comparison: Campaign.Comparison, _ expected: TriggerValue?) -> Test {
    switch comparison {
    case .greaterThan: if let bound = expected?.bound { return .above(bound) }
    case .lessThan: if let bound = expected?.bound { return .below(bound) }
    case .between: if let range = expected?.range { return .within(range.from, range.to) }
    case .equals:
      if let text = expected?.onlyText { return .text(texts.add(text)) }
    case .contains, .notEquals, .isSet, .isNotSet, .doesNotContain: break
    }
    comparisons.append((comparison, expected))
    return .other(comparisons.count - 1)
  }

  // MARK: Events

  /// The campaigns of which one of these rules fires, each once, in the order of the rules.
  func campaignsFired(by occurrence: Campaign.Occurrence, among candidates: [Int]) -> [Int] {
    var properties = Facts(of: occurrence, names.written, texts, ofItems: false)
    var items = Facts(of: occurrence, names.written, texts, ofItems: true)
    var fired: [Int] = []
    var last = -1
    for candidate in candidates {
      let rule = rules[candidate]
      guard rule.campaign != last, holds(rule.conditions, &properties) else { continue }
      if let extras = rule.extras, !holds(self.extras[extras], of: occurrence, &items) { continue }
      last = rule.campaign
      fired.append(last)
    }
    return fired
  }

  private func holds(
    _ extras: Extras, of occurrence: Campaign.Occurrence, _ items: inout Facts
  ) -> Bool {
    if extras.isFirstTimeOnly && !occurrence.isFirst { return false }
    guard holds(extras.itemConditions, &items) else { return false }
    guard !extras.places.isEmpty else { return true }
    guard let position = occurrence.position else { return false }
    return extras.places.contains { $0.contains(position) }
  }

  private func holds(_ conditions: Range<Int>, _ facts: inout Facts) -> Bool {
    for place in conditions {
      let condition = self.conditions[place]
      if !holds(condition, facts.fact(condition.name), facts) { return false }
    }
    return true
  }

  @inline(__always)
  private func holds(_ condition: Condition, _ fact: Facts.Fact, _ facts: borrowing Facts) -> Bool {
    switch (fact.kind, condition.test) {
    case (.single, .above(let bound)): fact.number > bound
    case (.single, .below(let bound)): fact.number < bound
    case (.single, .within(let from, let to)): from <= fact.number && fact.number <= to
    case (.single, .text(let text)) where fact.text != nil: fact.text == text
    case (.none, .other(let place)): comparisons[place].comparison == .isNotSet
    case (.none, _), (.unasked, _): false
    case (.single, _), (.several, _):
      meets(condition.test, facts.values[condition.name])
    }
  }

  /// Compares as `TriggerValue` does.
  private func meets(_ test: Test, _ value: TriggerValue?) -> Bool {
    guard let value else { return false }
    switch test {
    case .above(let bound): return value.meets(.greaterThan, TriggerValue(.number(bound)))
    case .below(let bound): return value.meets(.lessThan, TriggerValue(.number(bound)))
    case .within(let from, let to):
      return value.meets(.between, TriggerValue([.number(from), .number(to)]))
    case .text(let number):
      return value.meets(.equals, TriggerValue(.string(texts.all[number])))
    case .other(let place):
      return value.meets(comparisons[place].comparison, comparisons[place].expected)
    }
  }
}

/// What an event, or its items, say of the properties that conditions name, each looked up when it is
/// first asked for.
private struct Facts {
  /// The values in full, by number of the name.
  private(set) var values: [TriggerValue?]
  private var facts: [Fact]
  private let occurrence: Campaign.Occurrence
  private let names: [String]
  private let texts: Texts
  private let isOfItems: Bool

  /// A value in short.
  struct Fact {
    enum Kind { case unasked, none, single, several }
    var kind: Kind
    /// What a single value is or writes; NaN, which no comparison holds for, without a number.
    var number = Double.nan
    /// The number of a single text; -1 for one that no condition expects, nil for no text.
    var text: Int?
  }

  init(
    of occurrence: Campaign.Occurrence, _ names: [String], _ texts: Texts, ofItems isOfItems: Bool
  ) {
    self.occurrence = occurrence
    self.names = names
    self.texts = texts
    self.isOfItems = isOfItems
    values = Array(repeating: nil, count: names.count)
    facts = Array(repeating: Fact(kind: .unasked), count: names.count)
  }

  mutating func fact(_ name: Int) -> Fact {
    if facts[name].kind == .unasked { find(name) }
    return facts[name]
  }

  private mutating func find(_ name: Int) {
    let value =
      isOfItems ? occurrence.itemProperty(names[name]) : occurrence.property(names[name])
    values[name] = value
    guard let value else {
      facts[name] = Fact(kind: .none)
      return
    }
    guard let single = value.single else {
      facts[name] = Fact(kind: .several)
      return
    }
    facts[name] = Fact(
      kind: .single, number: single.number ?? .nan,
      text: single.text.map { texts.number(of: $0) })
  }
}

/// The texts that conditions expect, in lower case, each with its number. Texts of other bytes are other
/// texts, also where Unicode calls them equal.
private struct Texts: Sendable {
  private(set) var all: [String] = []
  private var numbers: [[UInt8]: Int] = [:]

  mutating func add(_ text: String) -> Int {
    let bytes = Array(text.utf8)
    if let number = numbers[bytes] { return number }
    numbers[bytes] = all.count
    all.append(text)
    return all.count - 1
  }

  /// -1 for a text that no condition expects.
  func number(of text: String) -> Int { numbers[Array(text.utf8)] ?? -1 }
}

/// The normalized names of all properties that conditions name, each with a number.
private struct PropertyNames: Sendable {
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

extension Campaign.Occurrence {
  fileprivate func property(_ name: String) -> TriggerValue? {
    properties.value(named: name).flatMap(TriggerValue.init)
  }

  fileprivate func itemProperty(_ name: String) -> TriggerValue? {
    TriggerValue(items: items.compactMap { $0.value(named: name) })
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
