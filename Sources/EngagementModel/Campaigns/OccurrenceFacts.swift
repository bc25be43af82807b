/// What an event, or its items, say of the properties that conditions name, each looked up when it is
/// first asked for.
struct OccurrenceFacts {
  /// The values in full, by the number of the name; nil for one that is not there.
  private(set) var values: [TriggerValue?]
  private var facts: [Fact?]
  private let occurrence: Campaign.Occurrence
  private let names: [String]
  private let texts: ExpectedTexts
  private let isOfItems: Bool

  /// A value in short.
  struct Fact {
    /// Whether it is one value, and neither none nor several.
    var isSingle = false
    /// What a single value is or writes; NaN, for which no comparison holds, without a number.
    var number = Double.nan
    /// The number of a single text; nil for no text.
    var text: Int?
  }

  init(
    of occurrence: Campaign.Occurrence, _ names: [String], _ texts: ExpectedTexts,
    ofItems isOfItems: Bool
  ) {
    self.occurrence = occurrence
    self.names = names
    self.texts = texts
    self.isOfItems = isOfItems
    values = Array(repeating: nil, count: names.count)
    facts = Array(repeating: nil, count: names.count)
  }

  @inline(__always)
  mutating func fact(_ name: Int) -> Fact { facts[name] ?? find(name) }

  private mutating func find(_ name: Int) -> Fact {
    let value = isOfItems ? itemProperty(names[name]) : property(names[name])
    var fact = Fact()
    if let single = value?.single {
      fact = Fact(
        isSingle: true, number: single.number ?? .nan,
        text: single.text.map { texts.number(of: $0) })
    }
    values[name] = value
    facts[name] = fact
    return fact
  }

  private func property(_ name: String) -> TriggerValue? {
    occurrence.properties.value(named: name).flatMap(TriggerValue.init)
  }

  private func itemProperty(_ name: String) -> TriggerValue? {
    TriggerValue(items: occurrence.items.compactMap { $0.value(named: name) })
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
