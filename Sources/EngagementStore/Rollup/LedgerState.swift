/// What tells a ledger from what it was before.
package struct LedgerState: Sendable, Equatable {
  /// The sequences of the oldest and of the newest event that are there; 0 if there is none.
  package var first: Int64 = 0
  var last: Int64 = 0
  /// The id of the newest event. No other ledger has an event of the same id.
  var lastID: [UInt8] = []
  /// When events were last taken from their user or given to another; changes with each time.
  package var rewriting = ""
}
