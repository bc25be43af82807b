import EngagementAdapterAPI
import EngagementModel

/// What a vendor has answered and this machine could not keep, in the order in which it came.
///
/// What was done at the vendor must not be done again because a disk was full, and what comes next
/// must not begin without what the vendor said.
final class UnkeptAnswers: Sendable {
  private struct Answered: Sendable {
    var operation: Operation
    var attempt: Attempt
    var changes: [Change]
  }

  private let house: any ExchangeHouse
  private let waiting = Locked<[Answered]>([])
  private let turns = Turns()

  init(of house: any ExchangeHouse) { self.house = house }

  func add(_ changes: [Change], of operation: Operation, _ attempt: Attempt) {
    let answered = Answered(operation: operation, attempt: attempt, changes: changes)
    waiting.withLock { $0.append(answered) }
  }

  /// Keeps everything there is. Throws for as long as that can't be done.
  func keep() async throws(EngagementError) {
    guard waiting.withLock({ !$0.isEmpty }) else { return }
    await turns.take()
    defer { turns.pass() }
    while let next = waiting.withLock(\.first) {
      do throws(EngagementError) {
        try await house.commit(next.changes, of: next.operation, next.attempt)
      } catch {
        // Of a user who was erased meanwhile nothing is kept.
        if error.code.mayBeKeptLater { throw error }
      }
      waiting.withLock { _ = $0.removeFirst() }
    }
  }
}

extension EngagementError.Code {
  /// Whether what could not be kept for this may be kept later: a disk has room again, another
  /// process has written what it had to write.
  var mayBeKeptLater: Bool { isOfThisMachine || self == .busy }

  /// A failure of this machine, whose disk was full or did not answer: no vendor has refused
  /// anything.
  var isOfThisMachine: Bool { self == .storage || self == .unreadable }
}
