package import EngagementAdapterAPI
package import EngagementModel
package import EngagementPlatform

/// An accepted operation or event for one provider that has not ended yet.
package struct OutboxRow: Hashable, Sendable, Identifiable {
  /// Counts up with every accepted row; the order in which rows were accepted.
  package let id: Int64
  package let key: OperationKey
  package let partition: Partition.ID
  package let provider: ProviderID
  package let work: Work
  /// The action to undo if the vendor rejects it.
  package let action: ItemAction?
  package let acceptedAt: Date
  package let attempts: Int
  /// How long it has been tried so far, measured while the application could send.
  package let waited: Duration
  /// The row whose batch it belongs to since the batch was first tried.
  package let batch: OutboxRow.ID?
  /// The batch's key in every attempt, whichever of its rows are left.
  package let batchKey: OperationKey?

  package init(
    id: Int64, key: OperationKey, partition: Partition.ID, provider: ProviderID, work: Work,
    action: ItemAction? = nil, acceptedAt: Date, attempts: Int = 0, waited: Duration = .zero,
    batch: OutboxRow.ID? = nil, batchKey: OperationKey? = nil
  ) {
    self.id = id
    self.key = key
    self.partition = partition
    self.provider = provider
    self.work = work
    self.action = action
    self.acceptedAt = acceptedAt
    self.attempts = attempts
    self.waited = waited
    self.batch = batch
    self.batchKey = batchKey
  }

  package enum Work: Hashable, Sendable {
    case operation(Operation)
    case event(EngagementEvent)
  }
}

extension OutboxRow {
  package var event: EngagementEvent? { if case .event(let event) = work { event } else { nil } }

  /// The item that it is about.
  package var item: ItemReference? { work.item }
}

/// How a row ends. Every accepted row ends in exactly one of these.
package enum Ending: Hashable, Sendable {
  case delivered
  /// Nothing was sent: the vendor has no request for it, or knows it already.
  case kept
  /// The vendor will never take it; the reason is kept with the body.
  case rejected(EngagementError)
  /// It was tried for as long as it may be.
  case expired
  /// There was no room left for analytics.
  case evicted
  /// Its user was erased, or signed out and discarded it.
  case wiped

  package var name: String {
    switch self {
    case .delivered: "delivered"
    case .kept: "kept"
    case .rejected: "rejected"
    case .expired: "expired"
    case .evicted: "evicted"
    case .wiped: "wiped"
    }
  }
}

/// How many rows were accepted, and how they ended.
package struct DeliveryCounts: Hashable, Sendable {
  package var accepted: Int64 = 0
  /// The rows that are there, counted now.
  package var pending: Int64 = 0
  package var delivered: Int64 = 0
  package var kept: Int64 = 0
  package var rejected: Int64 = 0
  package var expired: Int64 = 0
  package var evicted: Int64 = 0
  package var wiped: Int64 = 0
  /// Lost with a damaged cache.
  package var lost: Int64 = 0

  package init() {}

  /// Whether every accepted row is accounted for.
  package var isConserved: Bool {
    accepted == pending + delivered + kept + rejected + expired + evicted + wiped + lost
  }
}

/// How much may be pending.
package struct OutboxLimits: Hashable, Sendable {
  package var rows: Int
  package var bytes: Int

  package init(rows: Int = 10_000, bytes: Int = 20_000_000) {
    self.rows = rows
    self.bytes = bytes
  }
}
