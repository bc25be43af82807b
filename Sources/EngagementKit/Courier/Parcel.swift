import EngagementAdapterAPI
import EngagementModel
import EngagementStore

/// What goes out in one exchange: an operation, or a batch of events whose members are the same in
/// every attempt.
struct Parcel: Hashable, Sendable {
  /// In the order in which they were accepted; never empty.
  let rows: [OutboxRow]
  /// For how long it was waited for since the attempt before.
  let waited: Duration

  /// Whose outcome it shares.
  var label: OutboxRow.ID { rows[0].label }

  /// The batch that the rows belong to from now on.
  var batch: OutboxRow.ID? { rows[0].event == nil ? nil : label }

  var verb: Operation.Verb { rows[0].verb }

  var operation: Operation {
    if case .operation(let operation) = rows[0].work { return operation }
    return .events(rows.compactMap(\.event))
  }

  /// The attempt that comes next: of a batch the first row that is left speaks
  /// for all.
  func attempt(by user: User, in generation: Int? = nil) -> Attempt {
    Attempt(
      by: user, key, acceptedAt: rows[0].acceptedAt, number: rows[0].attempts + 1,
      generation: generation)
  }

  /// The same in every attempt, also after the row is gone that the batch was first called after.
  var key: OperationKey { rows[0].batchKey ?? rows[0].key }

  /// Every row with the same ending.
  func all(_ ending: Ending) -> [(row: OutboxRow.ID, ending: Ending)] {
    rows.map { ($0.id, ending) }
  }
}
