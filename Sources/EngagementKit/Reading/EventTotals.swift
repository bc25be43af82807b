public import EngagementModel
import EngagementStore

extension Engagement {
  /// What a provider's events come to, over all users of the environment.
  public struct EventTotals: Hashable, Sendable {
    /// Nil for the events that belong to no provider.
    public let provider: ProviderID?
    /// In the order of their names.
    public let kinds: [Kind]
    /// The people to whom something was delivered.
    public let delivered: Int
    /// The people to whom something was delivered and who saw something.
    public let seen: Int
    /// The people to whom something was delivered, who saw something and who clicked something.
    public let clicked: Int

    /// The events of one kind.
    public struct Kind: Hashable, Sendable {
      public let kind: EngagementEvent.Kind
      public let events: Int
      /// How many people did it.
      public let people: Int
    }
  }
}

extension EngagementReader {
  /// How many events of each kind each provider has, and of how many people.
  ///
  /// The call reads the events that are new since the last call of any process, and keeps the result in
  /// the file `-rollup` beside the cache. That file has numbers and no names. It can be removed at
  /// any time; the next call then reads the whole ledger. After a user was erased, it does so as well.
  public func eventTotals() throws(EngagementError) -> [Engagement.EventTotals] {
    let environment = query.environment
    return try read { (reader) throws(EngagementError) in
      try reader.eventTotals(in: environment).map(Engagement.EventTotals.init)
    }
  }
}

extension Engagement.EventTotals {
  fileprivate init(_ total: EventTotal) {
    provider = total.provider.isEmpty ? nil : ProviderID(Self.text(total.provider))
    kinds = total.kinds.map {
      Kind(
        kind: EngagementEvent.Kind(Self.text($0.name)), events: $0.events, people: $0.people)
    }
    (delivered, seen, clicked) = (total.delivered, total.seen, total.clicked)
  }

  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
