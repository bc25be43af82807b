public import EngagementModel
import EngagementStore

extension Engagement {
  /// The version of the database library in use.
  public static var databaseVersion: String { StoreLibrary.version }

  /// Checks every page and row of the cache, and counts how the accepted actions have ended.
  ///
  /// The time grows with the cache. If the cache was damaged when it was opened, it was repaired
  /// then, and `recovery` says what was saved.
  public func checkCache() async throws(EngagementError) -> CacheReport {
    try lifecycle.checkOpen()
    return CacheReport(try await dependencies.store.check(), dependencies.store.recovery)
  }

  /// How a damaged cache was recovered since it was opened; nil for a sound one. Afterwards no user is
  /// signed in and no consent is known, unless they could be saved.
  public var recovery: CacheRecovery? { dependencies.store.recovery.map { CacheRecovery($0) } }

  /// The result of `checkCache()`.
  public struct CacheReport: Hashable, Sendable {
    /// SQLite's findings; empty for a sound file.
    public var faults: [String]
    /// How many rows do not match their checksum.
    public var damagedRows: Int
    /// How the accepted actions of all users have ended, for each provider.
    public var deliveryCounts: [ProviderID: DeliveryCounts]
    /// How many events `Options.ledgerRetention` has removed from the ledger.
    public var evictedEvents: EvictedEvents
    /// How a damaged file was recovered when the cache was opened; nil if it was sound.
    public var recovery: CacheRecovery?

    /// Whether nothing is damaged and every accepted action is accounted for.
    public var isSound: Bool {
      faults.isEmpty && damagedRows == 0 && deliveryCounts.values.allSatisfy(\.isConserved)
    }

    init(_ health: Health, _ recovery: Recovery?) {
      faults = health.faults
      damagedRows = health.damagedRows
      deliveryCounts = health.deliveryCounts.mapValues { DeliveryCounts($0) }
      evictedEvents = health.evictedEvents
      self.recovery = recovery.map { CacheRecovery($0) }
    }
  }

  /// How a damaged cache was recovered.
  public struct CacheRecovery: Hashable, Sendable {
    /// The path of the damaged file now; nil if the cache was gone, with nothing to set aside.
    public var path: String?
    /// How many pending actions were sound and are in the new cache.
    public var savedActions: Int
    /// How many pending actions are known to be lost.
    public var lostActions: Int
    /// Whether pending actions may have been lost with the damage.
    public var mayHaveLostActions: Bool
    /// Whether routes that were set at run time may have been lost with the damage. The others hold.
    public var mayHaveLostRoutes: Bool

    init(_ recovery: Recovery) {
      path = recovery.setAside
      savedActions = recovery.savedRows
      lostActions = recovery.lostRows
      mayHaveLostActions = recovery.mayHaveLostRows
      mayHaveLostRoutes = recovery.mayHaveLostValues
    }
  }

  /// How the actions that were accepted for one provider have ended.
  public struct DeliveryCounts: Hashable, Sendable {
    public var accepted: Int64
    public var pending: Int64
    public var delivered: Int64
    /// Kept on this device only: the vendor has no request for them, or knew them already.
    public var kept: Int64
    public var rejected: Int64
    public var expired: Int64
    /// Dropped to make room for newer actions.
    public var evicted: Int64
    /// Dropped with their user, at a sign-out or for a withdrawn consent.
    public var wiped: Int64
    /// Lost with a damaged cache.
    public var lost: Int64

    /// Whether every accepted action is accounted for.
    public var isConserved: Bool {
      accepted == pending + delivered + kept + rejected + expired + evicted + wiped + lost
    }

    init(_ counts: EngagementStore.DeliveryCounts) {
      accepted = counts.accepted
      pending = counts.pending
      delivered = counts.delivered
      kept = counts.kept
      rejected = counts.rejected
      expired = counts.expired
      evicted = counts.evicted
      wiped = counts.wiped
      lost = counts.lost
    }
  }
}
