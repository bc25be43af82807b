import EngagementAdapterAPI
import EngagementJSON
import EngagementModel
import Foundation

@testable import EngagementStore

/// An item cache on a file, with the transactions of its owner.
final class ItemCacheStand {
  static let start = Date(timeIntervalSince1970: 1_790_845_200)
  static let people: [Partition] = [
    Partition(id: 1, environment: "production", user: "u-1"),
    Partition(id: 2, environment: "production", user: "u-2"),
    Partition(id: 3, environment: "production", user: .anonymous),
    Partition(id: 4, environment: "staging", user: "u-1"),
  ]

  let scratch: Scratch
  let adapters: [ProviderID: any EngagementAdapter]
  let contentKeys: [ProviderID: ContentKeySource]
  private var database: Database
  private var itemCache: ItemCache
  var now = start
  var person = people[0]

  init(
    _ adapters: [ProviderID: any EngagementAdapter] = ["paper": PaperAdapter()],
    contentKeys: [ProviderID: ContentKeySource] = [:]
  ) throws {
    scratch = try Scratch()
    self.adapters = adapters
    self.contentKeys = contentKeys
    itemCache = ItemCache(adapters: adapters, contentKeys: contentKeys)
    database = try scratch.open(.create)
    try database.transaction { (database) throws(EngagementError) in
      try database.connection.execute(
        """
        CREATE TABLE partition (id INTEGER PRIMARY KEY, environment TEXT, user BLOB) STRICT;
        INSERT INTO partition (id) VALUES (1), (2), (3), (4);
        \(Schema.items);
        \(Schema.routes);
        \(Schema.unlisted)
        """)
    }
  }

  convenience init(_ adapter: PaperAdapter) throws { try self.init(["paper": adapter]) }

  /// Runs the body on the item cache, outside a transaction.
  func with<Value>(
    _ body: (inout ItemCache, inout Database) throws(EngagementError) -> Value
  ) throws(EngagementError) -> Value { try body(&itemCache, &database) }

  /// Runs the body in one transaction. If it fails, the item cache forgets its memory.
  @discardableResult func change<Value>(
    _ body: (inout ItemCache, inout Database) throws(EngagementError) -> Value
  ) throws(EngagementError) -> Value {
    do throws(EngagementError) {
      return try database.transaction { (database) throws(EngagementError) in
        try body(&itemCache, &database)
      }
    } catch {
      itemCache.forgetMemory()
      throw error
    }
  }

  /// Commits a vendor's changes.
  @discardableResult func commit(
    _ changes: Change..., from provider: ProviderID = "paper"
  ) throws(EngagementError) -> CommitReport {
    try commit(changes, from: provider)
  }

  @discardableResult func commit(
    _ changes: [Change], from provider: ProviderID = "paper", settling settles: Bool = true
  ) throws(EngagementError) -> CommitReport {
    var report = CommitReport()
    try change { (itemCache, database) throws(EngagementError) in
      for change in changes {
        try itemCache.apply(
          change, from: provider, in: person, at: now, to: &report, on: &database)
      }
      try itemCache.finish(
        in: person, settling: settles, at: now, to: &report, on: &database)
    }
    return report
  }

  @discardableResult func act(
    _ action: ItemAction, on id: String, _ surface: Surface = .cards,
    of provider: ProviderID = "paper"
  ) throws(EngagementError) -> Set<FeedKey> {
    try change { (itemCache, database) throws(EngagementError) in
      try itemCache.record(
        .init(action, on: ItemReference(ItemID(provider, id), on: surface)), in: person, at: now,
        on: &database)
    }
  }

  @discardableResult func undo(
    _ action: ItemAction, on id: String, _ surface: Surface = .cards,
    of provider: ProviderID = "paper"
  ) throws(EngagementError) -> Set<FeedKey> {
    try change { (itemCache, database) throws(EngagementError) in
      try itemCache.undo(
        action, on: ItemReference(ItemID(provider, id), on: surface), in: person, on: &database)
    }
  }

  /// Opens the same file again, as another process does.
  /// - Parameter keys: The content keys from now on; nil for those of before.
  func restart(contentKeys keys: [ProviderID: ContentKeySource]? = nil) throws {
    itemCache = ItemCache(adapters: adapters, contentKeys: keys ?? contentKeys)
    database = try scratch.open(.readWrite)
  }

  func forget() { itemCache.forgetMemory() }

  /// Changes the file, as another program does.
  func tamper(_ sql: String) throws(EngagementError) {
    try change { (_, database) throws(EngagementError) in try database.connection.execute(sql) }
    forget()
  }

  func count(_ sql: String) throws(EngagementError) -> Int {
    Int(try database.first(sql) { $0.integer(0) } ?? 0)
  }

  // MARK: Views

  func view(
    _ feed: Feed = .cards, of provider: ProviderID = "paper"
  ) throws(EngagementError) -> FeedView<Card> {
    try itemCache.cards(in: FeedKey(provider, feed), of: person, at: now, on: &database)
  }

  func inbox(of provider: ProviderID = "paper") throws(EngagementError) -> FeedView<InboxMessage> {
    try itemCache.messages(of: provider, in: person, at: now, on: &database)
  }

  func campaigns(_ feed: Feed = .campaigns) throws(EngagementError) -> FeedView<Campaign> {
    try itemCache.campaigns(in: FeedKey("paper", feed), of: person, at: now, on: &database)
  }

  /// The ids of the visible cards, in order.
  func ids(_ feed: Feed = .cards) throws(EngagementError) -> [String] {
    try view(feed).items.map(\.id.value)
  }

  /// The ids of the cards of the first screen.
  func firstIDs(_ feed: Feed = .cards) throws(EngagementError) -> [String] {
    try itemCache.firstCards(
      20, in: FeedKey("paper", feed), of: person, at: now, on: &database
    ).map(\.id.value)
  }

  func titles(_ feed: Feed = .cards) throws(EngagementError) -> [String] {
    try view(feed).items.map { $0.title ?? "" }
  }
}

/// The items of a list, one for each text, as a cursor returns them.
func raw(_ texts: [String]) -> [RawItem] {
  texts.enumerated().map { RawItem(index: $0, bytes: Array($1.utf8)[...]) }
}

/// The same, with the ids that an adapter sets.
func named(_ texts: [(id: String, text: String)]) -> [RawItem] {
  zip(raw(texts.map(\.text)), texts).map { item, text in
    var item = item
    item.id = text.id
    return item
  }
}

extension Change {
  /// A complete list of cards.
  static func list(
    _ texts: [String], in feed: Feed = .cards, _ retention: Retention = .nothing
  ) -> Change { .items(feed, .replace(retention), raw(texts)) }

  static func put(_ texts: [String], in feed: Feed = .cards) -> Change {
    .items(feed, .put, raw(texts))
  }

  static func patch(
    _ texts: [(id: String, text: String)], in feed: Feed = .cards,
    _ rules: PatchRules = PatchRules()
  ) -> Change { .items(feed, .patch(rules), named(texts)) }
}

extension ItemCache {
  /// Applies a change if it concerns a feed, as a commit does.
  mutating func apply(
    _ change: Change, from provider: ProviderID, in partition: Partition, at now: Date,
    to report: inout CommitReport, on database: inout Database
  ) throws(EngagementError) {
    guard case .items(let change) = change.destination else { return }
    try apply(
      change, from: provider, in: partition, refreshedAt: now, at: now, to: &report, on: &database)
  }
}
