import EngagementAdapterAPI
import EngagementModel
import EngagementStore

/// The rows that ended undelivered lately: what an operation brought may have ended the very row
/// that it was sent for.
final class LostRows: CommitReader {
  private struct State {
    var reasons: [OperationKey: String] = [:]
    var order: [OperationKey] = []
  }

  private let state = Locked(State())

  /// A row ends while it is under way, so only the newest are asked for.
  private static let capacity = 1_000

  func read(_ report: CommitReport, of partition: Partition) async { note(report) }

  /// Takes note of what ended.
  func note(_ report: CommitReport) {
    let lost = report.ended.filter { $0.ending != .delivered }
    guard !lost.isEmpty else { return }
    state.withLock { state in
      for row in lost {
        state.reasons[row.key] = row.ending.reason
        state.order.append(row.key)
      }
      let surplus = max(0, state.order.count - Self.capacity)
      for key in state.order.prefix(surplus) { state.reasons[key] = nil }
      state.order.removeFirst(surplus)
    }
  }

  /// What goes out under the key now is there: a batch keeps the key of a row that may be gone.
  func forget(_ key: OperationKey) { state.withLock { $0.reasons[key] = nil } }

  /// Why the row is gone; nil for one that is there or was delivered.
  func reason(of key: OperationKey) -> String? { state.withLock { $0.reasons[key] } }
}

extension Ending {
  fileprivate var reason: String {
    if case .rejected(let error) = self { error.message } else { "It was \(name)." }
  }
}
