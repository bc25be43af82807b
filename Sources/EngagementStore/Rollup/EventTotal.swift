import EngagementModel

/// What a provider's events come to.
package struct EventTotal: Sendable, Equatable {
  package let environment: [UInt8]
  /// Empty for the events of no provider.
  package let provider: [UInt8]
  /// In the order of the kinds' bytes.
  package var kinds: [Kind] = []
  /// People to whom something was delivered, those of them who saw something, and those of these who
  /// clicked.
  package var delivered = 0
  package var seen = 0
  package var clicked = 0

  package struct Kind: Sendable, Equatable {
    package let name: [UInt8]
    package let events: Int
    package let people: Int
  }
}

extension EventTotal {
  private var name: [UInt8] { environment + [0] + provider }

  /// The totals of all providers, from the counts of all series.
  static func all(of series: [EventSeries], _ counts: [EventRollup.Count]) -> [Self] {
    struct Owner: Hashable {
      let environment: [UInt8]
      let provider: [UInt8]
    }
    let numbers = series.indices.filter { counts[$0].events > 0 }
    let owners = Dictionary(grouping: numbers) { number in
      Owner(environment: series[number].environment, provider: series[number].provider)
    }
    return owners.map { (owner, numbers) in
      Self(of: numbers.map { (series[$0].kind, counts[$0]) }, owner.environment, owner.provider)
    }.sorted { $0.name.lexicographicallyPrecedes($1.name) }
  }

  private init(
    of kinds: [(name: [UInt8], count: EventRollup.Count)], _ environment: [UInt8],
    _ provider: [UInt8]
  ) {
    (self.environment, self.provider) = (environment, provider)
    self.kinds = kinds.map { kind in
      Kind(name: kind.name, events: Int(kind.count.events), people: kind.count.people.count)
    }.sorted { $0.name.lexicographicallyPrecedes($1.name) }
    let people = { (kind: EngagementEvent.Kind) in
      kinds.first { $0.name.elementsEqual(kind.rawValue.utf8) }?.count.people ?? IDSet()
    }
    let (delivered, seen) = (people(.delivered), people(.impression))
    let both = delivered.intersection(seen)
    (self.delivered, self.seen) = (delivered.count, both.count)
    clicked = both.intersection(people(.click)).count
  }
}
