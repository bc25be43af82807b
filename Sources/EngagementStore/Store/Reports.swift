package import EngagementAdapterAPI
package import EngagementModel

/// The feed of one provider.
package struct FeedKey: Hashable, Sendable {
  package var provider: ProviderID
  package var feed: Feed

  package init(_ provider: ProviderID, _ feed: Feed) {
    self.provider = provider
    self.feed = feed
  }
}

/// Feeds as the store had them at one moment.
package struct LoadedFeeds: Hashable, Sendable {
  /// Increases with each: of two values, the later one has the higher number.
  package var number: Int64
  package var cards: [FeedKey: FeedView<Card>]
  /// The messages of all inbox feeds of a provider.
  package var messages: [ProviderID: FeedView<InboxMessage>]

  package init(
    number: Int64, cards: [FeedKey: FeedView<Card>] = [:],
    messages: [ProviderID: FeedView<InboxMessage>] = [:]
  ) {
    self.number = number
    self.cards = cards
    self.messages = messages
  }
}

/// What a commit changed.
package struct CommitReport: Hashable, Sendable {
  /// The feeds of which something visible may have changed.
  package var feeds: Set<FeedKey> = []
  /// These feeds as they are now, if the caller asked for them.
  package var loaded: LoadedFeeds?
  /// Items that this commit quarantined, each once.
  package var quarantined: [Quarantined] = []
  /// Cards and messages that the cache did not have before.
  var added: [AddedItems] = []
  /// The contents of which a provider lists several copies since this commit.
  var duplicated: [Duplicated] = []
  /// Rows that ended.
  package var ended: [Ended] = []
  /// Whether rows were added to the outbox.
  package var hasNewRows = false
  package var hasNewPerson = false
  package var hasNewMetrics = false
  package var hasNewSettings = false
  /// Whether campaigns were queued.
  package var hasNewCampaigns = false
  /// The parts of the answer that were ignored, as errors.
  package var ignored: [EngagementError] = []

  package init() {}

  package struct Quarantined: Hashable, Sendable {
    package var feed: FeedKey
    package var index: Int
    package var reason: String

    package init(_ feed: FeedKey, index: Int, reason: String) {
      self.feed = feed
      self.index = index
      self.reason = reason
    }
  }

  /// A content of which one provider lists several copies.
  struct Duplicated: Hashable, Sendable {
    let key: ContentKey
    let provider: ProviderID
    let surface: Surface
    let count: Int

    init(_ key: ContentKey, of provider: ProviderID, on surface: Surface, count: Int) {
      self.key = key
      self.provider = provider
      self.surface = surface
      self.count = count
    }
  }

  package struct Ended: Hashable, Sendable {
    package var key: OperationKey
    package var ending: Ending

    package init(_ key: OperationKey, _ ending: Ending) {
      self.key = key
      self.ending = ending
    }
  }
}

/// The result of accepting intents.
package struct Acceptance: Hashable, Sendable {
  /// The events with their sequences, in the order of the intents that have one.
  package var events: [EngagementEvent] = []
  /// The keys of the outbox rows.
  package var keys: [OperationKey] = []
  /// The feeds of which something visible may have changed.
  package var feeds: Set<FeedKey> = []
  /// Those feeds as they are now, if the caller asked for them.
  package var loaded: LoadedFeeds?
  /// Rows that were evicted to make room.
  package var ended: [CommitReport.Ended] = []
  /// Whether campaigns were queued.
  package var hasNewCampaigns = false

  package init() {}
}

extension CommitReport {
  package init(_ acceptance: Acceptance) {
    feeds = acceptance.feeds
    loaded = acceptance.loaded
    ended = acceptance.ended
    hasNewRows = !acceptance.keys.isEmpty
    hasNewCampaigns = acceptance.hasNewCampaigns
  }
}

/// How a damaged cache was recovered.
package struct Recovery: Hashable, Sendable {
  /// The path that the damaged file was moved to; nil if the cache was gone.
  package var setAside: String?
  /// Accepted rows that were sound and are in the new cache.
  package var savedRows: Int
  /// Accepted rows that are known to be lost.
  package var lostRows: Int
  /// Whether rows may have been lost with the damage.
  package var mayHaveLostRows: Bool
  /// Whether values that are saved, such as routes, may have been lost with it.
  package var mayHaveLostValues: Bool

  package init(
    setAside: String?, savedRows: Int, lostRows: Int = 0, mayHaveLostRows: Bool,
    mayHaveLostValues: Bool = false
  ) {
    self.setAside = setAside
    self.savedRows = savedRows
    self.lostRows = lostRows
    self.mayHaveLostRows = mayHaveLostRows
    self.mayHaveLostValues = mayHaveLostValues
  }
}

/// The result of checking the cache.
package struct Health: Hashable, Sendable {
  /// SQLite's findings; empty for a sound file.
  package var faults: [String]
  /// Rows of the outbox and items whose checksum is wrong.
  package var damagedRows: Int
  package var deliveryCounts: [ProviderID: DeliveryCounts]
  package var evictedEvents = EvictedEvents()

  package init(
    faults: [String] = [], damagedRows: Int = 0, deliveryCounts: [ProviderID: DeliveryCounts] = [:]
  ) {
    self.faults = faults
    self.damagedRows = damagedRows
    self.deliveryCounts = deliveryCounts
  }

  package var isSound: Bool {
    faults.isEmpty && damagedRows == 0 && deliveryCounts.values.allSatisfy(\.isConserved)
  }
}
