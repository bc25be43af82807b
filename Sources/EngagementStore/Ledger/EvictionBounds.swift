import EngagementModel

/// Which events of the ledger may go now.
struct EvictionBounds {
  /// The last that may go at all.
  private let through: Int64
  /// The last that has as many newer ones as the ledger keeps.
  private let lastOverSize: Int64?
  /// The earliest time of recording that is not too old, in milliseconds.
  private let oldestTime: Int64?

  enum Reason { case age, size }

  /// - Parameters:
  ///   - last: The last sequence that was given to an event.
  ///   - now: The time from which ages are counted, in milliseconds.
  init(_ retention: LedgerRetention, through: Int64, last: Int64, now: Int64) {
    self.through = through
    lastOverSize = retention.maximumEvents.map { last - Int64($0) }
    oldestTime = retention.maximumAge.flatMap { age in
      let (time, overflows) = now.subtractingReportingOverflow(Milliseconds.nearest(age))
      return overflows ? nil : time
    }
  }

  /// Why an event goes; nil if it stays.
  func reason(toEvict event: LedgerTable.Place) -> Reason? {
    guard event.sequence <= through else { return nil }
    if let oldestTime, event.recorded < oldestTime { return .age }
    if let lastOverSize, event.sequence <= lastOverSize { return .size }
    return nil
  }
}

extension EvictedEvents {
  var count: Int64 { byAge + bySize }

  mutating func add(_ reason: EvictionBounds.Reason) {
    switch reason {
    case .age: byAge += 1
    case .size: bySize += 1
    }
  }
}
