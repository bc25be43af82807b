import EngagementModel

extension Tables {
  /// Counts the ledger's events, those that an earlier rollup has counted only where they have changed.
  mutating func rollup(
    of state: LedgerState, from earlier: EventRollup?, segmentSize: Int64,
    on database: inout Database
  ) throws(EngagementError) -> EventRollup {
    var rollup = EventRollup(segmentSize: segmentSize)
    if let earlier, try isPast(earlier.state, of: state, on: &database) { rollup = earlier }
    let counted = rollup.state.last
    if state.first > rollup.state.first, let again = rollup.removeSegments(before: state.first) {
      var part = EventRollup(segmentSize: rollup.segmentSize)
      try count(again.clamped(to: state.first..<counted + 1), in: &part, on: &database)
      rollup.prepend(part)
    }
    try count(counted + 1..<max(state.last, counted) + 1, in: &rollup, on: &database)
    rollup.state = state
    return rollup
  }

  /// Whether the ledger has come from that state by recording and evicting events alone.
  private mutating func isPast(
    _ earlier: LedgerState, of state: LedgerState, on database: inout Database
  ) throws(EngagementError) -> Bool {
    guard earlier.rewriting == state.rewriting, earlier.last <= state.last else { return false }
    return try ledger.id(of: earlier.last, on: &database) == earlier.lastID
  }

  private func count(
    _ sequences: Range<Int64>, in rollup: inout EventRollup, on database: inout Database
  ) throws(EngagementError) {
    guard !sequences.isEmpty else { return }
    // All of them cost less than to look each of many up.
    let environments = try partitions.environments(
      of: sequences.count < 4_096 ? sequences : nil, on: &database)
    try ledger.eachCounted(sequences, on: &database) { (row: borrowing Row) in
      let person = row.integer(1)
      guard let environment = environments[person] else { return }
      row.withBytes(2) { provider in
        row.withBytes(3) { kind in
          rollup.count(
            sequence: row.integer(0), person: person, environment: environment,
            provider: provider, kind: kind)
        }
      }
    }
  }
}
