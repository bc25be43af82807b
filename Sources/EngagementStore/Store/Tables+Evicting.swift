import EngagementModel

extension Tables {
  /// How many events a transaction evicts beyond as many as it has recorded.
  static let longestEviction: Int64 = 1_000

  /// Evicts the oldest events that are over a bound, and counts them, at the end of a transaction.
  ///
  /// The work follows the number of events that go.
  mutating func evictEvents(on database: inout Database) throws(EngagementError) {
    let retention = options.retention
    guard retention.maximumAge != nil || retention.maximumEvents != nil else { return }
    let lastBefore = try ledger.endRecording(on: &database)
    let last = try ledger.lastSequence(on: &database)
    guard let oldest = try ledger.oldest(on: &database) else { return }
    let now = Milliseconds.nearest(options.now())
    // Most transactions end here, before anything is read.
    guard
      EvictionBounds(retention, through: last, last: last, now: now).reason(toEvict: oldest) != nil
    else { return }
    // A clock that runs ahead has to say so in two transactions before an event is too old by it.
    let newest = try ledger.newestTime(through: lastBefore, on: &database) ?? .min
    let bounds = EvictionBounds(
      retention, through: try lastThatMayGo(of: last, on: &database), last: last,
      now: min(now, newest))
    let evicted = try ledger.evict(
      within: bounds, limit: last - lastBefore + Self.longestEviction, on: &database)
    try evictionCounts.add(evicted, on: &database)
  }

  private mutating func lastThatMayGo(
    of last: Int64, on database: inout Database
  ) throws(EngagementError) -> Int64 {
    if options.retention.evictsWhatWasNotExported { return last }
    return try exports.sequencePassedByAll(on: &database)
  }
}
