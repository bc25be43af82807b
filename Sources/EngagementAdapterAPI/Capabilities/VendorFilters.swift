import EngagementJSON
public import EngagementModel

/// The conditions on cards with which a vendor can be asked for a feed.
public struct VendorFilters: Hashable, Sendable, ExpressibleByDictionaryLiteral {
  /// The operators that the vendor has for each field.
  public var operators: [CardFilter.Field.Name: Set<CardFilter.Operator>]

  public init(_ operators: [CardFilter.Field.Name: Set<CardFilter.Operator>] = [:]) {
    self.operators = operators
  }

  public init(
    dictionaryLiteral elements: (CardFilter.Field.Name, Set<CardFilter.Operator>)...
  ) {
    self.init(Dictionary(elements) { _, last in last })
  }

  /// Splits conditions into those with which the vendor is asked, in one order and each once, and
  /// those that are applied to the cards here.
  public func split(_ filters: [CardFilter]) -> (asked: [CardFilter], kept: [CardFilter]) {
    var seen: Set<CardFilter> = []
    let asked = filters.filter { has($0) && seen.insert($0).inserted }
    return (
      asked.count < 2
        ? asked : asked.sorted { Self.key($0).lexicographicallyPrecedes(Self.key($1)) },
      filters.filter { !has($0) }
    )
  }

  private func has(_ filter: CardFilter) -> Bool {
    operators[filter.field.name]?.contains(filter.operator) ?? false
  }

  private static func key(_ filter: CardFilter) -> [UInt8] { filter.json.encoded() }
}
