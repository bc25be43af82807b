import EngagementPlatform

/// The triggers of many campaigns, prepared for the events to come.
///
/// Most conditions compare one number or one text. These have a shortcut that compares numbers alone, so
/// that a campaign that does not fire costs little.
struct PreparedTriggers: Sendable {
  private var triggers: [PreparedTrigger] = []
  private var conditions: [PreparedCondition] = []
  /// The conditions in full, at the same places.
  private var comparisons: [(comparison: Campaign.Comparison, expected: TriggerValue?)] = []
  private var restrictions: [Restrictions] = []
  private var names = PropertyNames()
  private var texts = ExpectedTexts()

  private struct PreparedTrigger: Sendable {
    let campaign: Int
    /// The places of its conditions on properties.
    let conditions: Range<Int>
    /// The place of its restrictions; nil for none.
    let restrictions: Int?
  }

  /// What few triggers have.
  private struct Restrictions: Sendable {
    let itemConditions: Range<Int>
    let places: [Campaign.Place]
    let isFirstTimeOnly: Bool
  }

  /// A condition on a property, which it names by number.
  private struct PreparedCondition: Sendable {
    let name: Int
    let shortcut: Shortcut
  }

  /// How a single value can be compared.
  private enum Shortcut: Sendable {
    case above(Double)
    case below(Double)
    case within(Double, Double)
    /// With the text of this number.
    case text(Int)
    /// It can't: the condition is compared in full.
    case nothing
  }

  /// Adds a trigger and returns its place.
  mutating func add(_ trigger: Campaign.Trigger, of campaign: Int) -> Int {
    let conditions = add(trigger.properties)
    var place: Int?
    if !trigger.itemProperties.isEmpty || !trigger.places.isEmpty || trigger.isFirstTimeOnly {
      place = restrictions.count
      restrictions.append(
        Restrictions(
          itemConditions: add(trigger.itemProperties), places: trigger.places,
          isFirstTimeOnly: trigger.isFirstTimeOnly))
    }
    triggers.append(
      PreparedTrigger(campaign: campaign, conditions: conditions, restrictions: place))
    return triggers.count - 1
  }

  private mutating func add(_ conditions: [Campaign.Condition]) -> Range<Int> {
    let first = self.conditions.count
    for condition in conditions {
      let expected = condition.value.flatMap(TriggerValue.init)
      let name = names.number(of: condition.name)
      let shortcut = shortcut(for: condition.comparison, expected)
      self.conditions.append(PreparedCondition(name: name, shortcut: shortcut))
      comparisons.append((condition.comparison, expected))
    }
    return first..<self.conditions.count
  }

  private mutating func shortcut(
    for comparison: Campaign.Comparison, _ expected: TriggerValue?
  ) -> Shortcut {
    switch comparison {
    case .greaterThan: expected?.bound.map(Shortcut.above) ?? .nothing
    case .lessThan: expected?.bound.map(Shortcut.below) ?? .nothing
    case .between: expected?.range.map(Shortcut.within) ?? .nothing
    case .equals: expected?.onlyText.map { .text(texts.add($0)) } ?? .nothing
    case .contains, .notEquals, .isSet, .isNotSet, .doesNotContain: .nothing
    }
  }

  // MARK: Events

  /// The campaigns of which one of these triggers fires, each once, in the order of the triggers.
  func campaignsFired(by occurrence: Campaign.Occurrence, among candidates: [Int]) -> [Int] {
    var properties = OccurrenceFacts(of: occurrence, names.written, texts, ofItems: false)
    var items = OccurrenceFacts(of: occurrence, names.written, texts, ofItems: true)
    var fired: [Int] = []
    var last = -1
    for candidate in candidates {
      let trigger = triggers[candidate]
      guard trigger.campaign != last, holds(trigger.conditions, &properties) else { continue }
      if let place = trigger.restrictions, !holds(restrictions[place], of: occurrence, &items) {
        continue
      }
      last = trigger.campaign
      fired.append(last)
    }
    return fired
  }

  private func holds(
    _ restrictions: Restrictions, of occurrence: Campaign.Occurrence,
    _ items: inout OccurrenceFacts
  ) -> Bool {
    if restrictions.isFirstTimeOnly && !occurrence.isFirst { return false }
    guard holds(restrictions.itemConditions, &items) else { return false }
    guard !restrictions.places.isEmpty else { return true }
    guard let position = occurrence.position else { return false }
    return restrictions.places.contains { $0.contains(position) }
  }

  private func holds(_ conditions: Range<Int>, _ facts: inout OccurrenceFacts) -> Bool {
    for place in conditions where !holds(place, &facts) { return false }
    return true
  }

  @inline(__always)
  private func holds(_ place: Int, _ facts: inout OccurrenceFacts) -> Bool {
    let condition = conditions[place]
    let fact = facts.fact(condition.name)
    if fact.isSingle {
      switch condition.shortcut {
      case .above(let bound): return fact.number > bound
      case .below(let bound): return fact.number < bound
      case .within(let from, let to): return from <= fact.number && fact.number <= to
      case .text(let text): if let own = fact.text { return own == text }
      case .nothing: break
      }
    }
    let (comparison, expected) = comparisons[place]
    return facts.values[condition.name]?.meets(comparison, expected) ?? (comparison == .isNotSet)
  }
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

/// The texts that conditions expect, each with a number. Texts of other bytes are other texts, also where
/// Unicode calls them equal.
struct ExpectedTexts: Sendable {
  private var numbers: [[UInt8]: Int] = [:]

  mutating func add(_ text: String) -> Int {
    let (bytes, next) = (Array(text.utf8), numbers.count)
    let number = numbers[bytes] ?? next
    numbers[bytes] = number
    return number
  }

  /// -1 for a text that no condition expects.
  func number(of text: String) -> Int { numbers[Array(text.utf8)] ?? -1 }
}
