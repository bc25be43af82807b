import EngagementAdapterAPI
import EngagementModel
import EngagementStore

/// Rows that are sent as one operation: a request, or a batch of events that has the same members
/// in every attempt.
struct OutboxBatch: Hashable, Sendable {
  /// In the order in which they were accepted; never empty.
  let rows: [OutboxRow]
  /// The time since the attempt before.
  let waited: Duration

  /// The row whose outcome all of them share.
  var label: OutboxRow.ID { rows[0].label }

  /// The batch that the rows belong to from now on.
  var batchID: OutboxRow.ID? { rows[0].event == nil ? nil : label }

  var verb: Operation.Verb { rows[0].verb }

  var operation: Operation {
    if case .operation(let operation) = rows[0].work { return operation }
    return .events(rows.compactMap(\.event))
  }

  /// The next attempt. The first row that is left gives its number and time.
  func attempt(by user: User, in generation: Int? = nil) -> Attempt {
    Attempt(
      by: user, key, acceptedAt: rows[0].acceptedAt, number: rows[0].attempts + 1,
      generation: generation)
  }

  /// The same in every attempt, also after the batch's first row has ended.
  var key: OperationKey { rows[0].batchKey ?? rows[0].key }
}
