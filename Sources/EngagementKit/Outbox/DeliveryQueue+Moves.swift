import EngagementModel
import EngagementPlatform
import EngagementStore

extension DeliveryQueue {
  /// What to do next.
  enum Move: Sendable {
    /// Read so many rows, and `load` them.
    case read(limit: Int)
    /// Tell the store that the batch is about to be tried, then `begin`, send, and `end` it.
    case send(OutboxBatch)
    /// These rows have ended.
    case end([(row: OutboxRow.ID, ending: Ending)])
    /// There is nothing to do before then; nil for nothing before there is something new.
    case rest(until: Duration?)
  }

  /// What the store has to record of an attempt.
  enum Settlement: Sendable {
    case end([(row: OutboxRow.ID, ending: Ending)])
    /// Every row of the batch is tried alone from now on.
    case split(OutboxRow.ID)
    /// These rows were not tried: no request was sent.
    case takeBack([OutboxRow.ID])
    /// Nothing: it is tried again.
    case keep
  }

  /// When an attempt ended.
  struct Now: Sendable {
    /// By the clock that never jumps.
    var uptime: Duration
    /// By the wall clock, which vendors speak of.
    var date: Date
    /// 64 random bits.
    var random: UInt64
  }
}
