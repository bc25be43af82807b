/// How long the ledger keeps its events, and whether with what vendors sent. Without bounds it keeps all of
/// them.
///
/// Events go in the order of their sequences, the oldest first, when something is written to the
/// cache. A write evicts at most 1,000 events more than it records, so that none takes long.
///
/// Only an event that every export has passed is evicted, by the cursors of all environments. While
/// there is no cursor, nothing counts as exported, and nothing is evicted. With
/// `evictsWhatWasNotExported` the bounds hold in any case, and the next export reports the events
/// that it missed as gone.
public struct LedgerRetention: Hashable, Sendable {
  /// The age at which an event may go, since it was recorded. Nil for no such bound.
  ///
  /// A clock that runs ahead once evicts nothing: the age is taken to the present time, or to the
  /// newest event of an earlier write if that is less. An event that was recorded by a clock that
  /// ran ahead stays until its time has come, and the events after it stay with it.
  public var maximumAge: Duration?
  /// An event may go when this many newer ones have been recorded. Nil for no such bound.
  ///
  /// Newer events count also after they were erased with their user.
  public var maximumEvents: Int?
  /// Whether the bounds also hold for events that an export has still to read.
  public var evictsWhatWasNotExported: Bool
  /// How many bytes of a card or message, as its vendor sent it, are kept as `properties.payload` of the
  /// event of its delivery. Of a larger one `properties.payloadBytes` has the size alone. Nil keeps
  /// neither.
  public var maximumPayload: Int?

  public init(
    maximumAge: Duration? = nil, maximumEvents: Int? = nil,
    evictsWhatWasNotExported: Bool = false, maximumPayload: Int? = nil
  ) {
    self.maximumPayload = maximumPayload
    self.maximumAge = maximumAge
    self.maximumEvents = maximumEvents
    self.evictsWhatWasNotExported = evictsWhatWasNotExported
  }
}

/// How many events the ledger has evicted, by the bound that each was over, since the cache was made or
/// was set aside as damaged.
public struct EvictedEvents: Hashable, Sendable {
  /// These were too old, some of them also too many.
  public var byAge: Int64
  /// These were too many.
  public var bySize: Int64

  public init(byAge: Int64 = 0, bySize: Int64 = 0) {
    self.byAge = byAge
    self.bySize = bySize
  }
}
