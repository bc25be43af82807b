import EngagementAdapterAPI
import EngagementModel

/// The answers that could not be committed, in the order in which they came.
///
/// An action that the vendor has taken must not be sent again because the disk was full. The next
/// operation starts after these answers are committed.
final class UncommittedAnswers: Sendable {
  private struct Answered: Sendable {
    var operation: Operation
    var attempt: Attempt
    var changes: [Change]
  }

  private let host: any OperationHost
  private let waiting = Locked<[Answered]>([])
  private let mutex = AsyncMutex()

  init(of host: any OperationHost) { self.host = host }

  func add(_ changes: [Change], of operation: Operation, _ attempt: Attempt) {
    let answered = Answered(operation: operation, attempt: attempt, changes: changes)
    waiting.withLock { $0.append(answered) }
  }

  /// Commits all of them. Throws as long as the cache cannot be written.
  func commit() async throws(EngagementError) {
    guard waiting.withLock({ !$0.isEmpty }) else { return }
    await mutex.lock()
    defer { mutex.unlock() }
    while let next = waiting.withLock(\.first) {
      do throws(EngagementError) {
        try await host.commit(next.changes, of: next.operation, next.attempt, recording: nil)
      } catch {
        // Answers of a user who was erased meanwhile are dropped.
        if error.code.mayBeKeptLater { throw error }
      }
      waiting.withLock { _ = $0.removeFirst() }
    }
  }
}

extension EngagementError.Code {
  /// Whether a commit that failed with this code may work later: the disk has room again, or
  /// another process has finished its write.
  var mayBeKeptLater: Bool { isOfThisMachine || self == .busy }

  /// Whether this machine's disk failed. No vendor has refused anything.
  var isOfThisMachine: Bool { self == .storage || self == .unreadable }
}
