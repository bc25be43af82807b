public import EngagementAdapterAPI
public import EngagementModel
import EngagementStore
public import FoundationEssentials

/// Opens a cache without a network, as a program would after a crash, and says what is in it.
public struct CacheProbe: Sendable {
  private let path: String
  private let adapters: [ProviderID: any EngagementAdapter]
  private let users: [User]

  public init(path: String, adapters: [ProviderID: any EngagementAdapter], users: [User]) {
    self.path = path
    self.adapters = adapters
    self.users = users
  }

  /// What a cache holds.
  public struct Contents: Sendable {
    /// What was done about damage, in words; nil where there was none.
    public var recovery: String?
    /// `sound`, or what is wrong.
    public var health = ""
    /// What the first try to read all of it met; nil where it met nothing.
    public var met: EngagementError?
    public var rows: [Row] = []
    public var cards: [Card] = []
    public var messages: [InboxMessage] = []
  }

  /// Something that waits to be sent.
  public struct Row: Sendable {
    public let provider: ProviderID
    public let user: User
    public let work: Work

    public enum Work: Sendable {
      case operation(Operation)
      case event(EngagementEvent)
    }
  }

  /// Opens the cache, reads all of it and lets go of it.
  public func contents(at now: Date) async throws(EngagementError) -> Contents {
    let store = try await Store.open(Store.Options(path: path, adapters: adapters), at: now)
    var contents = Contents()
    do throws(EngagementError) {
      try await read(store, into: &contents, at: now)
    } catch {
      contents.met = error
      // What meets damage fails; what is asked next finds a cache that was put in order.
      try await read(store, into: &contents, at: now)
    }
    contents.recovery = store.recovery.map(Self.words)
    try await store.suspend()
    return contents
  }

  private func read(
    _ store: Store, into contents: inout Contents, at now: Date
  ) async throws(EngagementError) {
    (contents.rows, contents.cards, contents.messages) = ([], [], [])
    for user in users {
      let partition = try await store.partition(of: user, at: now)
      for provider in adapters.keys {
        contents.rows += try await rows(for: provider, of: partition, in: store)
        contents.messages += try await store.messages(of: provider, in: partition, at: now).items
      }
      for feed in try await store.feeds(of: partition) where feed.feed.surface == .cards {
        contents.cards += try await store.cards(in: feed, of: partition, at: now).items
      }
    }
    contents.health = Self.words(on: try await store.check())
  }

  private func rows(
    for provider: ProviderID, of partition: Partition, in store: Store
  ) async throws(EngagementError) -> [Row] {
    try await store.pending(for: provider, in: partition, limit: .max).map { row in
      switch row.work {
      case .operation(let operation):
        Row(provider: provider, user: partition.user, work: .operation(operation))
      case .event(let event):
        Row(provider: provider, user: partition.user, work: .event(event))
      }
    }
  }

  private static func words(on recovery: Recovery) -> String {
    "\(recovery.savedRows) rows saved, \(recovery.mayHaveLostRows ? "others may be lost" : "all")"
  }

  private static func words(on health: Health) -> String {
    guard !health.isSound else { return "sound" }
    let lost = health.deliveryCounts.filter { !$0.value.isConserved }.keys.map(\.rawValue).sorted()
    return "\(health.faults), \(health.damagedRows) damaged rows, not conserved: \(lost)"
  }
}
