package import EngagementJSON
package import EngagementModel
package import EngagementPlatform

extension Change {
  /// The part of the cache that a change is for, with what that part has to know.
  ///
  /// This is the only list of all changes: each part switches over its own ones, so a new change
  /// does not compile before every part that takes it says what it does with it.
  package enum Destination: Hashable, Sendable {
    /// The items and lists of one feed.
    case items(FeedChange)
    /// The values that are remembered for a provider.
    case values(ValueChange)
    /// The rows that wait to be sent.
    case outbox(OutboxChange)
    /// The log of events.
    case ledger(LedgerChange)
    /// What the vendor does not know yet about its campaigns.
    case campaigns(reportedThrough: Int64)
    /// The secret store; never the database.
    case secrets(SecretChange)
    /// Only the report of the commit.
    case report(EngagementError)
  }

  package var destination: Destination {
    switch self {
    case .items(let feed, let mode, let items): .items(FeedChange(feed, .items(mode, items)))
    case .removed(let feed, let ids): .items(FeedChange(feed, .removed(ids: ids)))
    case .unchanged(let feed): .items(FeedChange(feed, .unchanged))
    case .total(let feed, let count): .items(FeedChange(feed, .total(count)))
    case .keep(let scope, let name, let value): .values(.keep(scope, name, value))
    case .person(let person): .values(.person(person))
    case .metrics(let metrics): .values(.metrics(metrics))
    case .settings(let settings): .values(.settings(settings))
    case .throttled(let verb, let date): .values(.throttled(verb, until: date))
    case .paused(let date): .values(.paused(until: date))
    case .happened(let kind, let item, let properties):
      .ledger(LedgerChange(kind: kind, item: item, properties: properties))
    case .campaignsReported(let mark): .campaigns(reportedThrough: mark)
    case .settled(let ids): .outbox(.settled(ids))
    case .abandoned(let surface, let reason): .outbox(.abandoned(surface, reason: reason))
    case .wanted(let operation): .outbox(.wanted(operation))
    case .secret(let scope, let name, let secret): .secrets(.secret(scope, name, secret))
    case .pushToken(let registration): .secrets(.pushToken(registration))
    case .ignored(let error): .report(error)
    }
  }
}

/// What a change does to one feed.
package struct FeedChange: Hashable, Sendable {
  package var feed: Feed
  package var effect: Effect

  package init(_ feed: Feed, _ effect: Effect) {
    self.feed = feed
    self.effect = effect
  }

  package enum Effect: Hashable, Sendable {
    case items(ItemMode, [RawItem])
    case removed(ids: [String])
    case unchanged
    case total(Int)
  }
}

/// A value to remember for a provider.
package enum ValueChange: Hashable, Sendable {
  case keep(Scope, String, String?)
  case person(Person?)
  case metrics(CardMetrics)
  case settings(VendorSettings)
  case throttled(Operation.Verb?, until: Date)
  case paused(until: Date)
}

/// What a change does to the rows that wait to be sent.
package enum OutboxChange: Hashable, Sendable {
  case settled([EventID])
  case abandoned(Surface, reason: String)
  case wanted(Operation)
}

/// An event to record.
package struct LedgerChange: Hashable, Sendable {
  package var kind: EngagementEvent.Kind
  package var item: ItemReference?
  package var properties: JSONObject
}

/// What the secret store keeps.
package enum SecretChange: Hashable, Sendable {
  case secret(Scope, String, Secret?)
  case pushToken(PushRegistration)
}
